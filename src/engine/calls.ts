// The calls of one reply: each starts as soon as nothing stands in its way, and every one ends in exactly one result.
import type { ToolCall } from "../protocol/messages.ts";
import { decidePlan, type PlanOutcome, type PlanRevision } from "./decidePlan.ts";
import { labelOf, rejection, type Asked } from "./gate.ts";
import { endWithout, performCall, type CallRecord, type Doing, type ScheduledRecord } from "./perform.ts";
import type { Reference } from "./references.ts";
import { keepResult, type Ending, type Kept } from "./results.ts";
import type { Running } from "./running.ts";
import { createSlot, type Slot } from "./slot.ts";
import { visibleIn } from "./state.ts";
import { nextStep, structural } from "./step.ts";

export interface Batch {
  /** A call is complete on the wire: it is shown, and starts when it can. */
  readonly add: (call: ToolCall) => void;
  /**
   * No more calls will come. Resolves when every call has ended; results in call order (LOOP-INNER-9). Never rejects, and
   * never hangs: what can never run ends with the reason (C-19).
   */
  readonly settled: () => Promise<readonly CallRecord[]>;
}

/** The calls of one reply, and how far they are together. */
interface Reply {
  readonly run: Running;
  readonly slots: Slot[];
  readonly work: Promise<void>[];
  readonly ended: (record: ScheduledRecord) => void;
  readonly announce: Doing["announce"];
  /** More calls may still come. */
  open: boolean;
  /** Nothing starts before the plan has been decided. */
  held: boolean;
}

/**
 * Collects the calls of one reply and drives them by two events only: a call arrived, a call ended.
 * @param ended told of every call right after its `tool:end`, in the order in which they end
 * @param announce asked before each call that changes something
 */
export function createBatch(
  run: Running,
  ended: (record: ScheduledRecord) => void,
  announce: Doing["announce"] = () => null,
): Batch {
  const reply: Reply = { run, slots: [], work: [], ended, announce, open: true, held: run.config.plan === "lazy" };
  return {
    add(call) {
      reply.slots.push(createSlot(call, run));
      scan(reply);
    },
    async settled() {
      reply.open = false;
      scan(reply);
      const sound = reply.slots.filter(({ problem }) => problem === null);
      // Calls that are not held do not wait until their graph is drawn.
      const deciding = sound.length === 0 || run.signal.aborted ? null : decidePlan(sound, run);
      if (reply.held) release(reply, await deciding);
      // Ending one call can start another, so the list may grow while it is awaited.
      for (let done = 0; done < reply.work.length; done++) await reply.work[done];
      return reply.slots.flatMap((slot) => slot.record ?? []);
    },
  };
}

function scan(reply: Reply): void {
  let again = true;
  while (again) {
    again = reply.slots.filter(({ state }) => state === "blocked").some((slot) => look(reply, slot));
    if (!again && !reply.open && !reply.held) again = giveUp(reply);
  }
}

/** True when something ended at once, so that others may look again. */
function look(reply: Reply, slot: Slot): boolean {
  const next = nextStep(slot, reply, reply.run);
  if (next.kind === "start") {
    slot.state = "started";
    reply.work.push(perform(reply, slot, next.asked));
  } else if (next.kind === "end") endNow(reply, slot, next.ending);
  else block(slot, next.for, reply.run);
  return next.kind === "end";
}

async function perform(reply: Reply, slot: Slot, asked: Asked): Promise<void> {
  const { run } = reply;
  const { keep, wrote } = keeping(slot, run);
  const sees = { data: visibleIn(run.state, slot.flow.instance, slot.scopes), scopes: slot.scopes };
  const record = await performCall({ asked, tool: slot.tool, sees, keep, announce: reply.announce }, run);
  end(reply, slot, { record, wrote: wrote() });
  scan(reply);
}

/** At quiescence, what still waits for data waits for ever: the first of them ends, which may free the others. */
function giveUp(reply: Reply): boolean {
  const stuck = reply.slots.find(({ state }) => state === "blocked");
  if (!stuck || reply.slots.some(({ state }) => state === "started")) return false;
  const why = "It did not run: what it refers to is written by no call that could run before it.";
  endNow(reply, stuck, structural(why).ending);
  return true;
}

/** The plan has been decided: its calls may start, or none of them does. */
function release(reply: Reply, outcome: PlanOutcome | null): void {
  reply.held = false;
  if (outcome?.kind === "go" && outcome.changes) revise(reply, outcome.changes);
  const waiting = reply.slots.filter(({ state }) => state === "blocked");
  if (outcome?.kind === "refused") {
    const { status, content } = outcome;
    for (const slot of waiting)
      endNow(reply, slot, { status, content, ...(status === "failed" && { error: "structural" }) });
  } else if (outcome?.approved) for (const slot of waiting) slot.asked = { ...slot.asked, approved: isWhole(slot) };
  scan(reply);
}

/** Puts what a person made of the plan in the place of what was proposed. */
function revise(reply: Reply, { plan, by, at }: PlanRevision): void {
  const { run, slots } = reply;
  for (const [index, slot] of slots.entries()) slots[index] = plan.changed.get(slot.id) ?? slot;
  const decision = { kind: "reject", reason: "Removed from the plan." } as const;
  const content = rejection(decision.reason, by);
  for (const slot of slots.filter(({ id }) => plan.removed.has(id))) {
    run.emit({ type: "call:decided", runId: run.runId, toolCallId: slot.id, decision, by });
    endNow(reply, slot, { status: "rejected", content, verdict: { decision, by, at } });
  }
}

function endNow(reply: Reply, slot: Slot, ending: Ending & Pick<CallRecord, "verdict">): void {
  const { keep, wrote } = keeping(slot, reply.run);
  const record = endWithout({ ...slot, keep }, ending, reply.run);
  end(reply, slot, { record, wrote: wrote() });
}

function end(reply: Reply, slot: Slot, { record, wrote }: { record: CallRecord; wrote: readonly Reference[] }): void {
  const { waitsFor } = slot;
  const told = waitsFor && waitsFor.length > 0 ? { ...record, after: waitsFor } : record;
  slot.record = told;
  slot.wrote = wrote;
  slot.state = "ended";
  reply.ended({ ...told, effect: slot.tool?.effect ?? "read", touches: slot.touches });
}

/** What was shown in a plan is approved with it only where nothing is added or mended later. */
function isWhole({ flow, asked }: Slot): boolean {
  return flow.reads.length === 0 && !asked.repaired;
}

/** Keeps one result, and remembers where. */
function keeping({ flow }: Slot, run: Running): { keep: (ending: Ending) => Kept; wrote: () => readonly Reference[] } {
  let wrote: readonly Reference[] = [];
  return {
    keep(ending) {
      const kept = keepResult(flow, ending, run.state);
      wrote = kept.wrote;
      return kept;
    },
    wrote: () => wrote,
  };
}

function block(slot: Slot, waitsFor: readonly string[], run: Running): void {
  if (waitsFor.join() === slot.waitsFor?.join()) return;
  slot.waitsFor = waitsFor;
  const label = labelOf(slot.asked, slot.tool);
  run.emit({ type: "call:blocked", runId: run.runId, toolCallId: slot.id, label, waitsFor: [...waitsFor] });
}
