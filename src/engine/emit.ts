// Events out of the loop: to any number of listeners, and as an async iterable. A listener cannot break the loop.
import type { Emit } from "./ports.ts";

/** Wraps a listener so that what it throws is logged and goes no further (BRAIN-EVT-6). */
export function guarded(listener: Emit, log: (message: string) => void): Emit {
  return (event) => {
    try {
      listener(event);
    } catch (error) {
      log(`A listener failed on ${event.type}: ${String(error)}`);
    }
  };
}

export interface Stream<T> extends AsyncIterable<T> {
  push(value: T): void;
  close(): void;
}

/** Every value from the first one on, for each reader, whenever it begins to read. */
export function createStream<T>(): Stream<T> {
  const values: T[] = [];
  let closed = false;
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    const waiting = wake;
    wake = [];
    for (const resolve of waiting) resolve();
  };
  return {
    push(value) {
      if (closed) return;
      values.push(value);
      wakeAll();
    },
    close() {
      closed = true;
      wakeAll();
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ;) {
        for (const value of values.slice(next)) {
          next += 1;
          yield value;
        }
        if (next < values.length) continue;
        if (closed) return;
        await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
  };
}
