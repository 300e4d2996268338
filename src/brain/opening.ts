// Opens a transcript for a run: the part that a request can still read, and a summary of all of it, without reading the rest twice.
import { stat } from "node:fs/promises";
import { type Entry, isMessage } from "../protocol/messages.ts";
import { closeCalls } from "./interrupted.ts";
import type { SessionLayout } from "./layout.ts";
import { isAside, isEnd, liveFrom } from "./live.ts";
import { addEntry, emptySummary, readCache, type Resume, type SessionSummary, type Stamp } from "./summary.ts";
import { type Found, isDamaged, load, openTranscript, type Transcript } from "./transcript.ts";

export interface Opened extends Transcript {
  readonly summary: SessionSummary;
  /** Where the entries begin in the file, for the next time; undefined: with its first line. */
  readonly resume: Resume | undefined;
}

/** A transcript, or its end with what is to be known of the rest. */
interface Part {
  readonly found: Found;
  /** Of what was let go of; undefined: of nothing. */
  before: Resume | undefined;
  /** The runs of what was let go of here, and whether their end is among that. */
  readonly runs: Map<string, boolean>;
}

/**
 * Reads, and mends what is damaged: only for who holds the session's lock. What a compaction stands for is passed over, as
 * `session.json` says where, if that is about this very file; else all is read once, and no more kept than is needed.
 * @throws LoopError `disk_write`
 */
export async function openSession(session: SessionLayout, id: string): Promise<Opened> {
  const { transcript: path } = session;
  const cached = await readCache(session.summary);
  const part = (await readOn(path, cached?.resume)) ?? (await readThrough(path)) ?? partOf(await load(path));
  // Where all is written anew, it is to be at hand.
  if (!isDamaged(part.found)) letGo(part, false);
  const { entries, repairs } = await openTranscript(path, part.found);
  const { before } = part;
  const counted = { ...emptySummary(id), ...before?.summary };
  const title = before?.titled === true ? counted.title : cached?.summary.title || counted.title;
  // Counted anew, because the cache may be behind; its title and what was added to it by hand are kept.
  const start = { ...cached?.summary, ...counted, id, title };
  return { entries, repairs, summary: entries.reduce(addEntry, start), resume: before };
}

function partOf(found: Found, before?: Resume): Part {
  return { found, before, runs: new Map() };
}

/** From where it was begun the last time; null when that is not known for the file that is there now. */
async function readOn(path: string, resume: (Resume & Stamp) | undefined): Promise<Part | null> {
  if (!resume) return null;
  const now = await stat(path).catch(() => null);
  if (now?.size !== resume.size || now.mtimeMs !== resume.changed) return null;
  const found = await load(path, { from: resume.from });
  if (isDamaged(found) || found.entries[0]?.id !== resume.first || !isEnough(found)) return null;
  return partOf(found, resume);
}

/** From its first line, letting go on the way; null when something of that is needed after all. */
async function readThrough(path: string): Promise<Part | null> {
  let part: Part | undefined;
  const found = await load(path, {
    grown(growing, entry) {
      if (isMessage(entry) || entry.type !== "compaction") return;
      part ??= partOf(growing);
      letGo(part, true);
    },
  });
  if (!part?.before) return partOf(found);
  return !isDamaged(found) && isEnough(found) && isSettled(part) ? part : null;
}

/** Whether the compaction that counts is here, and all that is read behind it. */
function isEnough({ entries }: Found): boolean {
  return liveFrom(entries, { complete: false, growing: false }) !== null;
}

/** Whether every run that was let go of has its end on the right side. */
function isSettled({ found, runs }: Part): boolean {
  const here = new Map<string, boolean>();
  note(here, found.entries);
  return [...runs].every(([runId, ended]) => here.get(runId) ?? ended);
}

function note(runs: Map<string, boolean>, entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (!isAside(entry)) runs.set(entry.runId, isEnd(entry) || runs.get(entry.runId) === true);
  }
}

/** Keeps of what was found only what is needed. */
function letGo(part: Part, growing: boolean): void {
  const { found, before } = part;
  const count = liveFrom(found.entries, { complete: before === undefined, growing }) ?? 0;
  const first = found.entries[count];
  const from = found.places[count]?.start;
  if (count === 0 || !first || from === undefined) return;
  const gone = found.entries.slice(0, count);
  const ids = new Set(gone.map(({ id }) => id));
  // A line that is there twice, on both sides: alone, the second one would count.
  if (found.again.some(({ id, start }) => start > from && ids.has(id))) return;
  found.entries.splice(0, count);
  found.places.splice(0, count);
  for (const entry of gone) {
    found.seen.set(entry.id, null);
    found.later.delete(entry);
  }
  note(part.runs, gone);
  part.before = {
    from,
    first: first.id,
    titled: before?.titled === true || gone.some((entry) => !isMessage(entry) && entry.type === "title"),
    summary: closeCalls(gone).reduce(addEntry, before?.summary ?? emptySummary("")),
  };
}
