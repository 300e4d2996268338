// What waits in each session: in memory, and kept so that it is still there after the window was closed.
import { nothingWaits, restoredFrom, type Waiting } from "./queue.ts";

/** Where queues are kept between windows, by the id of their session. */
export interface QueueStore {
  get(sessionId: string): unknown;
  /** Undefined: nothing is kept any more. */
  set(sessionId: string, waiting: Waiting | undefined): PromiseLike<void>;
}

export interface Queues {
  readonly of: (sessionId: string | null) => Waiting;
  readonly set: (sessionId: string, waiting: Waiting) => void;
  /** Resolves when everything so far is kept. */
  readonly saved: () => Promise<void>;
}

export function createQueues(store: QueueStore, log: (message: string) => void): Queues {
  const queues = new Map<string, Waiting>();
  let saving = Promise.resolve();
  return {
    of(sessionId) {
      if (sessionId === null) return nothingWaits;
      const known = queues.get(sessionId);
      if (known) return known;
      const restored = restoredFrom(store.get(sessionId));
      queues.set(sessionId, restored);
      return restored;
    },
    set(sessionId, waiting) {
      queues.set(sessionId, waiting);
      const isEmpty = waiting.queue.length + waiting.sending.length === 0 && !waiting.todos;
      const write = store.set(sessionId, isEmpty ? undefined : waiting);
      saving = Promise.all([saving, write]).then(
        () => undefined,
        (error: unknown) => log(`Waiting messages could not be kept: ${String(error)}`),
      );
    },
    saved: () => saving,
  };
}
