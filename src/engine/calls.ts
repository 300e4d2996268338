// The calls of one reply: each starts as soon as nothing stands in its way, and every one ends in exactly one result.
import type { ToolCall } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { flowOf, nameOf, readiness, type Flow, type Producer } from "./dataflow.ts";
import { labelOf, type Asked } from "./gate.ts";
import { endWithout, performCall, type CallRecord, type Ending } from "./perform.ts";
import type { Tool, Touches } from "./ports.ts";
import { follow, resolveParams, type Reference } from "./references.ts";
import type { Running } from "./running.ts";
import { blockers, type Scheduled } from "./schedule.ts";
import { lookupIn, writing } from "./state.ts";

interface Slot {
  readonly id: string;
  readonly asked: Asked;
  readonly tool: Tool | undefined;
  readonly flow: Flow;
  /** What is wrong with the call before anything else is looked at. */
  readonly problem: string | null;
  touches: Touches;
  state: "blocked" | "started" | "ended";
  waitsFor: readonly string[] | null;
  /** Null while it may still write. */
  wrote: readonly Reference[] | null;
  record?: CallRecord;
}

export interface Batch {
  /** A call is complete on the wire: it is shown, and starts when it can. */
  readonly add: (call: ToolCall) => void;
  /**
   * No more calls will come. Resolves when every call has ended; results in call order (LOOP-INNER-9). Never rejects, and
   * never hangs: what can never run ends with the reason (C-19).
   */
  readonly settled: () => Promise<readonly CallRecord[]>;
}

const nothing: Touches = { reads: [], writes: [], runs: false };
const anything: Touches = { reads: [], writes: [], runs: true };
const noFlow: Flow = { reads: [], writes: [], method: "set", instance: undefined };

/**
 * Collects the calls of one reply and drives them by two events only: a call arrived, a call ended.
 * @param ended told of every call right after its `tool:end`, in the order in which they end
 */
export function createBatch(run: Running, ended: (record: CallRecord) => void): Batch {
  const slots: Slot[] = [];
  const work: Promise<void>[] = [];
  let open = true;

  const end = (slot: Slot, record: CallRecord, wrote: readonly Reference[]): void => {
    slot.record = record;
    slot.wrote = wrote;
    slot.state = "ended";
    ended(record);
  };
  const perform = async (slot: Slot, asked: Asked): Promise<void> => {
    let wrote: readonly Reference[] = [];
    const record = await performCall(asked, slot.tool, run, (ending) => {
      wrote = placesFor(slot.flow, ending);
      return keep(slot.flow, ending, wrote, run);
    });
    end(slot, record, wrote);
    scan();
  };
  /** True when something ended at once, so that others may look again. */
  const look = (slot: Slot): boolean => {
    const next = nextStep(slot, slots, run, open);
    if (next.kind === "start") {
      slot.state = "started";
      work.push(perform(slot, next.asked));
    } else if (next.kind === "end") {
      end(slot, endWithout(slot.asked.call, slot.tool, next, run), []);
    } else block(slot, next.for, run);
    return next.kind === "end";
  };
  const scan = (): void => {
    let again = true;
    while (again) {
      again = slots.filter(({ state }) => state === "blocked").some(look);
      if (!again && !open) again = giveUp();
    }
  };
  /** At quiescence, what still waits for data waits for ever: the first of them ends, which may free the others. */
  const giveUp = (): boolean => {
    const stuck = slots.find(({ state }) => state === "blocked");
    if (!stuck || slots.some(({ state }) => state === "started")) return false;
    const content = "It did not run: what it refers to is written by no call that could run before it.";
    end(stuck, endWithout(stuck.asked.call, stuck.tool, { status: "failed", content }, run), []);
    return true;
  };

  return {
    add(call) {
      slots.push(createSlot(call, run));
      scan();
    },
    async settled() {
      open = false;
      scan();
      // Ending one call can start another, so the list may grow while it is awaited.
      for (let done = 0; done < work.length; done++) await work[done];
      return slots.flatMap((slot) => slot.record ?? []);
    },
  };
}

