// A plan: its steps in an order in which they can run, what each comes directly after, and how far it has come.
import type { PlanStep } from "../src/protocol/messages.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item, PlanItem } from "../src/protocol/viewTurn.ts";
import { count } from "./words.ts";

/** How many times a step of the plan comes after another, shortcuts not counted. */
export function edgesOf(steps: readonly PlanStep[]): number {
  return [...withoutDetours(inOrder(steps)).values()].flat().length;
}

/** The steps as they are written, but each after those it comes after. */
export function inOrder(steps: readonly PlanStep[]): readonly PlanStep[] {
  const known = new Set(steps.map((step) => step.toolCallId));
  const placed = new Set<string>();
  const order: PlanStep[] = [];
  let rest = steps;
  for (;;) {
    const next = rest.find((step) => step.after.every((id) => placed.has(id) || !known.has(id)));
    if (!next) return [...order, ...rest];
    placed.add(next.toolCallId);
    order.push(next);
    rest = rest.filter((step) => step !== next);
  }
}

/** For each step the ids of those directly before it: what already comes before one of them is left out. */
export function withoutDetours(order: readonly PlanStep[]): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, ReadonlySet<string>>();
  const direct = new Map<string, readonly string[]>();
  for (const { toolCallId, after } of order) {
    const known = [...new Set(after)].filter((id) => before.has(id));
    const far = new Set(known.flatMap((id) => [...(before.get(id) ?? [])]));
    direct.set(
      toolCallId,
      known.filter((id) => !far.has(id)),
    );
    before.set(toolCallId, new Set([...known, ...far]));
  }
  return direct;
}

export type PlanCalls = ReadonlyMap<string, CallItem>;

/** The calls of a plan by id, as they stand now. */
export function callsOfPlan(plan: PlanItem, items: readonly Item[]): PlanCalls {
  const ids = new Set(plan.steps.map((step) => step.toolCallId));
  const calls = items.filter((item): item is CallItem => item.kind === "call" && ids.has(item.id));
  return new Map(calls.map((call) => [call.id, call]));
}

/** "2 done, 1 running, 2 to come". */
export function progressOf(plan: PlanItem, calls: PlanCalls): string {
  const states = plan.steps.map((step) => kindOf(calls.get(step.toolCallId)?.state));
  const kinds = ["done", "not done", "running", "waiting", "to come"] as const;
  const counts = kinds.map((kind) => [kind, states.filter((state) => state === kind).length] as const);
  const told = counts.filter(([, number]) => number > 0);
  const [only] = told;
  if (told.length === 1 && only?.[0] === "done") return "all done";
  return told.map(([kind, number]) => `${number} ${kind}`).join(", ");
}

type Progress = "done" | "not done" | "running" | "waiting" | "to come";

function kindOf(state: CallItem["state"] | undefined): Progress {
  switch (state) {
    case "succeeded":
      return "done";
    case "failed":
    case "rejected":
    case "denied":
    case "cancelled":
    case "skipped":
      return "not done";
    case "running":
      return "running";
    case "pending":
      return "waiting";
    case "streaming":
    case "blocked":
    case "ready":
    case undefined:
      return "to come";
  }
}

/** "Plan of 5 calls". */
export function planTitle({ steps }: PlanItem): string {
  return `Plan of ${count(steps.length, "call")}`;
}
