// A plan: its steps in an order in which they can run, what each comes directly after, and how far it has come.
import type { PlanStep } from "../src/protocol/messages.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item, PlanItem } from "../src/protocol/viewTurn.ts";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

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
  if (states.length > 0 && states.every((state) => state === "done")) return t("all done");
  const counts = kinds.map((kind) => [kind, states.filter((state) => state === kind).length] as const);
  return counts
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => inWords[kind](number))
    .join(", ");
}

const kinds = ["done", "not done", "running", "waiting", "to come"] as const;
type Progress = (typeof kinds)[number];

const inWords: Readonly<Record<Progress, (number: number) => string>> = {
  done: (number) => t("{0} done", number),
  "not done": (number) => t("{0} not done", number),
  running: (number) => t("{0} running", number),
  waiting: (number) => t("{0} waiting", number),
  "to come": (number) => t("{0} to come", number),
};

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
  return count("Plan of {0} call", "Plan of {0} calls", steps.length);
}
