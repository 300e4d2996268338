// Where the part of a transcript begins that a request can still read: what is before it need not be kept in memory. Pure.
import { compactionOf } from "../protocol/compacted.ts";
import { type Entry, isAboutSession, isMessage, isRevision } from "../protocol/messages.ts";

/**
 * Index of the first entry that is needed. Everything before it is settled, so that what is before and what is behind it
 * are made whole each by itself.
 * @param is `complete`: nothing was there before these entries; `growing`: more may come, and end the runs that have no end yet
 * @returns 0 when all are needed; null when more than these may be
 */
export function liveFrom(entries: readonly Entry[], is: { complete: boolean; growing: boolean }): number | null {
  const compaction = compactionOf(entries.filter(({ within }) => within === undefined));
  const unknown = is.complete ? 0 : null;
  if (!compaction) return unknown;
  const { firstKeptId, edits, id } = compaction;
  const root = entries.findIndex((entry) => entry.id === (edits ?? id));
  const first = firstKeptId === "" ? root : entries.findIndex((entry) => entry.id === firstKeptId);
  return first === -1 ? unknown : lastCut(entries, Math.min(first, root), is.growing);
}

/** The last index up to a latest one at which no call is unanswered, and no run is divided whose end would be missed. */
function lastCut(entries: readonly Entry[], latest: number, growing: boolean): number {
  const loose = looseRuns(entries).filter(({ end }) => !growing || end !== -1);
  const isDivided = (index: number): boolean =>
    loose.some(({ first, last, end }) => first < index && (end === -1 || (index <= last && end < index)));
  const open = new Map<string, Set<string>>();
  let cut = 0;
  for (let index = 0; index <= latest; index++) {
    if (open.size === 0 && !isDivided(index)) cut = index;
    const entry = entries[index];
    if (entry) follow(open, entry);
  }
  return cut;
}

interface Span {
  readonly first: number;
  last: number;
  /** -1: it has none. */
  end: number;
}

/** Runs that do not close with their end. */
function looseRuns(entries: readonly Entry[]): readonly Span[] {
  const runs = new Map<string, Span>();
  for (const [index, entry] of entries.entries()) {
    if (isAside(entry)) continue;
    const run = runs.get(entry.runId) ?? { first: index, last: index, end: -1 };
    run.last = index;
    if (isEnd(entry)) run.end = index;
    runs.set(entry.runId, run);
  }
  return [...runs.values()].filter(({ last, end }) => end < last);
}

/** Calls without an answer, by conversation: the session's own and those of delegates. */
function follow(open: Map<string, Set<string>>, entry: Entry): void {
  const conversation = entry.within ?? "";
  if (isEnd(entry)) open.clear();
  if (!isMessage(entry)) return;
  if (entry.role === "tool" && open.get(conversation)?.delete(entry.tool_call_id)) {
    if (open.get(conversation)?.size === 0) open.delete(conversation);
    return;
  }
  const calls = entry.role === "assistant" ? (entry.tool_calls ?? []) : [];
  if (calls.length === 0) open.delete(conversation);
  else open.set(conversation, new Set(calls.map(({ id }) => id)));
}

/** Lines that stand for themselves: they neither begin a run nor go on with one. */
export function isAside(entry: Entry): boolean {
  return isAboutSession(entry) || isRevision(entry);
}

export function isEnd(entry: Entry): boolean {
  return !isMessage(entry) && entry.type === "run_end";
}
