// Notices a panel that does not answer any more, so that it can be loaded again.
import type { Clock } from "../engine/ports.ts";

export interface WatchdogOptions {
  readonly clock: Clock;
  /** Asks the panel; false when there is none that could be seen. */
  readonly ping: () => boolean;
  /** The panel is stuck. */
  readonly stuck: () => void;
}

export interface Watchdog {
  /** The panel has answered. */
  readonly alive: () => void;
  readonly end: () => void;
}

/** Milliseconds between two questions. */
const askEvery = 5_000;
/** Unanswered ones in a row: a machine that was asleep has missed one at the most. */
const mostMissed = 3;

/** Asks until it is ended. */
export function createWatchdog({ clock, ping, stuck }: WatchdogOptions): Watchdog {
  let missed = 0;
  const ask = (): void => {
    if (missed >= mostMissed) {
      missed = 0;
      stuck();
    } else missed = ping() ? missed + 1 : 0;
    cancel = clock.after(askEvery, ask);
  };
  let cancel = clock.after(askEvery, ask);
  return { alive: () => void (missed = 0), end: () => cancel() };
}
