// Reads `transcript.jsonl`, whatever happened to it: what can be read is kept, the damaged file too, and nothing is emptied.
import { copyFile, open } from "node:fs/promises";
import { constants, createReadStream } from "node:fs";
import { basename, dirname, join } from "node:path";
import type * as z from "zod";
import {
  AssistantEntry,
  BegunEntry,
  type Entry,
  isAboutSession,
  isMessage,
  isRevision,
  PauseEntry,
} from "../protocol/messages.ts";
import { CompactionEntry, CompactionUndoneEntry, MemoryFlushEntry, PlanEntry } from "../protocol/messages.ts";
import { ForkEntry, RunEndEntry, TitleEntry, ToolEntry, UndoEntry, UserEntry } from "../protocol/messages.ts";
import { appendLines, codeOf, diskError, writeAtomic } from "./files.ts";
import { closeRuns } from "./interrupted.ts";

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
  const lines = found.entries.map((entry, index) => ({ number: found.numbers[index] ?? 0, entry }));
  return { lines, repairs: sentences(found) };
}

/** The entries as they are, without what `readTranscript` adds to make them whole. */
export async function readEntries(path: string): Promise<readonly Entry[]> {
  return (await load(path)).entries;
}

/**
 * Reads and makes the file agree with what is returned: only for who holds the session's lock. A damaged file is first
 * copied beside itself, then replaced; an interrupted run is closed by appending.
 * @throws LoopError `disk_write`
 */
export async function openTranscript(path: string): Promise<Transcript> {
  const found = await load(path);
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

interface Found {
  readonly entries: Entry[];
  /** Of the entries' lines. */
  readonly numbers: number[];
  /** Lines of a kind that this version does not know, by the entry before them: they stay in the file. */
  readonly later: Map<Entry | undefined, string[]>;
  tornEnd: boolean;
  unreadable: number;
  mended: number;
  repeated: number;
}

function isDamaged(found: Found): boolean {
  return found.tornEnd || found.unreadable + found.mended + found.repeated > 0;
}

/**
 * The entries of some lines, as they are: what cannot be read, or is of a later version, is left out.
 * @param lines without their newlines
 */
export function entriesOf(lines: Iterable<Buffer>): Entry[] {
  const found: Entry[] = [];
  for (const bytes of lines) {
    const line = parseLine(bytes);
    if (typeof line === "object" && typeof line.content === "object") found.push(line.content);
  }
  return [...new Map(found.toReversed().map((entry) => [entry.id, entry])).values()].toReversed();
}

async function load(path: string): Promise<Found> {
  const found: Found = {
    entries: [],
    numbers: [],
    later: new Map(),
    tornEnd: false,
    unreadable: 0,
    mended: 0,
    repeated: 0,
  };
  const seen = new Map<string, Entry>();
  try {
    let number = 0;
    for await (const { bytes, ended } of linesOf(path)) {
      number++;
      const line = parseLine(bytes);
      if (line === "blank") continue;
      if (line !== "unreadable") keep(line, number, seen, found);
      else if (ended) found.unreadable++;
      else found.tornEnd = true;
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw diskError(path, error, "read");
  }
  return found;
}

function keep({ content, mended }: ReadableLine, number: number, seen: Map<string, Entry>, found: Found): void {
  if (mended) found.mended++;
  if (typeof content === "string") {
    const before = found.entries.at(-1);
    found.later.set(before, [...(found.later.get(before) ?? []), content]);
    return;
  }
  const first = seen.get(content.id);
  if (first === undefined) {
    seen.set(content.id, content);
    found.entries.push(content);
    found.numbers.push(number);
    // A line written twice, because the first write looked failed, is no damage.
  } else if (JSON.stringify(first) !== JSON.stringify(content)) {
    found.repeated++;
  }
}

/** The lines of a file, the last one also when it did not end. Split at the newline byte only: the line separators of Unicode are text. */
export async function* linesOf(path: string): AsyncGenerator<{ bytes: Buffer; ended: boolean }> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      parts.push(chunk.subarray(start, end));
      yield { bytes: Buffer.concat(parts), ended: true };
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), ended: false };
}

const strict = new TextDecoder("utf-8", { fatal: true });

interface ReadableLine {
  /** A string: of a kind that this version does not know. */
  readonly content: Entry | string;
  /** Some bytes of it were no text. */
  readonly mended: boolean;
}

function parseLine(bytes: Buffer): ReadableLine | "blank" | "unreadable" {
  const text = decode(bytes);
  // A power failure can leave zeros where a line was to be; in JSON they mean nothing.
  const json = (text ?? bytes.toString("utf8")).replaceAll("\0", "").trim();
  if (json === "") return bytes.includes(0) ? "unreadable" : "blank";
  const content = parseJson(json);
  return content === null ? "unreadable" : { content, mended: text === null || bytes.includes(0) };
}

function decode(bytes: Buffer): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

function parseJson(json: string): Entry | string | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  // Chosen by its kind instead of trying all: a long transcript is read before its first line can be shown.
  const kind = "role" in value ? value.role : "type" in value ? value.type : "run_end";
  const schema = typeof kind === "string" ? schemas.get(kind) : undefined;
  if (!schema) return "role" in value || typeof kind !== "string" ? null : json;
  return schema.safeParse(value).data ?? (ofOtherVersions.has(kind) ? json : null);
}

/** Only what the model reads depends on these: in another form than is known here they stay in the file, unread. */
const ofOtherVersions: ReadonlySet<unknown> = new Set(["compaction", "compaction_undone", "memory_flush", "undo"]);

const schemas = new Map<string, z.ZodType<Entry>>([
  ["user", UserEntry],
  ["assistant", AssistantEntry],
  ["tool", ToolEntry],
  ["begun", BegunEntry],
  ["run_end", RunEndEntry],
  ["plan", PlanEntry],
  ["pause", PauseEntry],
  ["title", TitleEntry],
  ["fork", ForkEntry],
  ["compaction", CompactionEntry],
  ["compaction_undone", CompactionUndoneEntry],
  ["memory_flush", MemoryFlushEntry],
  ["undo", UndoEntry],
]);

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
    ...(found.tornEnd ? ["The last line of the transcript was cut off and is left out."] : []),
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
