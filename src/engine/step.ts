// What can be done about a call that has not started: start it, let it wait, or end it because it can never run.
import { readiness, type Producer } from "./dataflow.ts";
import type { Asked } from "./gate.ts";
import type { Ending } from "./results.ts";
import { resolveParams, type Lookup } from "./references.ts";
import type { Running } from "./running.ts";
import { blockers, type Scheduled } from "./schedule.ts";
import { noTouches, type Slot } from "./slot.ts";
import { lookupIn } from "./state.ts";

export type Step =
  | { readonly kind: "start"; readonly asked: Asked }
  | { readonly kind: "wait"; readonly for: readonly string[] }
  | { readonly kind: "end"; readonly ending: Ending };

export interface Stage {
  readonly slots: readonly Slot[];
  /** More calls may still come. */
  readonly open: boolean;
  /** Nothing starts before the plan has been decided. */
  readonly held: boolean;
}

/** Decides about one blocked call. Changes nothing but what the call is known to touch. */
export function nextStep(slot: Slot, { slots, open, held }: Stage, run: Running): Step {
  const { flow, asked, problem } = slot;
  if (run.signal.aborted) return { kind: "start", asked };
  if (problem !== null) return structural(problem);
  if (held || (open && !startsEarly(slot, run))) return { kind: "wait", for: [] };
  const lookup = lookupIn(run.state, flow.instance);
  const index = slots.indexOf(slot);
  const earlier = slots.slice(0, index);
  const data = readiness(flow, { earlier: producers(earlier), later: producers(slots.slice(index + 1)), lookup, open });
  if (data.kind === "waits") return { kind: "wait", for: data.for };
  return data.kind === "never" ? never(data.why) : withValues(slot, earlier, lookup, run);
}

/** Puts values in the place of references; what the call touches is known only then. */
function withValues(slot: Slot, earlier: readonly Slot[], lookup: Lookup, run: Running): Step {
  const { asked, tool } = slot;
  // Where references are off, a dagger is a letter.
  const resolved = resolveParams(run.config.dataFlow ? asked.params : {}, lookup);
  if (resolved.kind === "unresolved") return unresolved(resolved.text, resolved.error);
  const params = { ...asked.params, ...(typeof resolved.value === "object" ? resolved.value : {}) };
  slot.touches = tool?.touches(params, slot.id) ?? noTouches;
  const before = blockers(slot, unfinished(earlier));
  return before.length > 0 ? { kind: "wait", for: before } : { kind: "start", asked: { ...asked, params } };
}

function startsEarly({ tool }: Slot, { config }: Running): boolean {
  return config.earlyStart === "all" || (config.earlyStart === "read" && tool?.effect === "read");
}

function never(why: "failed" | "missing" | "notTaken"): Step {
  if (why === "notTaken") {
    const content = "Skipped: the branch that it belongs to was not taken.";
    return { kind: "end", ending: { status: "skipped", content } };
  }
  return structural(
    why === "failed"
      ? "It did not run: a call whose result it refers to failed or was refused."
      : "It did not run: nothing has written what it refers to.",
  );
}

function unresolved(text: string, error: string): Step {
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return structural(
    error === "missing"
      ? `It did not run: “${shown}” has no value, nothing has written it.`
      : `It did not run: “${shown}” is no valid reference. Where a text itself begins with †, write \\†.`,
  );
}

/** Ends a call that was found wrong before it could run. */
export function structural(content: string): Extract<Step, { kind: "end" }> {
  return { kind: "end", ending: { status: "failed", content, error: "structural" } };
}

function producers(slots: readonly Slot[]): readonly Producer[] {
  return slots.filter(({ flow }) => flow.writes.length > 0);
}

function unfinished(slots: readonly Slot[]): readonly Scheduled[] {
  return slots.filter(({ state }) => state !== "ended");
}
