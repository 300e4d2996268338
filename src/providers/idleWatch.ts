// Notices when an endpoint that is being waited for sends nothing for too long (C-13).
import type { Clock, ModelEvent } from "../engine/ports.ts";
import { visible } from "./visible.ts";

export interface IdleWatch {
  /** Something arrived. */
  touch(): void;
  /** From now on silence counts. */
  wait(): void;
  /** Silence does not count while the reader itself is busy. */
  rest(): void;
  /** What was made of what arrived. */
  read(events: readonly ModelEvent[]): void;
  /** Milliseconds of silence that are too long by now. */
  limit(): number;
  stop(): void;
}

/** How much silence is too much. */
export interface Silence {
  /** Milliseconds without a byte after which a reply counts as stalled (C-13). */
  readonly idleTimeout: number;
  /** The same before the reply's first word, and where it has last shown thoughts: a model may think for minutes. Absent: no longer. */
  readonly thinkTimeout?: number;
  /** Silence before the reply begins does not count: a server at home reads a long prompt for minutes. */
  readonly patient?: boolean;
}

/** Calls `onIdle` once when nothing was heard for too long while it was waited for. */
export function idleWatch(clock: Clock, silence: Silence, onIdle: () => void): IdleWatch {
  const { idleTimeout, thinkTimeout = idleTimeout, patient = false } = silence;
  let since = clock.now();
  let waiting = false;
  let counts = !patient;
  let limit = thinkTimeout;
  // One timer that looks again, instead of a new timer for every token.
  const look = (): void => {
    const left = waiting ? since + limit - clock.now() : limit;
    if (left <= 0) onIdle();
    else cancel = clock.after(Math.min(left, idleTimeout), look);
  };
  let cancel = clock.after(idleTimeout, look);
  return {
    touch: () => {
      since = clock.now();
    },
    wait: () => {
      waiting = counts;
      since = clock.now();
    },
    rest: () => {
      waiting = false;
      counts = true;
    },
    read: (events) => {
      // A summary of what it thinks comes in pieces, with minutes between them.
      const last = events.findLast(({ type }) => visible.has(type));
      if (last) limit = last.type === "thinking" ? thinkTimeout : idleTimeout;
    },
    limit: () => limit,
    stop: () => cancel(),
  };
}
