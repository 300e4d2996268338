// Notices when an endpoint that is being waited for sends nothing for too long (C-13).
import type { Clock } from "../engine/ports.ts";

export interface IdleWatch {
  /** Something arrived. */
  touch(): void;
  /** From now on silence counts. */
  wait(): void;
  /** Silence does not count while the reader itself is busy. */
  rest(): void;
  stop(): void;
}

/** Calls `onIdle` once when nothing was heard for `limit` milliseconds of waiting. */
export function idleWatch(clock: Clock, limit: number, onIdle: () => void): IdleWatch {
  let since = clock.now();
  let waiting = false;
  // One timer that looks again, instead of a new timer for every token.
  const look = (): void => {
    const left = waiting ? since + limit - clock.now() : limit;
    if (left <= 0) onIdle();
    else cancel = clock.after(left, look);
  };
  let cancel = clock.after(limit, look);
  return {
    touch: () => {
      since = clock.now();
    },
    wait: () => {
      waiting = true;
      since = clock.now();
    },
    rest: () => {
      waiting = false;
    },
    stop: () => cancel(),
  };
}
