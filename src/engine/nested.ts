// A delegate's events as those of its call: its calls under names of their own, its words as the call's live output.
import type { LoopEvent } from "../protocol/events.ts";
import { renamedDecision, renamedSteps } from "../protocol/planIds.ts";
import { nestedId } from "../protocol/replay.ts";
import type { Emit } from "./ports.ts";

/** Wraps `emit` for a run that works for a call; what it says of itself as a run goes no further. */
export function nestedEmit(toolCallId: string, emit: Emit, output: (chunk: string) => void): Emit {
  return (event) => {
    if (event.type === "stream:delta") output(event.content);
    else if (event.type === "message:end" && event.interim) output("\n");
    else if (!unheard.has(event.type)) emit(outside(event, toolCallId));
  };
}

const unheard: ReadonlySet<LoopEvent["type"]> = new Set([
  "loop:execute",
  "stream:thinking",
  "message:end",
  "context:estimate",
  "context:pruned",
  "context:compacting",
  "context:compacted",
]);

function outside(event: LoopEvent, within: string): LoopEvent {
  const inner = (id: string): string => nestedId(within, id);
  switch (event.type) {
    case "call:streaming":
      return {
        ...event,
        toolCallId: inner(event.toolCallId),
        within: event.within === undefined ? within : inner(event.within),
      };
    case "call:blocked":
      return { ...event, toolCallId: inner(event.toolCallId), waitsFor: event.waitsFor.map(inner) };
    case "plan:proposed": {
      const steps = renamedSteps(event.steps, inner);
      const params =
        event.params && Object.fromEntries(Object.entries(event.params).map(([id, own]) => [inner(id), own]));
      return { ...event, steps, ...(params && { params }) };
    }
    case "plan:decided": {
      const steps = event.steps && renamedSteps(event.steps, inner);
      return { ...event, decision: renamedDecision(event.decision, inner), ...(steps && { steps }) };
    }
    default:
      return "toolCallId" in event ? { ...event, toolCallId: inner(event.toolCallId) } : event;
  }
}