function createSlot(call: ToolCall, run: Running): Slot {
  const tool = run.tools.find((candidate) => candidate.name === call.name);
  const parsed = parseArguments(call);
  const read = parsed.kind === "parsed" ? flowOf(parsed.params, parsed.fields) : parsed.problem;
  const [flow, problem] = typeof read === "string" ? [noFlow, read] : [read, null];
  const params = parsed.kind === "parsed" ? parsed.params : {};
  const reason = parsed.kind === "parsed" ? parsed.reason : undefined;
  // What a reference will name is not known yet: until then a call that changes something may touch anything.
  const unknown = tool?.effect === "read" ? nothing : anything;
  const touches = flow.reads.length > 0 ? unknown : (tool?.touches(params) ?? nothing);
  const asked = { call, params, reason };
  return { id: call.id, asked, tool, flow, problem, touches, state: "blocked", waitsFor: null, wrote: null };
}

type Step =
  | { readonly kind: "start"; readonly asked: Asked }
  | { readonly kind: "wait"; readonly for: readonly string[] }
  | { readonly kind: "end"; readonly status: "failed" | "skipped" | "cancelled"; readonly content: string };

/** What can be done about a blocked call now. */
function nextStep(slot: Slot, slots: readonly Slot[], run: Running, open: boolean): Step {
  const { flow, asked, problem } = slot;
  if (run.signal.aborted) return { kind: "start", asked };
  if (problem !== null) return { kind: "end", status: "failed", content: problem };
  if (open && !startsEarly(slot, run)) return { kind: "wait", for: [] };
  const index = slots.indexOf(slot);
  const earlier = slots.slice(0, index);
  const lookup = lookupIn(run.state, flow.instance);
  const data = readiness(flow, { earlier: producers(earlier), later: producers(slots.slice(index + 1)), lookup, open });
  if (data.kind === "waits") return { kind: "wait", for: data.for };
  if (data.kind === "never") return never(data.why);
  const resolved = resolveParams(asked.params, lookup);
  if (resolved.kind === "unresolved") return unresolved(resolved.text, resolved.error);
  const params = { ...asked.params, ...(typeof resolved.value === "object" ? resolved.value : {}) };
  slot.touches = slot.tool?.touches(params) ?? nothing;
  const before = blockers(slot, unfinished(earlier));
  return before.length > 0 ? { kind: "wait", for: before } : { kind: "start", asked: { ...asked, params } };
}

function startsEarly({ tool }: Slot, { config }: Running): boolean {
  return config.earlyStart === "all" || (config.earlyStart === "read" && tool?.effect === "read");
}

function never(why: "failed" | "missing" | "notTaken"): Step {
  if (why === "notTaken")
    return { kind: "end", status: "skipped", content: "Skipped: the branch that it belongs to was not taken." };
  const content =
    why === "failed"
      ? "It did not run: a call whose result it refers to failed or was refused."
      : "It did not run: nothing has written what it refers to.";
  return { kind: "end", status: "failed", content };
}

function unresolved(text: string, error: string): Step {
  const why = error === "missing" ? "nothing has written it" : "it is no valid reference";
  return { kind: "end", status: "failed", content: `It did not run: “${text}” has no value, ${why}.` };
}

function producers(slots: readonly Slot[]): readonly Producer[] {
  return slots.filter(({ flow }) => flow.writes.length > 0);
}

function unfinished(slots: readonly Slot[]): readonly Scheduled[] {
  return slots.filter(({ state }) => state !== "ended");
}

function block(slot: Slot, waitsFor: readonly string[], run: Running): void {
  if (waitsFor.join() === slot.waitsFor?.join()) return;
  slot.waitsFor = waitsFor;
  const label = labelOf(slot.asked.call, slot.tool);
  run.emit({ type: "call:blocked", runId: run.runId, toolCallId: slot.id, label, waitsFor: [...waitsFor] });
}

/** Where a result goes: the first alternative; an error the last one, if there are several (C-23). */
function placesFor({ writes }: Flow, { status, message }: Ending): readonly Reference[] {
  if (message)
    return writes.flat().filter(({ kind, path }) => kind === message.kind && follow(message.data, path).found);
  if (status === "succeeded") return writes[0] ?? [];
  return writes.length > 1 ? (writes.at(-1) ?? []) : [];
}

/** Writes a result and gives back what the model is told of it. */
function keep({ method, instance }: Flow, ending: Ending, places: readonly Reference[], run: Running): string {
  const { status, content, value = content, message } = ending;
  const kept = status === "succeeded" ? value : { message: content };
  if (message) run.state.push({ instance, ...message });
  else for (const place of places) run.state.push(writing(place, kept, { method, instance }));
  return places.length === 0 ? content : `${content}\n\nKept as ${places.map(nameOf).join(" and ")}.`;
}
