// The lines of a `transcript.jsonl`: where they begin, and what each of them says.
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type * as z from "zod";
import { AssistantEntry, BegunEntry, type Entry, PauseEntry } from "../protocol/messages.ts";
import { CompactionEntry, CompactionUndoneEntry, MemoryFlushEntry, PlanEntry } from "../protocol/messages.ts";
import {
  ForkEntry,
  RunEndEntry,
  TitleEntry,
  TodosEntry,
  ToolEntry,
  UndoEntry,
  UserEntry,
} from "../protocol/messages.ts";

interface Line {
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly start: number;
  readonly ended: boolean;
}

/**
 * The lines of a file, the last one also when it did not end. Split at the newline byte only: the line separators of
 * Unicode are text. Never more than one line and one block of the file are held.
 * @param range bytes; `from` is the beginning of a line, `to` its end and that of the last line that is wanted
 */
export async function* linesOf(path: string, { from = 0, to = Infinity } = {}): AsyncGenerator<Line> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { start: from, end: to - 1, highWaterMark: block });
  let parts: Buffer[] = [];
  let at = from;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      parts.push(chunk.subarray(start, end));
      const line = { bytes: joined(parts), start: at, ended: true };
      at += line.bytes.length + 1;
      yield line;
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield { bytes: joined(parts), start: at, ended: false };
}

/** The lines of a file as it is now, the last one first. Never more than one line and one block of the file are held. */
export async function* linesBack(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    // Of a line whose beginning has not been read yet.
    let rest: Buffer[] = [];
    for (let end = (await file.stat()).size; end > 0;) {
      const bytes = Buffer.alloc(Math.min(block, end));
      end -= bytes.length;
      await file.read(bytes, 0, bytes.length, end);
      let to = bytes.length;
      for (let at = bytes.lastIndexOf(0x0a); at !== -1; at = bytes.subarray(0, at).lastIndexOf(0x0a)) {
        yield joined([bytes.subarray(at + 1, to), ...rest]);
        rest = [];
        to = at;
      }
      rest = [bytes.subarray(0, to), ...rest];
    }
    yield joined(rest);
  } finally {
    await file.close();
  }
}

/** Bytes that are read at once. */
const block = 256 * 1024;

function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return only && parts.length === 1 ? only : Buffer.concat(parts);
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

const strict = new TextDecoder("utf-8", { fatal: true });

export interface ReadableLine {
  /** A string: of a kind that this version does not know. */
  readonly content: Entry | string;
  /** Some bytes of it were no text. */
  readonly mended: boolean;
}

/** What a line says. */
export function parseLine(bytes: Buffer): ReadableLine | "blank" | "unreadable" {
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
const ofOtherVersions: ReadonlySet<unknown> = new Set([
  "compaction",
  "compaction_undone",
  "memory_flush",
  "undo",
  "todos",
]);

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
  ["todos", TodosEntry],
]);
