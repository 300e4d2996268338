// Where the trace of a run opens: between the conversation and the composer. What draws it is fetched when it is opened.
import { useEffect, useState } from "preact/hooks";
import { lazy, useLazy } from "./lazy.ts";
import type { State } from "./store.ts";

export function TraceDock({ state }: { readonly state: State }) {
  const [chunk] = useState(() => lazy(() => import("./traceView.tsx")));
  const parts = useLazy(chunk);
  const { trace: runId } = state.ui;
  const turn = state.view.turns.find((one) => one.runId === runId);
  const isOpen = turn !== undefined;
  useEffect(() => {
    if (isOpen) void chunk.fetch().catch(() => undefined);
  }, [isOpen, chunk]);
  return turn && parts && <parts.TraceView key={turn.runId} turn={turn} state={state} />;
}
