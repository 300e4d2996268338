// Events on their way to the panel: joined, one batch at a time, the next when the last one is on the screen.
import type { PanelEvent } from "../protocol/events.ts";
import { together } from "../protocol/together.ts";
import type { ToWebview } from "../protocol/wire.ts";

/** What the bridge needs of a webview. */
export interface PanelEnd {
  /** Resolves when the message was delivered. */
  post(message: ToWebview): PromiseLike<boolean>;
}

export interface Outflow {
  /** Leads to a panel from here on, or nowhere; what was on its way is dropped. */
  readonly lead: (panel: PanelEnd | null) => void;
  /** Passes an event on, soon and together with its neighbours. */
  readonly event: (event: PanelEvent) => void;
  /** Sends at once what is on its way. */
  readonly flush: () => void;
  /** A batch is on the screen. */
  readonly drawn: (batch: number) => void;
}

export interface OutflowOptions {
  /** Waits until the next batch may go: about two frames. */
  readonly pause: () => Promise<void>;
  readonly log: (message: string) => void;
}

export function createOutflow({ pause, log }: OutflowOptions): Outflow {
  let panel: PanelEnd | null = null;
  let queue: PanelEvent[] = [];
  let pumping = false;
  let batch = 0;
  let taken = (): void => undefined;

  const open = (): PanelEnd | null => (queue.length > 0 ? panel : null);
  const take = (): PanelEvent[] => {
    const events = join(queue);
    queue = [];
    return events;
  };
  const pump = async (): Promise<void> => {
    if (pumping) return;
    pumping = true;
    try {
      while (open()) {
        await pause();
        const to = open();
        if (!to) return;
        const drawn = new Promise<void>((resolve) => (taken = resolve));
        batch += 1;
        await to.post({ type: "events", events: take(), batch });
        await drawn;
      }
    } finally {
      pumping = false;
    }
  };
  return {
    lead(made) {
      panel = made;
      queue = [];
      taken();
    },
    event(event) {
      if (!panel) return;
      queue.push(event);
      pump().catch((error: unknown) => log(`The panel could not be told: ${String(error)}`));
    },
    flush() {
      if (queue.length > 0) void panel?.post({ type: "events", events: take() });
    },
    drawn(number) {
      if (number === batch) taken();
    },
  };
}

/** Joins neighbouring pieces of one text, so that a burst of deltas is drawn once. Pure. */
export function join(events: readonly PanelEvent[]): PanelEvent[] {
  const joined: PanelEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const both = last && together(last, event);
    if (both) joined[joined.length - 1] = both;
    else joined.push(event);
  }
  return joined;
}
