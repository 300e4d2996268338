// Makes a conversation whole again after a crash or damage: every call has a result, every run an end. Pure.
import { type Entry, isAboutSession, isMessage, isRevision } from "../protocol/messages.ts";
import type { AssistantEntry, BegunEntry, RunEndEntry, ToolEntry } from "../protocol/messages.ts";
import type { RequestRecord } from "../protocol/usage.ts";
import { interruptedResult } from "../protocol/replay.ts";
import { requestsIn, summed } from "../protocol/traceOf.ts";

/**
 * Adds what is missing, where it belongs: a result for every unanswered call, an end for every run without one. What is
 * there stays as it is and in its order. Ids of what is added are derived, so that reading twice gives the same.
 */
export function closeRuns(lines: readonly Entry[]): Entry[] {
  const entries = withBegun(lines);
  return closed(entries, runsOf(entries));
}

/** As `closeRuns`, for the beginning of a transcript: a run without an end goes on behind it. */
export function closeCalls(entries: readonly Entry[]): Entry[] {
  return closed(entries, new Map());
}

function closed(entries: readonly Entry[], runs: ReadonlyMap<string, Run>): Entry[] {
  const whole: Entry[] = [];
  const open = new Map<string, readonly ToolEntry[]>();
  /** Adds what is unanswered in one conversation; without one in all of them, a delegate's before that of its call. */
  const answer = (...conversations: readonly string[]): void => {
    for (const name of conversations) {
      whole.push(...(open.get(name) ?? []));
      open.delete(name);
    }
  };
  const answerAll = (): void => answer(...[...open.keys()].toSorted((a, b) => b.length - a.length));
  for (const entry of entries) {
    const conversation = entry.within ?? "";
    const unanswered = open.get(conversation) ?? [];
    const answers = isMessage(entry) && entry.role === "tool" ? entry.tool_call_id : null;
    if (unanswered.some((result) => result.tool_call_id === answers)) {
      open.set(
        conversation,
        unanswered.filter((result) => result.tool_call_id !== answers),
      );
    } else if (isMessage(entry)) {
      answer(conversation);
      open.set(conversation, cancelled(entry));
    } else if (entry.type === "run_end") answerAll();
    whole.push(entry);
    const run = runs.get(entry.runId);
    if (run && !run.ended && run.last === entry) {
      answerAll();
      whole.push(abortedEnd(run));
    }
  }
  answerAll();
  return whole;
}

/** Of a reply that was never finished there is what was written ahead of its calls. */
function withBegun(entries: readonly Entry[]): readonly Entry[] {
  const ended = new Set(entries.filter((entry) => isType(entry, "run_end")).map(({ runId }) => runId));
  const written = new Set(entries.map(({ id }) => id));
  const begun = new Map<string, BegunEntry>();
  for (const entry of entries)
    if (isType(entry, "begun") && !ended.has(entry.runId) && !written.has(entry.messageId))
      begun.set(entry.messageId, entry);
  if (begun.size === 0) return entries;
  const last = new Map(entries.map((entry) => [entry.runId, entry]));
  return entries.flatMap((entry) => {
    const own = last.get(entry.runId) === entry ? [...begun.values()].filter(({ runId }) => runId === entry.runId) : [];
    return [entry, ...own.map(replyOf)];
  });
}

function replyOf({ type: _type, messageId, ...begun }: BegunEntry): AssistantEntry {
  return { ...begun, role: "assistant", id: messageId, interrupted: true };
}

function isType<T extends "begun" | "run_end">(entry: Entry, type: T): entry is Extract<Entry, { type: T }> {
  return !isMessage(entry) && entry.type === type;
}

interface Run {
  readonly first: Entry;
  last: Entry;
  ended: boolean;
  /** What its requests took, as far as lines tell. */
  readonly requests: RequestRecord[];
}

function runsOf(entries: readonly Entry[]): Map<string, Run> {
  const runs = new Map<string, Run>();
  for (const entry of entries) {
    // A revision of a run that is not among these lines begins none.
    if (isAboutSession(entry) || (isRevision(entry) && !runs.has(entry.runId))) continue;
    const run = runs.get(entry.runId) ?? { first: entry, last: entry, ended: false, requests: [] };
    run.last = entry;
    run.requests.push(...requestsIn(entry));
    run.ended ||= !isMessage(entry) && entry.type === "run_end";
    runs.set(entry.runId, run);
  }
  return runs;
}

function cancelled(reply: Entry): ToolEntry[] {
  if (!isMessage(reply) || reply.role !== "assistant") return [];
  return (reply.tool_calls ?? []).map(({ id, name }) => ({
    role: "tool",
    tool_call_id: id,
    content: interruptedResult,
    id: `${reply.id}-${id}-interrupted`,
    runId: reply.runId,
    ...(reply.within !== undefined && { within: reply.within }),
    timestamp: reply.timestamp,
    name,
    status: "cancelled",
    duration: 0,
  }));
}

function abortedEnd({ first, last: { runId, timestamp }, requests }: Run): RunEndEntry {
  const duration = Math.max(0, Date.parse(timestamp) - Date.parse(first.timestamp) || 0);
  const { usage, cost } = summed(requests);
  const ended = { status: "aborted", duration, usage, ...(cost !== null && { cost }) } as const;
  return { type: "run_end", id: `${runId}-interrupted`, runId, timestamp, ...ended };
}
