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

/**
 * Every value from the first one on, for each reader, whenever it begins to read.
 * @param together makes one of two neighbours that nobody has read yet, so that a long answer that nobody reads here is not
 *   kept in hundreds of thousands of pieces; null: they stay two
 */
export function createStream<T>(together: (a: T, b: T) => T | null = () => null): Stream<T> {
  const values: { readonly value: T }[] = [];
  /** How many of them some reader has taken. */
  let taken = 0;
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
      const last = values.length > taken ? values.at(-1) : undefined;
      const both = last && together(last.value, value);
      if (both) values[values.length - 1] = { value: both };
      else values.push({ value });
      wakeAll();
    },
    close() {
      closed = true;
      wakeAll();
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ;) {
        const one = values[next];
        if (one) {
          next += 1;
          taken = Math.max(taken, next);
          yield one.value;
        } else if (closed) return;
        else await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
  };
}
