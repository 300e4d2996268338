// Doing one call: through the gate, under its limits, to exactly one result.
import type { Label, Preview } from "../protocol/calls.ts";
import { stopGrace } from "../protocol/config.ts";
import type { Changes } from "../protocol/changes.ts";
import type { CallError, CallStatus, ContentPart, ToolCall, Verdict } from "../protocol/messages.ts";
import type { Wait } from "../protocol/usage.ts";
import { labelOf, passGate, type Asked, type Cleared } from "./gate.ts";
import type { CallContext, Effect, InputQuestion, Prepared, Snapshots, Tool, ToolResult, Touches } from "./ports.ts";
import type { Ending, Kept } from "./results.ts";
import { createReach } from "./reach.ts";
import { timestamp, type Running } from "./running.ts";
import { cancelled, underNotice } from "./sentences.ts";
import { createDeadline, delay, onAbort, type Deadline } from "./timers.ts";
import { endOfCall } from "./traced.ts";
import { notingWaits } from "./waits.ts";

/** How one call ended. */
export interface CallRecord {
  readonly call: ToolCall;
  readonly label: Label;
  readonly status: CallStatus;
  /** What the model reads. */
  readonly content: string;
  /** What references to its result give. */
  readonly value?: unknown;
  readonly error?: CallError;
  readonly stored?: Kept["stored"];
  /** What the model is shown beside its words. */
  readonly parts?: readonly ContentPart[];
  /** Calls that it waited for last, by id. */
  readonly after?: readonly string[];
  /** When its work began; of one that did none, when it ended. */
  readonly at: string;
  /** Milliseconds of work. */
  readonly duration: number;
  /** When a person was asked. */
  readonly waited?: readonly Wait[];
  readonly verdict?: Verdict;
  readonly preview?: Preview;
  /** Files that it has changed. */
  readonly changes?: Changes;
}

/** The same, and what its place among the other calls was decided by. */
export interface ScheduledRecord extends CallRecord {
  readonly effect: Effect;
  readonly touches: Touches;
}

/** A call that may be done now. */
export interface Doing {
  readonly asked: Asked;
  readonly tool: Tool | undefined;
  /** What it sees of the run's data. */
  readonly sees: Pick<CallContext, "data" | "scopes">;
  /** Keeps the result where others read it. */
  readonly keep: (ending: Ending) => Kept;
  /** Writes down that something is about to be changed; null when the transcript knows already. */
  readonly announce: () => Promise<void> | null;
}

/** Takes a call through the gate and runs it. Never throws. */
export async function performCall(doing: Doing, given: Running): Promise<CallRecord> {
  const { asked, tool } = doing;
  const { run, waited } = notingWaits(given);
  if (run.signal.aborted) return endWithout(doing, { status: "cancelled", content: cancelled.beforeStart }, run);
  if (tool?.fields?.latent) return endWithout(doing, latent(asked, tool.fields.latent.output, run), run);
  const gate = await passGate(asked, tool, run);
  if (gate.kind === "ended") return { ...endWithout(doing, gate, run), ...asWaited(waited) };
  return runCleared(gate, { ...doing, waited }, run);
}

function asWaited(waited: readonly Wait[]): Pick<CallRecord, "waited"> {
  return waited.length === 0 ? {} : { waited };
}

async function runCleared(
  gate: Cleared,
  doing: Doing & { readonly waited: readonly Wait[] },
  run: Running,
): Promise<CallRecord> {
  const { call } = doing.asked;
  const written = gate.tool.effect === "read" ? null : doing.announce();
  if (written) await written;
  const names = { runId: run.runId, toolCallId: call.id, toolName: call.name };
  const work = async (): Promise<Performed> => {
    const span = run.span?.begin({ kind: "tool", call, description: gate.tool.description });
    const performed = await withSnapshot(gate, doing, { ...run, span });
    span?.end(endOfCall(performed.result));
    return performed;
  };
  // A delegate does nothing itself: were it counted, its own calls could wait for its place for ever.
  const { result, at, duration, changes } = await (gate.prepared.timeout === null ? work() : run.limit(work));
  const { status, content: said, value = said, parts } = result;
  const { content: told, error, stored } = doing.keep(result);
  const content = underNotice(gate.notice, told);
  if (changes) run.emit({ type: "call:changes", runId: run.runId, toolCallId: call.id, changes });
  run.emit({ type: "tool:end", ...names, result: content, duration, status, ...(error && { error }) });
  const { label, preview } = gate.prepared;
  const about = { call, label, status, content, at, duration, verdict: gate.verdict };
  const kept = { ...(error && { error }), ...(stored && { stored }), ...(parts && { parts }) };
  const seen = { ...(preview && { preview }), ...(changes && { changes }), ...asWaited(doing.waited) };
  return { ...about, value, ...kept, ...seen };
}

