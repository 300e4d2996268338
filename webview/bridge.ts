// The panel's end of the wire: posts intentions, receives views, keeps drafts for the next time the panel is opened.
import type { ToHost, ToWebview } from "../src/protocol/wire.ts";

interface VsCodeApi {
  readonly postMessage: (message: unknown) => void;
  readonly getState: () => unknown;
  readonly setState: (state: unknown) => void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface Bridge {
  readonly post: (message: ToHost) => void;
  /** @returns how to end it */
  readonly listen: (take: (message: ToWebview) => void) => () => void;
  /** What `save` was last given, from an earlier life of the panel too. */
  readonly load: () => unknown;
  readonly save: (state: unknown) => void;
}

/** Connects to the host. May be called once in the life of a page. */
export function connect(): Bridge {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    listen(take) {
      const hear = (event: MessageEvent<ToWebview>): void => take(event.data);
      window.addEventListener("message", hear);
      return () => window.removeEventListener("message", hear);
    },
    load: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
