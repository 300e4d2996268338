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

/**
 * Calls `onIdle` once when nothing was heard for `limit` milliseconds of waiting.
 * @param patient silence before the first `rest` does not count: a server at home reads a long prompt for minutes
 */
export function idleWatch(clock: Clock, limit: number, onIdle: () => void, patient = false): IdleWatch {
  let since = clock.now();
  let waiting = false;
  let counts = !patient;
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
      waiting = counts;
      since = clock.now();
    },
    rest: () => {
      waiting = false;
      counts = true;
    },
    stop: () => cancel(),
  };
}
