// Between the chat and the panel: snapshots and events out; intentions in, parsed and dispatched by a map.
import type { PanelEvent } from "../protocol/events.ts";
import { ToHost, type ToWebview } from "../protocol/wire.ts";
import type { View } from "../protocol/view.ts";
import { createOutflow, type PanelEnd } from "./outflow.ts";
import { createSent } from "./slice.ts";

/** What the bridge does not answer itself. */
type Intention = Exclude<ToHost, { type: "panel:drawn" | "panel:alive" }>;

export type Handlers = {
  readonly [T in Intention["type"]]: (message: Extract<Intention, { type: T }>) => void | Promise<void>;
};

export interface Bridge {
  /** A panel has been made (or made again): it hears nothing until it says that it is ready. */
  attach(panel: PanelEnd): void;
  detach(panel: PanelEnd): void;
  /** Never rejects. */
  receive(raw: unknown): Promise<void>;
  /** Passes an event on, soon and together with its neighbours. */
  event(event: PanelEvent): void;
  /** Asks the panel whether it still works; false when there is none that could say so. */
  readonly ping: () => boolean;
  /** Sends a request of the host to the panel; the last one waits for a panel that is not ready yet. */
  readonly ask: (message: ToWebview) => void;
}

export interface BridgeOptions {
  readonly view: () => View;
  readonly handlers: Handlers;
  readonly log: (message: string) => void;
  /** Told of what the panel has asked for and did not get. */
  readonly failed: (error: unknown) => void;
  /** The panel has answered a ping. */
  readonly alive: () => void;
  /** Waits until the next batch may go: about two frames. */
  readonly pause: () => Promise<void>;
}

export function createBridge({ view, handlers, log, failed, alive, pause }: BridgeOptions): Bridge {
  let panel: PanelEnd | null = null;
  let ready = false;
  let asked: ToWebview | null = null;
  const sent = createSent(view);
  const outflow = createOutflow({ pause, log });

  const reset = (made: PanelEnd | null): void => {
    panel = made;
    ready = false;
    outflow.lead(null);
  };
  const begin = (from: string | undefined): void => {
    ready = true;
    outflow.lead(panel);
    void panel?.post({ type: "snapshot", view: sent.begin(from) });
    if (asked) pass(asked);
    asked = null;
  };
  /** True when the panel was sent turns that the host has; what it has not heard of them yet comes first. */
  const sendEarlier = (): boolean => {
    const before = panel && sent.earlier();
    if (!before) return false;
    outflow.flush();
    void panel?.post({ type: "earlier", ...before });
    return true;
  };
  /** What is to be shown may be farther up than what the panel has. */
  const pass = (message: ToWebview): void => {
    if (message.type === "sought:show") {
      outflow.flush();
      while (!sent.has(message.runId) && sendEarlier());
    }
    void panel?.post(message);
  };
  const handle = async (message: ToHost): Promise<void> => {
    if (message.type === "panel:alive") return alive();
    if (message.type === "panel:drawn") return outflow.drawn(message.batch);
    if (message.type === "panel:ready") begin(message.from);
    if (message.type === "session:earlier" && sendEarlier()) return;
    await dispatch(handlers, message);
  };
  return {
    attach: reset,
    detach: (gone) => void (panel === gone && reset(null)),
    async receive(raw) {
      const parsed = ToHost.safeParse(raw);
      if (!parsed.success) return log(`The panel sent what no host understands: ${parsed.error.message}`);
      await handle(parsed.data).catch(failed);
    },
    event(event) {
      if (sent.heard(event)) outflow.event(event);
    },
    ping() {
      if (panel && ready) void panel.post({ type: "ping" });
      return panel !== null && ready;
    },
    ask(message) {
      if (panel && ready) pass(message);
      else asked = message;
    },
  };
}

function dispatch<T extends Intention["type"]>(
  handlers: { readonly [K in T]: (message: Extract<Intention, { type: K }>) => void | Promise<void> },
  message: Extract<Intention, { type: T }>,
): void | Promise<void> {
  return handlers[message.type](message);
}
