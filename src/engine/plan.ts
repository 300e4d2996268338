// The calls of a reply as a whole: a graph that can be checked and shown before anything of it runs (DIGEST 1.14).
import type { PlanStep } from "../protocol/messages.ts";
import { nameOf, overlap } from "./dataflow.ts";
import { labelOf } from "./gate.ts";
import type { Reference } from "./references.ts";
import type { Running } from "./running.ts";
import { blockers } from "./schedule.ts";
import type { Slot } from "./slot.ts";
import { lookupIn } from "./state.ts";

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Why it cannot run: a cycle, or a reference that nothing will write; null when it can (LOOP-PLAN-2). */
  readonly problem: string | null;
}

/** Draws the graph of some calls, none of which has to have run. */
export function planOf(slots: readonly Slot[], run: Running): Plan {
  const problems: string[] = [];
  const steps = slots.map((slot, index): PlanStep => {
    const { after, missing } = dataEdges(slot, index, slots, run);
    if (missing !== null) problems.push(`“${missing}” in call ${slot.id} is written by no call.`);
    const order = blockers(slot, slots.slice(0, index));
    const label = labelOf(slot.asked, slot.tool);
    return { toolCallId: slot.id, toolName: slot.asked.call.name, label, after: [...new Set([...after, ...order])] };
  });
  const cycle = findCycle(steps);
  if (cycle) problems.unshift(`The calls wait for each other: ${cycle.join(" → ")}.`);
  return { steps, problem: problems[0] ?? null };
}

interface Edges {
  readonly after: readonly string[];
  /** A reference that can never have a value. */
  readonly missing: string | null;
}

function dataEdges(slot: Slot, index: number, slots: readonly Slot[], run: Running): Edges {
  const lookup = lookupIn(run.state, slot.flow.instance);
  const after: string[] = [];
  let missing: string | null = null;
  for (const expression of slot.flow.reads) {
    let possible = false;
    for (const all of expression) {
      const each = all.map((reference) => ({
        reference,
        from: producersOf(reference, slot, slots, index),
        found: lookup(reference).found,
      }));
      for (const { from, found } of each) after.push(...(from.earlier.length > 0 || found ? from.earlier : from.later));
      possible ||= each.every(({ from, found }) => found || from.earlier.length + from.later.length > 0);
    }
    if (!possible) missing ??= expression.map((all) => all.map(nameOf).join(" && ")).join(" || ");
  }
  return { after, missing };
}

/** A call that writes what it reads is its own producer: alone, it waits for itself. */
function producersOf(
  reference: Reference,
  { flow }: Slot,
  slots: readonly Slot[],
  index: number,
): { earlier: readonly string[]; later: readonly string[] } {
  const writes = ({ flow: other }: Slot): boolean =>
    (other.instance === undefined || other.instance === flow.instance) &&
    other.writes.flat().some((place) => overlap(place, reference));
  const ids = (some: readonly Slot[]): readonly string[] => some.filter(writes).map(({ id }) => id);
  return { earlier: ids(slots.slice(0, index)), later: ids(slots.slice(index)) };
}

/** The ids along a cycle, the first again at the end; null when there is none. */
function findCycle(steps: readonly PlanStep[]): readonly string[] | null {
  const done = new Set<string>();
  const byId = new Map(steps.map((step) => [step.toolCallId, step]));
  const visit = (id: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id].toReversed();
    if (done.has(id)) return null;
    for (const before of byId.get(id)?.after ?? []) {
      const cycle = visit(before, [...path, id]);
      if (cycle) return cycle;
    }
    done.add(id);
    return null;
  };
  for (const { toolCallId } of steps) {
    const cycle = visit(toolCallId, []);
    if (cycle) return cycle;
  }
  return null;
}
