// A plan under other names for its calls: those of a delegate have their own ids inside, and longer ones outside of it. Pure.
import type { PlanDecision, PlanStep } from "./messages.ts";

type Rename = (toolCallId: string) => string;

export function renamedSteps(steps: readonly PlanStep[], name: Rename): PlanStep[] {
  return steps.map((step) => ({ ...step, toolCallId: name(step.toolCallId), after: step.after.map(name) }));
}

export function renamedDecision(decision: PlanDecision, name: Rename): PlanDecision {
  if (decision.kind === "reject" || !decision.changes) return decision;
  const { removed, changed } = decision.changes;
  const changes = {
    removed: removed.map(name),
    changed: changed.map((one) => ({ ...one, toolCallId: name(one.toolCallId) })),
  };
  return { ...decision, changes };
}
