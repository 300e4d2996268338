// Doing one call: through the gate, under its limits, to exactly one result.
import type { Label, Preview } from "../protocol/calls.ts";
import { stopGrace } from "../protocol/config.ts";
import type { CallStatus, ToolCall, Verdict } from "../protocol/messages.ts";
import { labelOf, passGate, type Asked, type Cleared } from "./gate.ts";
import type { Tool, ToolResult } from "./ports.ts";
import type { Running } from "./running.ts";
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

/** How a call ended, before it is told to anybody. */
export type Ending = Omit<ToolResult, "status"> & { readonly status: CallStatus };

/**
 * Takes a call through the gate and runs it. Never throws.
 * @param keep may write the result where others read it; gives back the content to tell, with where that is
 */
export async function performCall(
  asked: Asked,
  tool: Tool | undefined,
  run: Running,
  keep: (ending: Ending) => string,
): Promise<CallRecord> {
  const { call } = asked;
  const gate = run.signal.aborted
    ? ({
        kind: "ended",
        status: "cancelled",
        content: "Cancelled: the run was stopped before this call started.",
      } as const)
    : await passGate(asked, tool, run);
  if (gate.kind === "ended") return endWithout(call, tool, { ...gate, content: keep(gate) }, run);
  const names = { runId: run.runId, toolCallId: call.id, toolName: call.name };
  const { result, duration } = await run.limit(() => perform(gate, names, run));
  const { status } = result;
  const content = [gate.notice, keep(result)].filter((part) => part !== "").join("\n\n");
  run.emit({ type: "tool:end", ...names, result: content, duration, status });
  const { label, preview } = gate.prepared;
  return { call, label, status, content, duration, verdict: gate.verdict, ...(preview && { preview }) };
}

/** Ends a call that did not run, with the pair of events that every call has (C-32). */
export function endWithout(
  call: ToolCall,
  tool: Tool | undefined,
  ending: Pick<CallRecord, "status" | "content" | "verdict" | "preview">,
  run: Running,
): CallRecord {
  const { status, content, verdict, preview } = ending;
  const names = { runId: run.runId, toolCallId: call.id, toolName: call.name };
  const label = labelOf(call, tool);
  run.emit({ type: "tool:start", ...names, label });
  run.emit({ type: "tool:end", ...names, result: content, duration: 0, status });
  return { call, label, status, content, duration: 0, ...(verdict && { verdict }), ...(preview && { preview }) };
}

interface Names {
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
}
async function perform(gate: Cleared, names: Names, run: Running): Promise<{ result: Ending; duration: number }> {
  run.emit({ type: "tool:start", ...names, label: gate.prepared.label });
  const started = run.ports.clock.now();
  const result = await underLimits(gate, names, run);
  return { result, duration: Math.max(0, run.ports.clock.now() - started) };
}

/** Runs the call with its time limit; a call that ignores its signal is left behind after a short grace (C-46). */
async function underLimits({ prepared, tool }: Cleared, names: Names, run: Running): Promise<Ending> {
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

async function afterStop(working: Promise<ToolResult>, ending: Ending, run: Running): Promise<Ending> {
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
