// How a recorded run was set up and what came to it from outside, as far as its transcript tells: config, times, its stop, messages sent into it. Pure.
import type { Attachment } from "../protocol/attachments.ts";
import { loopDefaults, type AgentLoopConfig } from "../protocol/config.ts";
import type { LoopEvent } from "../protocol/events.ts";
import { finalOutput } from "./output.ts";
import {
  isPause,
  isStopped,
  isTool,
  isUser,
  pausesOf,
  requestsBefore,
  type RecordedReply,
  type RecordedRun,
} from "./recorded.ts";
import { allowance, marksOf, numberIn } from "./recordedUsage.ts";
import type { Steered } from "./steering.ts";

/** Longer than any record in virtual milliseconds. */
const never = 1e12;

/** The config of the run, from what the record says of it and of the limits that it met. */
export function recordedConfig(run: RecordedRun): AgentLoopConfig {
  const { plan, dataFlow, earlyStart, reconsiderOnError } = run.message?.setup ?? {};
  return {
    ...loopDefaults,
    ...(plan && { plan }),
    ...(dataFlow === false && { dataFlow }),
    ...(earlyStart && { earlyStart }),
    ...(reconsiderOnError && { reconsiderOnError }),
    maxToolIterations: roundsOf(run),
    maxRunTokens: allowance(marksOf(run, "tokens")),
    // A hair less, because sums of fractions come out a hair short.
    maxRunCost: allowance(marksOf(run, "cost")) * 0.999,
    executionTimeout: timeOf(run) ?? never,
    toolTimeout: never,
  };
}

/** What came with a message of the run. */
export function attachedTo({ message, lines }: RecordedRun, said: string): readonly Attachment[] {
  const messages = [message, ...lines.map(({ entry }) => entry).filter(isUser)];
  return messages.find((one) => one?.content === said)?.attachments ?? [];
}

/** Rounds of calls until they were used up for the first time; 0 (no limit) when they never were. */
function roundsOf(run: RecordedRun): number {
  const pauses = pausesOf(run);
  const pause = pauses.find(({ entry }) => entry.reason === "rounds");
  // Where somebody could choose, only a pause tells that the rounds were used up.
  if (!pause && (pauses.length > 0 || run.end?.status !== "max_iterations")) return 0;
  const replies = [...run.replies.values()].filter(({ calls }) => calls.length > 0);
  return replies.filter(({ index }) => index < (pause?.index ?? Infinity)).length;
}

/** Milliseconds of work that were allowed, where they were used up. */
function timeOf(run: RecordedRun): number | null {
  const pause = pausesOf(run).find(({ entry }) => entry.reason === "time");
  const message = pause?.entry.message ?? (run.end?.status === "timeout" ? run.end.error?.message : undefined);
  return message === undefined ? null : numberIn(message) * 60_000;
}

/** When each line is written, in virtual milliseconds since the run began: one apart, and more where its time was used up. */
export function timesOf(run: RecordedRun): readonly number[] {
  const limit = timeOf(run) ?? 0;
  const late = pausesOf(run).filter(({ entry }) => entry.reason === "time");
  const jumps = new Set(late.map(({ index }) => run.replies.get(requestsBefore(run, index))?.index));
  let time = 0;
  return run.lines.map((_line, index) => (time += jumps.has(index) ? limit + 1 : 1));
}

/** When the run was stopped from outside: at a time, or when so many events of some types have come; null: it was not. */
export type Stop =
  | { readonly kind: "time"; readonly time: number }
  | { readonly kind: "event"; readonly counts: Readonly<Partial<Record<LoopEvent["type"], number>>> }
  | null;

/** @param times of the run's lines */
export function stopOf(run: RecordedRun, times: readonly number[]): Stop {
  const { end, lines } = run;
  if (!end) return { kind: "time", time: (times.at(-1) ?? 0) + 1 };
  if (!isStopped(run)) return null;
  const first = lines.findIndex(({ entry }) => isTool(entry) && entry.status === "cancelled");
  if (first === -1 && !hangs(run)) return { kind: "event", counts: betweenRequests(run) };
  return { kind: "time", time: (times[first === -1 ? lines.length - 1 : first] ?? 0) - 0.2 };
}

/** It was stopped while a reply was still to come, or was coming. */
function hangs({ lines, replies, requests }: RecordedRun): boolean {
  const last = [...replies.values()].at(-1);
  if (!last || requests > last.entry.iteration) return requests > 0;
  return last.index === lines.length - 2 && last.entry.interrupted === true;
}

/** It was stopped between two requests: with the event of the last line before its end. */
function betweenRequests({
  lines,
  replies,
  requests,
}: RecordedRun): Readonly<Partial<Record<LoopEvent["type"], number>>> {
  const entries = lines.map(({ entry }) => entry);
  const before = entries.at(-2);
  if (!before || (isUser(before) && before.steering !== true)) return { "loop:start": 1 };
  if (isUser(before)) return { "message:user": entries.filter(isUser).length - 1 };
  if (isPause(before)) return { "run:resumed": entries.filter(isPause).length };
  // Its calls may all have ended before the reply did.
  const isWhole = replies.get(requests)?.entry.interrupted !== true;
  return { "tool:end": entries.filter(isTool).length, ...(isWhole && { "message:end": requests }) };
}

/** Without a message the run would have ended with this reply. */
function isFinal(reply: RecordedReply | undefined): boolean {
  if (!reply) return false;
  const { calls } = reply;
  const given = calls.some(({ call, result }) => call.name === finalOutput && result?.status === "succeeded");
  return given || calls.length === 0;
}

/** Messages that were sent into the run, by the request during which they came; 0: before the first one. */
export function steeringOf(run: RecordedRun): ReadonlyMap<number, readonly Steered[]> {
  const during = new Map<number, readonly Steered[]>();
  for (const [index, { entry }] of run.lines.entries()) {
    if (!isUser(entry) || entry.steering !== true) continue;
    const next = [...run.replies.values()].find((reply) => reply.index > index);
    const before = requestsBefore(run, index);
    // What has been used up pauses the run before a request is sent of which no line is left.
    const paused = pausesOf(run).some((pause) => pause.index > index && pause.index < (next?.index ?? Infinity));
    const reply = run.replies.get(before);
    const waited = pausesOf(run).some((pause) => pause.index < index && pause.index > (reply?.index ?? 0));
    const isNeeded = paused || (!waited && isFinal(reply));
    const request = isNeeded ? before : next ? next.entry.iteration - 1 : Math.max(before, run.requests - 1);
    during.set(request, [...(during.get(request) ?? []), entry]);
  }
  return during;
}
