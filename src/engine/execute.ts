// EXECUTE: ask the model, run its calls, tell it the results, until it answers, a limit is reached or the run is stopped.
import type { Failure } from "../protocol/errors.ts";
import type { Message, RunStatus, ToolCall, ToolEntry, Usage } from "../protocol/messages.ts";
import { addUsage, noUsage } from "../protocol/messages.ts";
import { createBatch } from "./calls.ts";
import { conversation } from "./conversation.ts";
import type { CallRecord } from "./perform.ts";
import type { ModelRequest } from "./ports.ts";
import { toolSpec } from "./prompt.ts";
import { sendRequest, type Reply } from "./request.ts";
import { timestamp, type Running } from "./running.ts";

export interface ExecuteInput {
  readonly systemPrompt: string;
  /** The conversation up to and with the new message. */
  readonly history: readonly Message[];
}

export interface ExecuteOutput {
  readonly response: string;
  readonly status: RunStatus;
  readonly failure?: Failure;
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolEntry[];
  readonly usage: Usage;
  /** Requests that were sent. */
  readonly iterations: number;
}

/** What grows from round to round. */
interface Progress {
  readonly messages: Message[];
  readonly toolCalls: ToolCall[];
  readonly toolResults: ToolEntry[];
  usage: Usage;
}

type Ending = Pick<ExecuteOutput, "response" | "status" | "failure">;

/** The stage of the specification. Never throws: what goes wrong is in the output's status and failure. */
export async function execute(input: ExecuteInput, run: Running): Promise<ExecuteOutput> {
  const progress: Progress = { messages: [...input.history], toolCalls: [], toolResults: [], usage: noUsage };
  run.emit({ type: "loop:execute", runId: run.runId, toolCount: run.tools.length });
  for (let iteration = 1; ; iteration++) {
    const ending = await round(input.systemPrompt, iteration, progress, run);
    if (ending) return { ...progress, messages: conversation(progress.messages), ...ending, iterations: iteration };
  }
}

/** One request with its calls; null when the loop goes on. After the last allowed round the model sums up without tools (C-03). */
async function round(system: string, iteration: number, progress: Progress, run: Running): Promise<Ending | null> {
  if (run.signal.aborted) return stopped(run);
  const last = iteration > run.config.maxToolIterations;
  const request: ModelRequest = {
    system: last ? `${system}\n\n${summingUp}` : system,
    messages: conversation(progress.messages),
    tools: last ? [] : run.tools.map(toolSpec),
  };
  const held = holdBack<CallRecord>();
  const batch = createBatch(run, held.take);
  const reply = await sendRequest(request, iteration, run, last ? () => undefined : batch.add);
  progress.usage = addUsage(progress.usage, reply.usage);
  const calls = last ? [] : reply.calls;
  const keep = (entry: Message): Promise<void> => {
    progress.messages.push(entry);
    return run.record(entry);
  };
  // The journal keeps the order; the disk is not waited for, so that it works while the calls and the model do.
  if (reply.text !== "" || calls.length > 0) void keep(assistantEntry(reply, calls, iteration, run));
  progress.toolCalls.push(...calls);
  held.release((record) => {
    const entry = toolEntry(record, run);
    progress.toolResults.push(entry);
    void keep(entry);
  });
  await batch.settled();
  return ending(reply, calls.length, last, run);
}

const summingUp =
  "You have used all rounds of calls that one run may have. Do not call tools. Say in a few sentences what is done, what is left, and what you would do next.";

function ending(reply: Reply, calls: number, last: boolean, run: Running): Ending | null {
  if (run.signal.aborted) return stopped(run, reply.text);
  if (reply.end.kind === "failed") {
    // Calls that ran are not undone by a stream that broke: their results are kept and the loop goes on from there (C-05).
    if (calls > 0 && reply.end.retryable) return null;
    return { response: reply.text, status: "error", failure: reply.end.failure };
  }
  if (calls > 0) return null;
  if (reply.end.kind === "finished" && reply.end.reason === "refusal")
    return { response: reply.text, status: "refusal" };
  remark(reply, run);
  return { response: reply.text, status: last ? "max_iterations" : "completed" };
}

function remark(reply: Reply, run: Running): void {
  const notice = (message: string): void =>
    run.emit({ type: "loop:notice", runId: run.runId, level: "warning", message });
  if (reply.end.kind === "finished" && reply.end.reason === "length")
    notice("The answer was cut off at the model's length limit. Send “continue” to get the rest.");
  else if (reply.text === "") notice("The model answered with nothing. Ask again, or in other words.");
}

function stopped(run: Running, response = ""): Ending {
  return { response, status: run.signal.reason === "timeout" ? "timeout" : "aborted" };
}

function assistantEntry(reply: Reply, calls: readonly ToolCall[], iteration: number, run: Running): Message {
  return {
    role: "assistant",
    content: reply.text,
    ...(calls.length > 0 && { tool_calls: [...calls] }),
    timestamp: timestamp(run.ports),
    id: reply.messageId,
    runId: run.runId,
    iteration,
    model: run.model.id,
    ...(reply.end.kind !== "finished" && { interrupted: true }),
    ...(reply.providerData !== undefined && { providerData: reply.providerData }),
  };
}

function toolEntry(record: CallRecord, run: Running): ToolEntry {
  return {
    role: "tool",
    tool_call_id: record.call.id,
    content: record.content,
    timestamp: timestamp(run.ports),
    id: run.ports.ids(),
    runId: run.runId,
    name: record.call.name,
    status: record.status,
    duration: record.duration,
    label: record.label,
    ...(record.preview && { preview: record.preview }),
    ...(record.verdict && { verdict: record.verdict }),
  };
}

/** Keeps values until they may pass, then lets each through as it comes: a result never stands before its call in the transcript. */
function holdBack<T>(): { take: (value: T) => void; release: (pass: (value: T) => void) => void } {
  const waiting: T[] = [];
  let through: ((value: T) => void) | null = null;
  return {
    take: (value) => (through ? through(value) : void waiting.push(value)),
    release(pass) {
      through = pass;
      for (const value of waiting.splice(0)) pass(value);
    },
  };
}
