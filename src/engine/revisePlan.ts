// What a person made of a plan before it begins: steps taken out, steps with other parameters; checked as the plan itself was. Pure.
import type { Params, PlanChanges, PlanStep, Verdict } from "../protocol/messages.ts";
import { planOf } from "./plan.ts";
import type { Tool } from "./ports.ts";
import type { Running } from "./running.ts";
import { createSlot, type Slot } from "./slot.ts";

export interface RevisedPlan {
  readonly removed: ReadonlySet<string>;
  /** The changed calls, by id. */
  readonly changed: ReadonlyMap<string, Slot>;
  /** Of what is left. */
  readonly steps: readonly PlanStep[];
  /** Why it cannot run like this, for the person; null when it can. */
  readonly problem: string | null;
}

/**
 * Applies the changes of a person to the calls of a plan; starts nothing.
 * @param about who changed it, and when
 */
export function revisePlan(
  slots: readonly Slot[],
  changes: PlanChanges,
  about: Pick<Verdict, "by" | "at">,
  run: Running,
): RevisedPlan {
  const removed = new Set(changes.removed);
  const wanted = new Map(changes.changed.map(({ toolCallId, params }) => [toolCallId, params]));
  const problems = [...removed, ...wanted.keys()]
    .filter((id) => !slots.some((slot) => slot.id === id))
    .map((id) => `There is no call ${id} in this plan.`);
  const left = slots
    .filter(({ id }) => !removed.has(id))
    .map((slot) => {
      const params = wanted.get(slot.id);
      return params ? withParams(slot, params, about, run) : slot;
    });
  const changed = new Map(left.flatMap((slot) => (wanted.has(slot.id) ? [[slot.id, slot] as const] : [])));
  problems.push(...[...changed.values()].flatMap((slot) => problemsOf(slot, run)));
  const { steps, problem } = planOf(left, run);
  if (problem !== null) problems.push(problem);
  return { removed, changed, steps, problem: problems[0] ?? null };
}

/** The same call, asked for with other parameters. Where its result goes stays the model's to say. */
function withParams(slot: Slot, given: Params, { by, at }: Pick<Verdict, "by" | "at">, run: Running): Slot {
  const { call, fields, reason } = slot.asked;
  const params = Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith("_")));
  const made = createSlot({ ...call, arguments: JSON.stringify({ ...params, ...fields }) }, run);
  const verdict: Verdict = { decision: { kind: "modify", params }, by, at };
  return { ...made, asked: { ...made.asked, call, reason, changed: verdict } };
}

/** A value that is not there yet cannot be looked at: its call is checked when it is. */
function problemsOf({ problem, asked, flow, tool }: Slot, run: Running): readonly string[] {
  if (problem !== null) return [problem];
  if (!tool || flow.reads.length > 0) return [];
  return run.ports
    .validate(tool.parameters, asked.params)
    .map((sentence) => `${wordsFor(tool, asked.params)}: ${sentence}`);
}

function wordsFor(tool: Tool, params: Params): string {
  const { verb, subject } = tool.label(params);
  return `${verb} ${subject}`.trim();
}
