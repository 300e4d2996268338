// Questions to a person: each has one answer, from whichever place it comes first.

export interface Questions<Q, A> {
  /** Waits for the answer. Rejects only when the signal is aborted. */
  readonly ask: (question: Q, signal: AbortSignal) => Promise<A>;
  /** Answers a question; false when it does not wait any more. */
  readonly answer: (question: Q | undefined, answer: A) => boolean;
  /** Oldest first. */
  readonly waiting: () => readonly Q[];
}

/** @param changed told whenever the list of waiting questions has changed */
export function createQuestions<Q, A>(changed: () => void): Questions<Q, A> {
  const waiting = new Map<Q, (answer: A) => void>();
  const forget = (question: Q): void => {
    waiting.delete(question);
    changed();
  };
  return {
    ask: (question, signal) =>
      new Promise<A>((resolve, reject) => {
        const stopped = (): void => {
          forget(question);
          reject(new Error("stopped"));
        };
        if (signal.aborted) return stopped();
        signal.addEventListener("abort", stopped, { once: true });
        waiting.set(question, (answer) => {
          signal.removeEventListener("abort", stopped);
          forget(question);
          resolve(answer);
        });
        changed();
      }),
    answer(question, answer) {
      const take = question === undefined ? undefined : waiting.get(question);
      take?.(answer);
      return take !== undefined;
    },
    waiting: () => [...waiting.keys()],
  };
}
