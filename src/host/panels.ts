// The panels that are open, in the side bar and in editor tabs: all show the one conversation, and the host turns to the one that a person sees.
import type { PanelEvent } from "../protocol/events.ts";
import type { ToWebview } from "../protocol/wire.ts";
import type { Bridge } from "./bridge.ts";
import type { PanelEnd } from "./outflow.ts";

/** What has to be known of a panel. */
export interface Place extends PanelEnd {
  readonly visible: () => boolean;
}

export interface Panels<P extends Place> {
  /** A panel was opened, with a bridge of its own; it is the one that was used last. */
  readonly add: (panel: P, bridge: Bridge) => void;
  readonly remove: (panel: P) => void;
  /** A person has come to this panel. */
  readonly used: (panel: P) => void;
  /** Passes an event on to all. */
  readonly event: (event: PanelEvent) => void;
  /** Sends a request of the host to the panel in front; the last one waits for the first panel. */
  readonly ask: (message: ToWebview) => void;
  /** The one that was used last of those that can be seen, or else of all. */
  readonly front: () => P | null;
  readonly all: () => readonly P[];
}

export function createPanels<P extends Place>(): Panels<P> {
  let open: readonly { readonly panel: P; readonly bridge: Bridge }[] = [];
  let asked: ToWebview | null = null;
  const front = () => open.find(({ panel }) => panel.visible()) ?? open[0];
  return {
    add(panel, bridge) {
      open = [{ panel, bridge }, ...open];
      bridge.attach(panel);
      if (asked) bridge.ask(asked);
      asked = null;
    },
    remove(panel) {
      open.find((one) => one.panel === panel)?.bridge.detach(panel);
      open = open.filter((one) => one.panel !== panel);
    },
    used(panel) {
      open = open.toSorted((a, b) => Number(b.panel === panel) - Number(a.panel === panel));
    },
    event: (event) => {
      for (const { bridge } of open) bridge.event(event);
    },
    ask(message) {
      const to = front();
      if (to) to.bridge.ask(message);
      else asked = message;
    },
    front: () => front()?.panel ?? null,
    all: () => open.map(({ panel }) => panel),
  };
}
