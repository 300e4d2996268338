// Between the chat and the panel: events out, joined and with back-pressure; intentions in, parsed and dispatched by a map.
import type { PanelEvent } from "../protocol/events.ts";
import { together } from "../protocol/together.ts";
import { ToHost, type ToWebview } from "../protocol/wire.ts";
import type { View } from "../protocol/view.ts";

/** What the bridge needs of a webview. */
export interface PanelEnd {
  /** Resolves when the message was delivered. */
  post(message: ToWebview): PromiseLike<boolean>;
}

export type Handlers = {
  readonly [T in ToHost["type"]]: (message: Extract<ToHost, { type: T }>) => void | Promise<void>;
};

export interface Bridge {
  /** A panel has been made (or made again): it hears nothing until it says that it is ready. */
  attach(panel: PanelEnd): void;
  detach(panel: PanelEnd): void;
  receive(raw: unknown): Promise<void>;
  /** Passes an event on, soon and together with its neighbours. */
  event(event: PanelEvent): void;
  /** Sends a request of the host to the panel; the last one waits for a panel that is not ready yet. */
  readonly ask: (message: ToWebview) => void;
}

export interface BridgeOptions {
  readonly view: () => View;
  readonly handlers: Handlers;
  readonly log: (message: string) => void;
  /** Waits until the next batch may go: about two frames. */
  readonly pause: () => Promise<void>;
}

export function createBridge({ view, handlers, log, pause }: BridgeOptions): Bridge {
  let panel: PanelEnd | null = null;
  let ready = false;
  let queue: PanelEvent[] = [];
  let pumping = false;
  let asked: ToWebview | null = null;

  const open = (): PanelEnd | null => (ready && queue.length > 0 ? panel : null);
  const pump = async (): Promise<void> => {
    if (pumping) return;
    pumping = true;
    try {
      while (open()) {
        await pause();
        const to = open();
        const events = join(queue);
        queue = [];
        await to?.post({ type: "events", events });
      }
    } finally {
      pumping = false;
    }
  };
  const handle = (message: ToHost): void | Promise<void> => {
    if (message.type === "panel:ready") {
      ready = true;
      queue = [];
      void panel?.post({ type: "snapshot", view: view() });
      if (asked) void panel?.post(asked);
      asked = null;
    }
    return dispatch(handlers, message);
  };
  return {
    attach(made) {
      panel = made;
      ready = false;
      queue = [];
    },
    detach(gone) {
      if (panel !== gone) return;
      panel = null;
      ready = false;
      queue = [];
    },
    async receive(raw) {
      const parsed = ToHost.safeParse(raw);
      if (!parsed.success) return log(`The panel sent what no host understands: ${parsed.error.message}`);
      await handle(parsed.data);
    },
    event(event) {
      if (!panel || !ready) return;
      queue.push(event);
      pump().catch((error: unknown) => log(`The panel could not be told: ${String(error)}`));
    },
    ask(message) {
      if (panel && ready) void panel.post(message);
      else asked = message;
    },
  };
}

function dispatch<T extends ToHost["type"]>(
  handlers: { readonly [K in T]: (message: Extract<ToHost, { type: K }>) => void | Promise<void> },
  message: Extract<ToHost, { type: T }>,
): void | Promise<void> {
  return handlers[message.type](message);
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
