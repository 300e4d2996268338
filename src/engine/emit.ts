// Events out of the loop: to any number of listeners, and as an async iterable. A listener cannot break the loop.
import type { LoopEvent } from "../protocol/events.ts";
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

/** Every event from the first one on, for each reader, whenever it begins to read. */
export function createEventStream(): EventStream {
  const events: LoopEvent[] = [];
  let closed = false;
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    const waiting = wake;
    wake = [];
    for (const resolve of waiting) resolve();
  };
  return {
    push(event) {
      events.push(event);
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
          yield event;
        } else if (closed) return;
        else await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
  };
}
