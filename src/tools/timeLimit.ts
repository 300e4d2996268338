// A time limit that stands still while a person is asked.

export interface TimeLimit {
  /** Stands still until `resume` was called as often. */
  pause(): void;
  resume(): void;
  /** Begins anew, with so many milliseconds. */
  restart(milliseconds: number): void;
  /** Ends it for good. */
  clear(): void;
}

/**
 * Stands still until its first `resume`.
 * @param milliseconds of work after which `reached` is called, once for each start
 */
export function timeLimit(milliseconds: number, reached: () => void): TimeLimit {
  let left = milliseconds;
  let since = 0;
  let pauses = 1;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    clearTimeout(timer);
    since = Date.now();
    timer = pauses === 0 ? setTimeout(reached, Math.max(0, left)) : undefined;
  };
  return {
    pause() {
      if (pauses++ > 0) return;
      clearTimeout(timer);
      left -= Date.now() - since;
    },
    resume() {
      if (pauses > 0 && --pauses === 0) begin();
    },
    restart(fresh) {
      left = fresh;
      begin();
    },
    clear() {
      pauses = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
