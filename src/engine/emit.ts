// Events out of the loop: to any number of listeners, and as an async iterable. A listener cannot break the loop.
import type { LoopEvent } from "../protocol/events.ts";
import { together } from "../protocol/together.ts";
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

export interface EventStream extends AsyncIterable<LoopEvent> {
  push(event: LoopEvent): void;
  close(): void;
}

/**
 * Every event from the first one on, for each reader, whenever it begins to read. Pieces of one text that nobody has read yet
 * become one, so that a long answer that nobody reads here is not kept in hundreds of thousands of pieces.
 */
export function createEventStream(): EventStream {
  const events: LoopEvent[] = [];
  /** How many events some reader has taken. */
  let taken = 0;
  let closed = false;
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    const waiting = wake;
    wake = [];
    for (const resolve of waiting) resolve();
  };
  return {
    push(event) {
      const last = events.length > taken ? events.at(-1) : undefined;
      const both = last && together(last, event);
      if (both) events[events.length - 1] = both;
      else events.push(event);
      wakeAll();
    },
    close() {
      closed = true;
      wakeAll();
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ;) {
        const event = events[next];
        if (event) {
          next += 1;
          taken = Math.max(taken, next);
          yield event;
        } else if (closed) return;
        else await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
  };
}
