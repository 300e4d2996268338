// Where the trace of a run opens: between the conversation and the composer. What draws it is fetched when it is opened.
import { useMore } from "./context.ts";
import type { State } from "./store.ts";

export function TraceDock({ state }: { readonly state: State }) {
  const { trace: runId } = state.ui;
  const turn = state.view.turns.find((one) => one.runId === runId);
  const more = useMore(turn !== undefined);
  return turn && more && <more.TraceView key={turn.runId} turn={turn} state={state} />;
}
