// The panel's end of the wire: posts intentions, receives views, keeps drafts for the next time the panel is opened.
import type { ToHost, ToWebview } from "../src/protocol/wire.ts";

interface VsCodeApi {
  readonly postMessage: (message: unknown) => void;
  readonly getState: () => unknown;
  readonly setState: (state: unknown) => void;
}

declare global {
  /** Set by the page before any script is loaded: it has told the host already that the panel is ready. */
  var brainEarly: { readonly api: VsCodeApi; readonly come: readonly ToWebview[]; readonly end: () => void };
}

export interface Bridge {
  readonly post: (message: ToHost) => void;
  /** @returns how to end it */
  readonly listen: (take: (message: ToWebview) => void) => () => void;
  /** Nothing is handed out before; then first what has come by then. */
  readonly begin: () => void;
  /** What `save` was last given, from an earlier life of the panel too. */
  readonly load: () => unknown;
  readonly save: (state: unknown) => void;
}

/** Connects to the host. May be called once in the life of a page. */
export function connect(): Bridge {
  const { api, come, end } = globalThis.brainEarly;
  const takers = new Set<(message: ToWebview) => void>();
  const pass = (message: ToWebview): void => {
    for (const take of takers) take(message);
  };
  return {
    post: (message) => api.postMessage(message),
    listen(take) {
      takers.add(take);
      return () => takers.delete(take);
    },
    begin() {
      end();
      for (const message of come) pass(message);
      window.addEventListener("message", (event: MessageEvent<ToWebview>) => pass(event.data));
    },
    load: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