/** Ends a call that did not run, with the pair of events that every call has (C-32). */
export function endWithout(
  { asked, tool, keep }: Pick<Doing, "asked" | "tool" | "keep">,
  ending: Ending & Pick<CallRecord, "verdict" | "preview">,
  run: Running,
): CallRecord {
  const { call } = asked;
  const { status, value, verdict, preview } = ending;
  const { content, error, stored } = keep(ending);
  const names = { runId: run.runId, toolCallId: call.id, toolName: call.name };
  const label = labelOf(asked, tool);
  run.span
    ?.begin({ kind: "tool", call, description: tool?.description })
    .end(endOfCall({ status, content, error: error?.type }));
  run.emit({ type: "tool:start", ...names, label });
  run.emit({ type: "tool:end", ...names, result: content, duration: 0, status, ...(error && { error }) });
  const about = { call, label, status, content, value, at: timestamp(run.ports), duration: 0 };
  const kept = { ...(error && { error }), ...(stored && { stored }) };
  return { ...about, ...kept, ...(verdict && { verdict }), ...(preview && { preview }) };
}

/** A latent call is done when it is written: its result is what the model wrote as `_output` (LOOP-ACT-3). */
function latent({ call, fields }: Asked, schema: Tool["parameters"], run: Running): Ending {
  const value = fields["_output"];
  const problems = value === undefined ? ["_output is missing."] : run.ports.validate(schema, value);
  if (problems.length === 0) return { status: "succeeded", content: "Noted.", value };
  const content = [`The _output of ${call.name} is wrong.`, ...problems].join("\n");
  return { status: "failed", content, error: "structural" };
}

interface Performed {
  readonly result: Ending;
  readonly at: string;
  readonly duration: number;
  readonly changes?: Changes | null;
}

/** Keeps what the call may change, so that it can be undone. Looking takes none of the call's own time. */
function withSnapshot(gate: Cleared, doing: Doing, run: Running): Promise<Performed> {
  const { tool, prepared } = gate;
  const { snapshots } = run.ports;
  // What a delegate changes is its own calls' doing, and a request changes nothing here.
  const isElsewhere = prepared.timeout === null || prepared.preview?.kind === "request";
  if (!snapshots || tool.effect === "read" || isElsewhere) return atWork(gate, doing, run);
  const { id: toolCallId } = doing.asked.call;
  const { writes } = tool.touches(prepared.params, toolCallId);
  const about = { sessionId: run.sessionId, runId: run.runId, toolCallId, effect: tool.effect, writes };
  return between(snapshots.before(about, run.signal), () => atWork(gate, doing, run), run);
}

async function between(
  before: ReturnType<Snapshots["before"]>,
  work: () => Promise<Performed>,
  run: Running,
): Promise<Performed> {
  const taken = await before;
  warn(taken?.problem, run);
  const performed = await work();
  if (!taken) return performed;
  const { changes, problem } = await taken.after();
  warn(problem, run);
  return { ...performed, changes };
}

function warn(message: string | undefined, run: Running): void {
  if (message !== undefined) run.emit({ type: "loop:notice", runId: run.runId, level: "warning", message });
}

