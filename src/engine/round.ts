// One round of the loop: a request, the calls of its reply, and whether the run ends with it.
import { spendReply } from "./budget.ts";
import { maxStalls } from "../protocol/config.ts";
import type { BegunEntry, ErrorMessage, Message } from "../protocol/messages.ts";
import { createBatch } from "./calls.ts";
import { anchorOf } from "./estimate.ts";
import type { Sending } from "./fit.ts";
import { assistantEntry, toolEntry } from "./lines.ts";
import { finalOutput, formOf, readOutput } from "./output.ts";
import type { CallRecord, ScheduledRecord } from "./perform.ts";
import type { ModelRequest } from "./ports.ts";
import type { Ending, Progress } from "./progress.ts";
import { sendRequest, type Begun, type Reply } from "./request.ts";
import { errorMessage } from "./results.ts";
import { timestamp, type Running } from "./running.ts";

/** Sends one request and sees its calls to their ends; null when the loop goes on. Never throws. */
export async function round(
  request: ModelRequest,
  { sumUp }: Pick<Sending, "sumUp">,
  progress: Progress,
  run: Running,
): Promise<Ending | null> {
  progress.notes = [];
  progress.requests += 1;
  const held = holdBack<ScheduledRecord>();
  const ahead = createAhead(progress.requests, run);
  const batch = createBatch(run, held.take, ahead.announce);
  const reply = await sendRequest(request, progress.requests, run, (call, soFar) => {
    if (sumUp) return;
    ahead.follow(soFar);
    batch.add(call);
  });
  const { model, ...took } = spendReply(reply, run);
  const calls = sumUp ? [] : reply.calls;
  const keep = (entry: Message, durable = false): void => {
    progress.entries.push(entry);
    // The journal keeps the order; the disk is not waited for, so that it works while the calls and the model do.
    void run.record(entry, { durable });
  };
  const isEmpty = reply.text === "" && calls.length === 0;
  const entry = isEmpty ? undefined : { ...assistantEntry(reply, calls, progress.requests, run), request: took };
  if (entry) keep(entry);
  else run.unwritten([{ ...took, model }]);
  ahead.close();
  if (reply.end.kind === "finished") progress.anchor = anchorOf(request, entry, reply.took);
  progress.toolCalls.push(...calls);
  held.release((record) => {
    const entry = toolEntry(record, run);
    progress.toolResults.push(entry);
    keep(entry, hadEffects(record));
  });
  const records = await batch.settled();
  if (calls.length > 0) afterCalls(records, progress, run);
  return ending(reply, records, progress, run);
}

interface Ahead {
  readonly follow: (soFar: Begun) => void;
  readonly announce: () => Promise<void> | null;
  /** The reply is in the transcript itself. */
  readonly close: () => void;
}

/** While a reply is being written the transcript does not have it: what changes something says so before it does (C-10). */
function createAhead(iteration: number, run: Running): Ahead {
  let begun: Begun | null = null;
  return {
    follow: (soFar) => void (begun = soFar),
    announce() {
      if (!begun) return null;
      const { messageId, text: content, calls, model = run.model } = begun;
      const about = { id: run.ports.ids(), runId: run.runId, timestamp: timestamp(run.ports) };
      const entry: BegunEntry = {
        type: "begun",
        ...about,
        messageId,
        iteration,
        model: model.id,
        content,
        tool_calls: [...calls],
      };
      return run.record(entry, { durable: true });
    },
    close: () => void (begun = null),
  };
}

/** Reads can be done again, and a lost reply can be asked for again; what was changed, or what a person decided, cannot. */
function hadEffects({ effect, verdict }: ScheduledRecord): boolean {
  return verdict?.by === "person" || effect !== "read";
}

function errorsOf(records: readonly CallRecord[]): readonly ErrorMessage[] {
  return records.flatMap(({ call, content, error }) =>
    error ? [errorMessage(call, { ...error, message: content })] : [],
  );
}

