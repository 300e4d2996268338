// What a person is making of a plan that waits: steps taken out and changed ones, until it begins. Pure.
import type { Params, PlanDecision } from "../src/protocol/messages.ts";
import type { PlanItem } from "../src/protocol/viewTurn.ts";
import { sameParams } from "./formModel.ts";
import type { Proposal } from "./formModel.ts";
import { isRecord, without } from "./ui.ts";
import type { PlanDraft } from "./ui.ts";

export const noDraft: PlanDraft = { removed: [], changed: {}, editing: null };

/** Takes a step out of the plan, or puts it back. */
export function withRemoved(draft: PlanDraft, id: string): PlanDraft {
  const removed = draft.removed.includes(id) ? draft.removed.filter((one) => one !== id) : [...draft.removed, id];
  return { ...draft, removed, editing: draft.editing === id ? null : draft.editing };
}

/** Changes a step; back to what the model wrote is no change. */
export function withChanged(draft: PlanDraft, id: string, params: Params, proposed: Params): PlanDraft {
  const rest = without(draft.changed, id);
  return { ...draft, changed: sameParams(params, proposed) ? rest : { ...rest, [id]: params }, editing: null };
}

/** The form of a step. A reference stands where a value of any kind will be: it is text until then. */
export function proposalOf(schema: Params, params: Params): Proposal {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const typed = Object.entries(properties).map(([key, property]) => {
    const value = params[key];
    const isReference = typeof value === "string" && value.startsWith("†");
    const words = isRecord(property) ? property["description"] : undefined;
    return [key, isReference ? { type: "string", ...(typeof words === "string" && { description: words }) } : property];
  });
  return { schema: { ...schema, properties: Object.fromEntries(typed) }, params };
}

/** The decision with what was made of the plan. One of which nothing is left is refused. */
export function decisionWith(decision: PlanDecision, { steps }: PlanItem, draft: PlanDraft | undefined): PlanDecision {
  if (decision.kind === "reject" || !draft) return decision;
  const known = new Set(steps.map(({ toolCallId }) => toolCallId));
  const removed = draft.removed.filter((id) => known.has(id));
  if (removed.length === steps.length) return { kind: "reject", reason: "All of its steps were taken out." };
  const changed = Object.entries(draft.changed)
    .filter(([id]) => known.has(id) && !removed.includes(id))
    .map(([toolCallId, params]) => ({ toolCallId, params }));
  return removed.length + changed.length === 0 ? decision : { ...decision, changes: { removed, changed } };
}
