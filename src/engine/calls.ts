// The calls of one reply: each starts as soon as nothing earlier stands in its way, and every one ends in exactly one result.
import type { Label, Preview } from "../protocol/calls.ts";
import type { CallStatus, ToolCall, Verdict } from "../protocol/messages.ts";
import { stopGrace } from "../protocol/config.ts";
import { parseArguments } from "./arguments.ts";
import { labelOf, passGate, type Cleared } from "./gate.ts";
import type { Tool, ToolResult, Touches } from "./ports.ts";
import type { Running } from "./running.ts";
import { blockers } from "./schedule.ts";
import { delay, onAbort } from "./timers.ts";

/** How one call ended. */
export interface CallRecord {
  readonly call: ToolCall;
  readonly label: Label;
  readonly status: CallStatus;
  /** What the model reads. */
  readonly content: string;
  /** Milliseconds of work. */
  readonly duration: number;
  readonly verdict?: Verdict;
  readonly preview?: Preview;
}

interface Slot {
  readonly call: ToolCall;
  readonly id: string;
  readonly tool: Tool | undefined;
  readonly touches: Touches;
  state: "blocked" | "started" | "ended";
  waitsFor: readonly string[];
  record?: CallRecord;
}

export interface Batch {
  /** A call is complete on the wire: it is shown, and starts when it can. */
  readonly add: (call: ToolCall) => void;
  /** Resolves when every call added so far has ended; results in call order (LOOP-INNER-9). Never rejects. */
  readonly settled: () => Promise<readonly CallRecord[]>;
}

const touchesNothing: Touches = { reads: [], writes: [], runs: false };

/**
 * Collects the calls of one reply and drives them by two events only: a call arrived, a call ended.
 * @param ended told of every call right after its `tool:end`, in the order in which they end
 */
export function createBatch(run: Running, ended: (record: CallRecord) => void): Batch {
  const slots: Slot[] = [];
  const work: Promise<void>[] = [];

  const scan = (): void => {
    const unfinished: Slot[] = [];
    for (const slot of slots) {
      if (slot.state === "blocked") tryStart(slot, unfinished);
      if (slot.state !== "ended") unfinished.push(slot);
    }
  };
  const tryStart = (slot: Slot, earlier: readonly Slot[]): void => {
    const waitsFor = run.signal.aborted ? [] : blockers(slot, earlier);
    if (waitsFor.length === 0) {
      slot.state = "started";
      work.push(finish(slot));
    } else if (waitsFor.join() !== slot.waitsFor.join()) {
      slot.waitsFor = waitsFor;
      const label = labelOf(slot.call, slot.tool);
      run.emit({ type: "call:blocked", runId: run.runId, toolCallId: slot.id, label, waitsFor: [...waitsFor] });
    }
  };
  const finish = async (slot: Slot): Promise<void> => {
    slot.record = await runCall(slot.call, slot.tool, run);
    slot.state = "ended";
    ended(slot.record);
    scan();
  };

  return {
    add(call) {
      const tool = run.tools.find((candidate) => candidate.name === call.name);
      slots.push({ call, id: call.id, tool, touches: touchesOf(call, tool), state: "blocked", waitsFor: [] });
      scan();
    },
    async settled() {
      // Ending one call can start another, so the list may grow while it is awaited.
      for (let done = 0; done < work.length; done++) await work[done];
      return slots.flatMap((slot) => slot.record ?? []);
    },
  };
}

function touchesOf(call: ToolCall, tool: Tool | undefined): Touches {
  const parsed = parseArguments(call);
  return tool && parsed.kind === "parsed" ? tool.touches(parsed.params) : touchesNothing;
}

async function runCall(call: ToolCall, tool: Tool | undefined, run: Running): Promise<CallRecord> {
  const names = { runId: run.runId, toolCallId: call.id, toolName: call.name };
  const gate = run.signal.aborted
    ? ({
        kind: "ended",
        status: "cancelled",
        content: "Cancelled: the run was stopped before this call started.",
      } as const)
    : await passGate(call, tool, run);
  if (gate.kind === "ended") {
    const label = labelOf(call, tool);
    run.emit({ type: "tool:start", ...names, label });
    run.emit({ type: "tool:end", ...names, result: gate.content, duration: 0, status: gate.status });
    return { call, label, duration: 0, ...gate };
  }
  const { result, duration } = await run.limit(() => perform(gate, names, run));
  const content = gate.notice === "" ? result.content : `${gate.notice}\n\n${result.content}`;
  run.emit({ type: "tool:end", ...names, result: content, duration, status: result.status });
  const { label, preview } = gate.prepared;
  return { call, label, status: result.status, content, duration, verdict: gate.verdict, ...(preview && { preview }) };
}

interface Names {
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
}
type Performed = { readonly status: CallStatus; readonly content: string };

async function perform(gate: Cleared, names: Names, run: Running): Promise<{ result: Performed; duration: number }> {
  run.emit({ type: "tool:start", ...names, label: gate.prepared.label });
  const started = run.ports.clock.now();
  const result = await underLimits(gate, names, run);
  return { result, duration: Math.max(0, run.ports.clock.now() - started) };
}

/** Runs the call with its time limit; a call that ignores its signal is left behind after a short grace (C-46). */
async function underLimits({ prepared, tool }: Cleared, names: Names, run: Running): Promise<Performed> {
  const { clock } = run.ports;
  const limit = prepared.timeout ?? run.config.toolTimeout;
  const timedOut = new AbortController();
  const signal = AbortSignal.any([run.signal, timedOut.signal]);
  const timer = delay(clock, limit, "late" as const);
  const stop = onAbort(run.signal);
  const { runId, toolCallId } = names;
  const output = (chunk: string): void => run.emit({ type: "tool:output", runId, toolCallId, chunk });
  const working = attempt(() => prepared.run({ signal, output }), tool.name);
  try {
    const first = await Promise.race([working, timer.done, stop.aborted]);
    if (typeof first === "object") return first;
    if (first === "late") timedOut.abort();
    const why = first === "late" ? `Timed out after ${limit / 1000} s.` : "Cancelled: the run was stopped.";
    return await afterStop(working, { status: first === "late" ? "failed" : "cancelled", content: why }, run);
  } finally {
    timer.cancel();
    stop.forget();
  }
}

async function afterStop(working: Promise<ToolResult>, ending: Performed, run: Running): Promise<Performed> {
  const grace = delay(run.ports.clock, stopGrace, null);
  const settled = await Promise.race([working, grace.done]);
  grace.cancel();
  return settled === null || settled.content === ""
    ? ending
    : { ...ending, content: `${ending.content}\n\n${settled.content}` };
}

async function attempt(work: () => Promise<ToolResult>, name: string): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: "failed", content: `${name} failed: ${why}` };
  }
}