/** Collected Error Messages are appended together, in call order (LOOP-ERR-4, LOOP-ERR-5). */
function afterCalls(records: readonly CallRecord[], progress: Progress, run: Running): void {
  run.budget.round();
  for (const data of errorsOf(records)) run.state.push({ kind: "error", data });
  const did = records.map(({ call, status, content }) => [call.name, call.arguments, status, content]);
  progress.rounds = [...progress.rounds, JSON.stringify(did)];
  if (run.agent.plan !== undefined || run.config.plan === "lazy")
    progress.notes = [...progress.notes, planNote(records)];
}

/** The calls of a reply are the plan that the next request shows; what did not run is not carried over (LOOP-PLAN-1, -5). */
function planNote(records: readonly CallRecord[]): string {
  const steps = records.map(({ call, status }) => ({ _tool: call.name, id: call.id, status }));
  return `## Data: ¶plan\n${JSON.stringify(steps)}\nThis is what became of your last calls. What has not succeeded runs only if you call it again.`;
}

function ending(reply: Reply, records: readonly CallRecord[], progress: Progress, run: Running): Ending | null {
  const response = reply.text;
  if (run.signal.aborted || reply.end.kind === "aborted") return { response, status: "aborted" };
  if (reply.end.kind === "failed") {
    // Calls that ran are not undone by a stream that broke: their results are kept and the loop goes on from there (C-05).
    if (records.length > 0 && reply.end.retryable) return null;
    return { response, status: "error", failure: reply.end.failure };
  }
  if (records.length > 0) {
    progress.stalls = 0;
    return finished(reply, records, progress, run);
  }
  if (reply.end.reason === "refusal") return { response, status: "refusal" };
  remark(reply, run);
  return run.agent.output && !run.agent.bare
    ? inWords(reply, run.agent.output, progress, run)
    : { response, status: "completed" };
}

/** The output given beside calls: it stops the run once all of them have ended (LOOP-OUTER-4, C-02). */
function finished(reply: Reply, records: readonly CallRecord[], progress: Progress, run: Running): Ending | null {
  const final = outputOf(reply, records, run);
  if (!final) return null;
  const errors = errorsOf(records);
  if (errors.length > 0 && run.config.reconsiderOnError && !progress.reconsidered) {
    progress.reconsidered = true;
    progress.notes = [
      ...progress.notes,
      "Calls beside your output failed. Put that right, then give the output again.",
    ];
    return null;
  }
  const status = errors.length > 0 ? "completed_with_errors" : "completed";
  if (!("value" in final)) return { response: reply.text, errors, status };
  const { value } = final;
  return { response: typeof value === "string" ? value : JSON.stringify(value), value, errors, status };
}

/** Given with the reserved tool; or in words, by a model that says itself that it stops. */
function outputOf(reply: Reply, records: readonly CallRecord[], run: Running): { value?: unknown } | undefined {
  const given = records.findLast(({ call, status }) => call.name === finalOutput && status === "succeeded");
  const stops = reply.end.kind === "finished" && reply.end.reason === "stop";
  return given ?? (stops && !run.agent.output && !run.agent.bare && reply.text !== "" ? {} : undefined);
}

/** An answer in words where an output is asked for: taken if it holds, sent back if not, given up when it stays so (C-01). */
function inWords(
  { text }: Reply,
  schema: Readonly<Record<string, unknown>>,
  progress: Progress,
  run: Running,
): Ending | null {
  const isForm = formOf(run.agent, run.model) !== undefined;
  const read = readOutput(text, schema, { validate: run.ports.validate, isForm });
  if (read.kind === "output") return { response: text, value: read.value, status: "completed" };
  progress.stalls += 1;
  if (progress.stalls >= maxStalls) return { response: text, status: "stalled" };
  progress.notes = [...progress.notes, read.message];
  return null;
}

function remark(reply: Reply, run: Running): void {
  const notice = (message: string): void =>
    run.emit({ type: "loop:notice", runId: run.runId, level: "warning", message });
  if (reply.end.kind === "finished" && reply.end.reason === "length")
    notice("The answer was cut off at the model's length limit. Send “continue” to get the rest.");
  else if (reply.text === "") notice("The model answered with nothing. Ask again, or in other words.");
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
