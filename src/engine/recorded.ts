// A transcript read as what happened in each run: its replies, which result belongs to which call, and in what order they came. Pure.
import type { AssistantEntry, Entry, PauseEntry, PlanEntry, RunEndEntry, ToolCall } from "../protocol/messages.ts";
import type { ToolEntry, UserEntry } from "../protocol/messages.ts";

/** One line of a transcript. */
export interface Line {
  /** From 1, as an editor counts. */
  readonly number: number;
  readonly entry: Entry;
}

export interface RecordedCall {
  readonly call: ToolCall;
  /** Null when the record ends before the call did. */
  readonly result: ToolEntry | null;
  /** Where its result stands among the run's lines; Infinity without one. */
  readonly index: number;
}

export interface RecordedReply {
  readonly entry: AssistantEntry;
  readonly index: number;
  /** In the order in which the model wrote them. */
  readonly calls: readonly RecordedCall[];
  readonly plan: { readonly entry: PlanEntry; readonly index: number } | null;
}

export interface RecordedRun {
  readonly runId: string;
  /** Its own lines in the order of the file: what its delegates wrote belongs to their calls' results. */
  readonly lines: readonly Line[];
  /** What began it; null when that line is lost. */
  readonly message: UserEntry | null;
  /** By the number of the request that they answer, from 1. Requests that brought nothing left no line. */
  readonly replies: ReadonlyMap<number, RecordedReply>;
  /** Null: it was cut off, by a crash say. */
  readonly end: RunEndEntry | null;
  /** How many requests were sent, as far as it is known. */
  readonly requests: number;
  /** Ids of calls that other agents worked for. */
  readonly delegated: ReadonlySet<string>;
}

/** The runs of a session, oldest first. What was put in later to close a run that broke off is no part of its record. */
export function recordedRuns(lines: readonly Line[]): readonly RecordedRun[] {
  const runs = new Map<string, Line[]>();
  const beside = new Set(lines.filter(({ entry }) => isAside(entry)));
  const compacting = new Set([...beside].map(({ entry }) => entry.runId));
  const asked = new Set(lines.filter(({ entry }) => isUser(entry)).map(({ entry }) => entry.runId));
  for (const line of lines) {
    const { runId } = line.entry;
    // A compaction that a person asked for is a run without a message, and nothing of it can be done again.
    if (beside.has(line) || (compacting.has(runId) && !asked.has(runId))) continue;
    const own = runs.get(line.entry.runId);
    if (own) own.push(line);
    else runs.set(line.entry.runId, [line]);
  }
  return [...runs].map(([runId, own]) => recordedRun(runId, own));
}

function recordedRun(runId: string, all: readonly Line[]): RecordedRun {
  const lines = all.filter(({ entry }) => entry.within === undefined && !isClosing(entry));
  const entries = lines.map(({ entry }) => entry);
  const [first] = entries;
  const end = entries.findLast(isRunEnd) ?? null;
  const starts = entries.flatMap((entry, index) => (isAssistant(entry) ? [{ entry, index }] : []));
  const replies = starts.map(({ entry, index }, number) =>
    replyOf(entry, index, entries.slice(index + 1, starts[number + 1]?.index)),
  );
  const last = starts.at(-1)?.entry.iteration ?? 0;
  return {
    runId,
    lines,
    message: first && isUser(first) && first.steering !== true ? first : null,
    replies: new Map(replies.map((reply) => [reply.entry.iteration, reply])),
    end,
    requests: Math.max(end?.iterations ?? 0, last),
    delegated: new Set(all.flatMap(({ entry }) => entry.within ?? [])),
  };
}

/** @param after what stands between this reply and the next */
function replyOf(entry: AssistantEntry, index: number, after: readonly Entry[]): RecordedReply {
  const plan = after.find(isPlan);
  const calls = (entry.tool_calls ?? []).map((call): RecordedCall => {
    const result = after.filter(isTool).find(({ tool_call_id: id }) => id === call.id) ?? null;
    return { call, result, index: result ? index + 1 + after.indexOf(result) : Infinity };
  });
  return { entry, index, calls, plan: plan ? { entry: plan, index: index + 1 + after.indexOf(plan) } : null };
}

/** Put in when the session was opened after a crash, not by the run. */
function isClosing(entry: Entry): boolean {
  if (!entry.id.endsWith("-interrupted")) return false;
  return isRunEnd(entry) || isTool(entry);
}

const asides: ReadonlySet<string> = new Set([
  "begun",
  "compaction",
  "compaction_undone",
  "memory_flush",
  "undo",
  "todos",
]);

/** What is done to a conversation beside it, or said ahead: summaries are a model's, and their requests are not recorded. */
export function isAside(entry: Entry): boolean {
  return "type" in entry && asides.has(String(entry.type));
}

export function isUser(entry: Entry): entry is UserEntry {
  return "role" in entry && entry.role === "user";
}

export function isAssistant(entry: Entry): entry is AssistantEntry {
  return "role" in entry && entry.role === "assistant";
}

export function isTool(entry: Entry): entry is ToolEntry {
  return "role" in entry && entry.role === "tool";
}

export function isPlan(entry: Entry): entry is PlanEntry {
  return "type" in entry && entry.type === "plan";
}

function isRunEnd(entry: Entry): entry is RunEndEntry {
  return "type" in entry && entry.type === "run_end";
}

/** True when the run was stopped from outside, or broke off; false when whoever was asked how to go on has stopped it. */
export function isStopped({ end, lines }: RecordedRun): boolean {
  if (end === null) return true;
  const before = lines.at(-2)?.entry;
  if (before && isPause(before) && before.choice === "stop") return false;
  return end.status === "aborted" || end.status === "timeout";
}

export function isPause(entry: Entry): entry is PauseEntry {
  return "type" in entry && entry.type === "pause";
}

/** The pauses of a run, in order, and where they stand among its lines. */
export function pausesOf({ lines }: RecordedRun): readonly { readonly entry: PauseEntry; readonly index: number }[] {
  return lines.flatMap(({ entry }, index) => (isPause(entry) ? [{ entry, index }] : []));
}

/** The number of the last request whose reply stands before a line. */
export function requestsBefore({ replies }: RecordedRun, index: number): number {
  return Math.max(
    0,
    ...[...replies.values()].filter((reply) => reply.index < index).map(({ entry }) => entry.iteration),
  );
}
