// Lines on their way into a transcript: at once where that works, in order always, kept while the disk refuses.
import type { Entry } from "../protocol/messages.ts";
import { appendNow, severalTries } from "./files.ts";
import type { Lock } from "./lock.ts";

export interface Writer {
  /**
   * Has the lines in the file before it returns, or tries again later: then they go first the next time.
   * @param entries none: what is still waiting
   * @throws LoopError `disk_write`, or `session_busy` when the lock was lost
   */
  append(entries: readonly Entry[]): Promise<void>;
}

/** @param written hears of entries when they are in the file */
export function createWriter(path: string, lock: Lock, written: (entries: readonly Entry[]) => void): Writer {
  let unwritten: readonly Entry[] = [];
  let waiting = 0;
  let writes = Promise.resolve();

  const write = (): void => {
    appendNow(
      path,
      unwritten.map((entry) => JSON.stringify(entry)),
    );
    written(unwritten);
    unwritten = [];
  };
  const writeAtOnce = (): void => {
    if (waiting > 0 || !lock.holds()) return;
    try {
      write();
    } catch {
      // Tried again below, and more than once.
    }
  };
  const writeLater = async (): Promise<void> => {
    if (unwritten.length === 0) return;
    await lock.check();
    await severalTries(path, write);
  };
  /** One after the other, behind what is still being tried. */
  const queue = (work: () => Promise<void>): Promise<void> => {
    waiting++;
    const done = writes.then(work).finally(() => waiting--);
    writes = done.catch(() => undefined);
    return done;
  };

  return {
    async append(entries) {
      unwritten = [...unwritten, ...entries];
      if (unwritten.length > 0) writeAtOnce();
      if (unwritten.length > 0 || waiting > 0) await queue(writeLater);
    },
  };
}
