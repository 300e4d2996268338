// What waits for a person: a choice about the run, a plan, calls; each has an id of its own.
import { pendingCalls, pendingPause, pendingPlan } from "../src/protocol/view.ts";
import type { View } from "../src/protocol/view.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { PauseItem, PlanItem } from "../src/protocol/viewTurn.ts";

export type Waiting = PauseItem | PlanItem | CallItem;

/** In the order of the list: what holds up the most comes first. */
export function waitingIn(view: View): readonly Waiting[] {
  const pause = pendingPause(view);
  const plan = pendingPlan(view);
  return [...(pause ? [pause] : []), ...(plan ? [plan] : []), ...pendingCalls(view)];
}

export function isCall(item: Waiting): item is CallItem {
  return item.kind === "call";
}
