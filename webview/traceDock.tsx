// Where the trace of a run opens: between the conversation and the composer. What draws it is fetched when it is opened.
import { lazy, useFetched } from "./lazy.ts";
import type { State } from "./store.ts";

const chunk = lazy(() => import("./traceView.tsx"));

export function TraceDock({ state }: { readonly state: State }) {
  const turn = state.view.turns.find((one) => one.runId === state.ui.trace);
  const parts = useFetched(chunk, turn !== undefined);
  return turn && parts && <parts.TraceView key={turn.runId} turn={turn} state={state} />;
}
