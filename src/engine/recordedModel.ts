// The model of a rerun: says what is recorded, and paces its calls so that they can end in the recorded order.
import { LoopError, storedFailure, toFailure, type Failure } from "../protocol/errors.ts";
import type { Usage } from "../protocol/usage.ts";
import type { Model, ModelEvent, Price } from "./ports.ts";
import { isPause, isStopped, isUser, type RecordedReply, type RecordedRun } from "./recorded.ts";
import { isCancelled } from "./sentences.ts";
import type { Stage } from "./stage.ts";
import { onAbort } from "./timers.ts";

interface Options {
  readonly price: Price | undefined;
  /** What a request used. */
  readonly usage: (request: number) => Usage;
}

/** Plays the replies of a run, one a request. */
export function recordedModel(run: RecordedRun, stage: Stage, { price, usage }: Options): Model {
  const id = [...run.replies.values()].find(({ entry }) => entry.model !== undefined)?.entry.model ?? "";
  return {
    id,
    contextWindow: Number.MAX_SAFE_INTEGER,
    ...(price && { price }),
    async *stream(_request, signal) {
      const request = stage.begin();
      // At once: the reply may be cut off at any time.
      yield { type: "usage", usage: usage(request) };
      const reply = run.replies.get(request);
      const ended = reply ? (yield* content(reply, stage)) || endedBeforeStop(reply, run) : false;
      const last = lastEvent(request, run, ended);
      if (last) yield last;
      else await onAbort(signal).aborted;
    },
  };
}

/**
 * Null: it never came, because the run was stopped first.
 * @param ended something in the record followed from the end of the reply
 */
function lastEvent(request: number, run: RecordedRun, ended: boolean): ModelEvent | null {
  const reply = run.replies.get(request);
  const isLast = request >= run.requests;
  const isRefused = isLast && run.end?.status === "refusal";
  if (reply && reply.entry.interrupted !== true) return finish(reply, isRefused);
  if (isLast && isStopped(run) && !ended) return null;
  const failure = isLast ? failureOf(request, run) : null;
  if (failure) return { type: "error", failure, retryable: false };
  // The stream broke, and the run went on from the calls that had come; or the model said nothing at all.
  return reply ? { type: "error", failure: broken, retryable: true } : finish(reply, isRefused);
}

function finish(reply: RecordedReply | undefined, isRefused: boolean): ModelEvent {
  if (isRefused) return { type: "finish", reason: "refusal" };
  return { type: "finish", reason: reply?.calls.length ? "calls" : "stop" };
}

/** What the run ended with. What was used up ends it between its requests, and is none of the model's. */
function failureOf(request: number, { requests, end }: RecordedRun): Failure | null {
  if (request > requests) return unrecorded;
  return end?.error && end.error.code !== "budget_spent" ? storedFailure(end.error) : null;
}

const unrecorded: Failure = toFailure(new LoopError("internal", "The record has no reply to this request."));
const broken: Failure = toFailure(new LoopError("provider_failed", "The stream broke."));

/** What is recorded after a broken reply shows that it had ended before the run was stopped. */
function endedBeforeStop({ index, calls }: RecordedReply, { lines }: RecordedRun): boolean {
  const last = lines.at(-2);
  if (last && lines.length - 2 > index && (isUser(last.entry) || isPause(last.entry))) return true;
  // While a reply comes, calls that have not started are the first to end when the run is stopped.
  const stopped = calls.filter(({ result }) => result?.status === "cancelled").toSorted((a, b) => a.index - b.index);
  const isUnstarted = stopped.map(({ result }) => result !== null && isCancelled(result, "beforeStart"));
  return isUnstarted[0] === false && isUnstarted.includes(true);
}

async function* content(reply: RecordedReply, stage: Stage): AsyncGenerator<ModelEvent, boolean> {
  const { content: text, providerData } = reply.entry;
  if (text !== "") yield { type: "text", text };
  if (providerData !== undefined) yield { type: "provider", data: providerData };
  await stage.until(reply.index);
  return yield* pacedCalls(reply, stage);
}

/**
 * A call comes as late as its own end, or the end of a later one, allows; so does the end of the reply. For what the loop
 * ends without a tool, it does at once when the call comes, when the reply ends, or when another call ends: so each of
 * them comes where it stands in the record.
 * @returns true when what is recorded next follows from the end of the reply
 */
async function* pacedCalls({ calls, plan }: RecordedReply, stage: Stage): AsyncGenerator<ModelEvent, boolean> {
  let sent = 0;
  const upTo = function* (count: number): Generator<ModelEvent> {
    for (const { call } of calls.slice(sent, count)) {
      yield { type: "call:start", id: call.id, name: call.name };
      yield { type: "call", call };
    }
    sent = Math.max(sent, count);
  };
  const ends = calls.map((recorded, place) => ({ ...recorded, place })).filter(({ result }) => result !== null);
  for (const { call, index, place, result } of ends.toSorted((a, b) => a.index - b.index)) {
    const isDecided = plan !== null && plan.index < index;
    const next = isDecided ? plan.index : index;
    const isStopped = result?.status === "cancelled";
    await stage.until(next, -0.6);
    yield* upTo(isDecided || isStopped ? calls.length : place + 1);
    await stage.until(next, -0.4);
    const hasToStart = !stage.hasStarted(call.id) && !(result && isCancelled(result, "beforeStart"));
    if (isDecided || hasToStart) {
      yield* upTo(calls.length);
      return true;
    }
    if (isStopped) break;
  }
  yield* upTo(calls.length);
  return false;
}