async function atWork(gate: Cleared, doing: Doing, run: Running): Promise<Performed> {
  const { id: toolCallId, name: toolName } = doing.asked.call;
  run.emit({ type: "tool:start", runId: run.runId, toolCallId, toolName, label: gate.prepared.label });
  const started = run.ports.clock.now();
  // While it waited for its place, or for a copy of what it may change, the run may have been stopped.
  const stopped: Ending = { status: "cancelled", content: cancelled.atWork };
  const result = run.signal.aborted ? stopped : await underLimits(gate, doing, run);
  const duration = Math.max(0, run.ports.clock.now() - started);
  return { result, at: new Date(started).toISOString(), duration };
}

/** Runs the call with its time limit; a call that ignores its signal is left behind after a short grace (C-46). */
async function underLimits({ prepared, tool }: Cleared, doing: Doing, run: Running): Promise<Ending> {
  const limit = prepared.timeout === undefined ? run.config.toolTimeout : prepared.timeout;
  const timedOut = new AbortController();
  const signal = AbortSignal.any([run.signal, timedOut.signal]);
  let expire = (): void => undefined;
  const late = new Promise<"late">((resolve) => (expire = () => resolve("late")));
  const timer = limit === null ? null : createDeadline(run.ports.clock, limit, expire);
  const stop = onAbort(run.signal);
  const working = attempt(prepared, tool.name, contextOf(doing, prepared.label, { signal, timer }, run));
  try {
    const first = await Promise.race([working, stop.aborted, late]);
    if (typeof first === "object") return first;
    if (first === "late") timedOut.abort();
    const ending: Ending =
      first === "late"
        ? { status: "failed", content: `Timed out after ${(limit ?? 0) / 1000} s.`, error: "timeout" }
        : { status: "cancelled", content: cancelled.atWork };
    return await afterStop(working, ending, run);
  } finally {
    timer?.clear();
    stop.forget();
  }
}

interface Limits {
  readonly signal: AbortSignal;
  readonly timer: Deadline | null;
}

function contextOf({ asked, sees }: Doing, label: Label, { signal, timer }: Limits, run: Running): CallContext {
  const { runId, sessionId } = run;
  const { id: toolCallId } = asked.call;
  const output = (chunk: string): void => run.emit({ type: "tool:output", runId, toolCallId, chunk });
  const context = { signal, output };
  return {
    ...context,
    ...sees,
    sessionId,
    toolCallId,
    enter: (prompt, given) => enter({ runId, toolCallId, prompt }, { signal: given, timer }, run),
    reach: createReach({ id: toolCallId, label }, clocksOf(timer, run), run),
    fields: asked.fields,
    delegate: (request) => run.delegate(request, { toolCallId, context }, run),
  };
}

/** Puts the question of a call at work to the person; no clock runs while they answer (C-35). */
async function enter(question: InputQuestion, { signal, timer }: Limits, run: Running): Promise<string | null> {
  if (!run.ports.enter) return null;
  const clocks = clocksOf(timer, run);
  clocks.pause();
  run.emit({ type: "call:input", ...question });
  try {
    return await run.ports.enter(question, AbortSignal.any([signal, run.signal]));
  } finally {
    clocks.resume();
    run.emit({ type: "call:input", ...question, prompt: null });
  }
}

/** The clocks of the call and of its run. */
function clocksOf(timer: Deadline | null, { deadline }: Running): Pick<Deadline, "pause" | "resume"> {
  const clocks = timer ? [deadline, timer] : [deadline];
  return {
    pause: () => clocks.forEach((clock) => clock.pause()),
    resume: () => clocks.forEach((clock) => clock.resume()),
  };
}

async function afterStop(working: Promise<ToolResult>, ending: Ending, run: Running): Promise<Ending> {
  const grace = delay(run.ports.clock, stopGrace, null);
  const settled = await Promise.race([working, grace.done]);
  grace.cancel();
  return settled === null || settled.content === ""
    ? ending
    : { ...ending, content: `${ending.content}\n\n${settled.content}` };
}

async function attempt(prepared: Prepared, name: string, context: CallContext): Promise<ToolResult> {
  try {
    return await prepared.run(context);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: "failed", content: `${name} failed: ${why}` };
  }
}
