// Reads `transcript.jsonl`, whatever happened to it: what can be read is kept, the damaged file too, and nothing is emptied.
import { constants } from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Entry, isAboutSession, isMessage, isRevision } from "../protocol/messages.ts";
import { appendLines, codeOf, diskError, writeAtomic } from "./files.ts";
import { closeRuns } from "./interrupted.ts";
import { linesOf, parseLine, type ReadableLine } from "./lines.ts";

export interface Transcript {
  /** Whole: every call has its result, every run its end. */
  readonly entries: readonly Entry[];
  /** Sentences about what was wrong; empty when nothing was. */
  readonly repairs: readonly string[];
}

/** Reads and touches nothing: for lists, and for sessions that somebody else may be writing. No file is an empty transcript. */
export async function readTranscript(path: string): Promise<Transcript> {
  const found = await load(path);
  return { entries: closeRuns(found.entries), repairs: sentences(found) };
}

/** One line of the file that could be read. */
export interface TranscriptLine {
  /** From 1. */
  readonly number: number;
  readonly entry: Entry;
}

/** The entries as they are, each with the number of its line, and what is wrong with the others. */
export async function readLines(
  path: string,
): Promise<{ lines: readonly TranscriptLine[]; repairs: readonly string[] }> {
  const found = await load(path);
  const lines = found.entries.map((entry, index) => ({ number: found.places[index]?.number ?? 0, entry }));
  return { lines, repairs: sentences(found) };
}

/** The entries as they are, without what `readTranscript` adds to make them whole. */
export async function readEntries(path: string): Promise<readonly Entry[]> {
  return (await load(path)).entries;
}

/**
 * Reads and makes the file agree with what is returned: only for who holds the session's lock. A damaged file is first
 * copied beside itself, then replaced; an interrupted run is closed by appending.
 * @param read what is there: all of it, or its end if nothing of that is damaged
 * @throws LoopError `disk_write`
 */
export async function openTranscript(path: string, read?: Found): Promise<Transcript> {
  const found = read ?? (await load(path));
  const entries = closeRuns(found.entries);
  const repairs = sentences(found);
  if (isDamaged(found)) {
    repairs.push(`The transcript as it was is kept as ${await keepDamaged(path)}.`);
    const lines = [undefined, ...entries].flatMap((entry) => [
      ...(entry ? [JSON.stringify(entry)] : []),
      ...(found.later.get(entry) ?? []),
    ]);
    await writeAtomic(path, lines.map((line) => `${line}\n`).join(""));
  } else {
    const last = found.entries.at(-1);
    const closing = last ? entries.slice(entries.lastIndexOf(last) + 1) : [];
    await appendLines(
      path,
      closing.map((entry) => JSON.stringify(entry)),
      { sync: true },
    );
  }
  return { entries, repairs };
}

/** What was read of a transcript. */
export interface Found {
  readonly entries: Entry[];
  /** Of the entries' lines: their numbers, from 1, and the bytes where they begin. */
  readonly places: { readonly number: number; readonly start: number }[];
  /** By their ids; null: an entry that is not kept here any more. */
  readonly seen: Map<string, Entry | null>;
  /** Lines that say again what is there already. */
  readonly again: { readonly id: string; readonly start: number }[];
  /** Lines of a kind that this version does not know, by the entry before them: they stay in the file. */
  readonly later: Map<Entry | undefined, string[]>;
  /** The last line, where it has no end. */
  torn: number;
  unreadable: number;
  mended: number;
  repeated: number;
}

export function isDamaged(found: Found): boolean {
  return found.torn + found.unreadable + found.mended + found.repeated > 0;
}

/**
 * The entries that are there, each once, and what is wrong with the rest. Touches nothing.
 * @param options `from`: the byte where a line begins; `grown`: hears of each entry that was found, and may let go of earlier ones
 * @throws LoopError `disk_write` when it cannot be read
 */
export async function load(
  path: string,
  { from = 0, grown }: { from?: number; grown?: (found: Found, entry: Entry) => void } = {},
): Promise<Found> {
  const none = { torn: 0, unreadable: 0, mended: 0, repeated: 0 };
  const found: Found = { entries: [], places: [], seen: new Map(), again: [], later: new Map(), ...none };
  try {
    let number = 0;
    for await (const { bytes, start, ended } of linesOf(path, { from })) {
      number++;
      const line = parseLine(bytes);
      if (line === "blank") continue;
      if (line === "unreadable") found[ended ? "unreadable" : "torn"]++;
      else if (keep(line, { number, start }, found) && typeof line.content !== "string") grown?.(found, line.content);
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw diskError(path, error, "read");
  }
  return found;
}

/** @returns whether it is something new */
function keep({ content, mended }: ReadableLine, place: Found["places"][number], found: Found): boolean {
  if (mended) found.mended++;
  if (typeof content === "string") {
    const before = found.entries.at(-1);
    found.later.set(before, [...(found.later.get(before) ?? []), content]);
    return true;
  }
  const first = found.seen.get(content.id);
  if (first === undefined) {
    found.seen.set(content.id, content);
    found.entries.push(content);
    found.places.push(place);
    return true;
  }
  // A line written twice, because the first write looked failed, is no damage.
  if (first !== null && JSON.stringify(first) === JSON.stringify(content))
    found.again.push({ id: content.id, start: place.start });
  else found.repeated++;
  return false;
}

/**
 * What is taken of each entry in the first bytes of a transcript, as they are, in their order.
 * @param to the byte where a line begins
 * @throws LoopError `disk_write` when it cannot be read
 */
export async function readEarlier<T>(path: string, to: number, take: (entry: Entry) => readonly T[]): Promise<T[]> {
  const taken: T[] = [];
  const seen = new Set<string>();
  try {
    for await (const { bytes } of linesOf(path, { to })) {
      const line = parseLine(bytes);
      if (typeof line === "string" || typeof line.content === "string" || seen.has(line.content.id)) continue;
      const parts = take(line.content);
      if (parts.length > 0) seen.add(line.content.id);
      taken.push(...parts);
    }
  } catch (error) {
    throw diskError(path, error, "read");
  }
  return taken;
}

async function keepDamaged(path: string): Promise<string> {
  for (let n = 1; ; n++) {
    const copy = join(dirname(path), `transcript.damaged-${n}.jsonl`);
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      await syncFile(copy);
      return basename(copy);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw diskError(copy, error);
    }
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function sentences(found: Found): string[] {
  const some = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [count === 1 ? `One line ${one}.` : `${count} lines ${many}.`];
  return [
    ...(found.torn > 0 ? ["The last line of the transcript was cut off and is left out."] : []),
    ...some(
      found.unreadable,
      "of the transcript could not be read and is left out",
      "of the transcript could not be read and are left out",
    ),
    ...some(found.mended, "of the transcript had broken characters", "of the transcript had broken characters"),
    ...some(
      found.repeated,
      "of the transcript repeated an id and is left out",
      "of the transcript repeated an id and are left out",
    ),
    ...(wasInterrupted(found.entries) ? ["The last run was interrupted; it is kept as stopped."] : []),
  ];
}

function wasInterrupted(entries: readonly Entry[]): boolean {
  const last = entries.findLast((entry) => !isRevision(entry) && !isAboutSession(entry));
  return last !== undefined && (isMessage(last) || last.type !== "run_end");
}
