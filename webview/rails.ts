// A plan as a list with rails: where the dot of each step is, and the lines from step to step.
import type { PlanStep } from "../src/protocol/messages.ts";
import { inOrder, withoutDetours } from "./plan.ts";

export interface PlanRow {
  readonly step: PlanStep;
  /** The steps it comes after, without those that come before them anyway. */
  readonly after: readonly PlanStep[];
  /** Where its dot is. */
  readonly lane: number;
  /** Lanes whose line goes on from the row above to the row below. */
  readonly through: readonly number[];
  /** Lanes whose line comes from above and leads into the dot. */
  readonly into: readonly number[];
  /** A line goes down from the dot. */
  readonly leads: boolean;
}

/** More lines side by side than an eye can follow in a side bar. */
const mostLanes = 6;

/** The rows of a plan. Steps that wait for each other in a circle come last, without lines. */
export function rowsOfPlan(steps: readonly PlanStep[]): readonly PlanRow[] {
  const order = inOrder(steps);
  const after = withoutDetours(order);
  const consumers = new Map<string, number>();
  for (const id of [...after.values()].flat()) consumers.set(id, (consumers.get(id) ?? 0) + 1);
  const byId = new Map(steps.map((step) => [step.toolCallId, step]));
  const lanes: (string | null)[] = [];
  return order.map((step) => {
    const id = step.toolCallId;
    const producers = after.get(id) ?? [];
    const into = producers.map((producer) => lanes.indexOf(producer)).toSorted((a, b) => a - b);
    for (const producer of producers) {
      const left = (consumers.get(producer) ?? 1) - 1;
      consumers.set(producer, left);
      if (left === 0) lanes[lanes.indexOf(producer)] = null;
    }
    const through = lanes.flatMap((owner, lane) => (owner === null ? [] : [lane]));
    const lane = into.find((one) => lanes[one] === null) ?? freeLane(lanes);
    const leads = (consumers.get(id) ?? 0) > 0;
    if (leads) lanes[lane] = id;
    const names = producers.flatMap((producer) => byId.get(producer) ?? []);
    return { step, after: names, lane, through, into, leads };
  });
}

/** Lanes that the rails of these rows need; 0 when there is nothing to draw or too much of it. */
export function lanesOf(rows: readonly PlanRow[]): number {
  if (rows.every((row) => row.after.length === 0)) return 0;
  const needed = Math.max(...rows.map((row) => Math.max(row.lane, ...row.through, ...row.into))) + 1;
  return needed > mostLanes ? 0 : needed;
}

function freeLane(lanes: readonly (string | null)[]): number {
  const free = lanes.indexOf(null);
  return free === -1 ? lanes.length : free;
}
