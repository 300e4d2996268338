// A stretch of a transcript, read from its end: a long session can be shown before all of it has been read, and followed as it grows.
import { type FileHandle, open } from "node:fs/promises";
import { type Entry, isMessage } from "../protocol/messages.ts";
import { titleOf } from "../protocol/view.ts";
import { codeOf, diskError } from "./files.ts";
import { entriesOf, linesOf } from "./lines.ts";

/** Bytes that are read at first; each time that this is not enough, twice as many. */
const firstLook = 256 * 1024;

/** Up to where a transcript has been read. */
export interface Mark {
  /** The file's own number: a repair puts another file in its place. 0: there was none. */
  readonly file: number;
  /** Bytes, up to the end of a line. */
  readonly to: number;
}

/** Nothing of a transcript has been read. */
export const unread: Mark = { file: 0, to: 0 };

/** The first entry of a stretch, and the bytes before it. */
export interface Begin {
  readonly at: number;
  readonly id: string;
}

export interface Tail {
  /** From the beginning of a run on, as they are in the file: the last run may have no end. */
  readonly entries: readonly Entry[];
  /** Where the entries before these end; null when there are none. */
  readonly begin: Begin | null;
  readonly mark: Mark;
}

export interface Growth {
  readonly entries: readonly Entry[];
  readonly mark: Mark;
}

/**
 * At least so many of the last entries, from the beginning of a run on; all when there are fewer. Touches nothing. No file
 * is an empty transcript.
 * @param before where a stretch that is known begins: the one before it is read
 * @throws LoopError `disk_write` when it cannot be read
 */
export async function readTail(path: string, count: number, before?: Begin): Promise<Tail> {
  const nothing = { entries: [], begin: null, mark: unread };
  return reading(path, nothing, async (file) => {
    const { size, ino } = await file.stat();
    const to = before ? await findBegin(path, before) : await endOfLines(file, size);
    return { ...(await tailOf(file, count, to)), mark: { file: ino, to } };
  });
}

/**
 * What has been written behind a mark, in whole lines. Touches nothing.
 * @returns null when there is another file now, and the mark says nothing about it
 * @throws LoopError `disk_write` when it cannot be read
 */
export async function readGrowth(path: string, { file: known, to }: Mark): Promise<Growth | null> {
  return reading<Growth | null>(path, known === 0 ? { entries: [], mark: unread } : null, async (file) => {
    const { size, ino } = await file.stat();
    if ((known !== 0 && known !== ino) || size < to) return null;
    const bytes = await read(file, to, size);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const entries = placed(bytes.subarray(0, end), to).map(({ entry }) => entry);
    return { entries, mark: { file: ino, to: to + end } };
  });
}

/** What a session is called by its first message; `""` without one. Throws what Node throws. */
export async function firstWords(path: string): Promise<string> {
  for await (const { bytes } of linesOf(path)) {
    const [entry] = entriesOf([bytes]);
    if (entry && isMessage(entry) && entry.role === "user") return titleOf(entry.content);
  }
  return "";
}

async function reading<T>(path: string, missing: T, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const file = await open(path, "r");
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return missing;
    throw diskError(path, error, "read");
  }
}

async function tailOf(file: FileHandle, count: number, end: number): Promise<Pick<Tail, "entries" | "begin">> {
  for (let length = Math.min(firstLook, end); ; length = Math.min(length * 2, end)) {
    const start = end - length;
    const bytes = await read(file, start, end);
    // Where the look begins is anywhere in a line.
    const skipped = start === 0 ? 0 : bytes.indexOf(0x0a) + 1;
    const found = placed(bytes.subarray(skipped), start + skipped);
    const index = startOfRun(found, count);
    const first = found[index];
    if (first) {
      const entries = found.slice(index).map(({ entry }) => entry);
      return { entries, begin: { at: first.at, id: first.entry.id } };
    }
    if (start === 0) return { entries: found.map(({ entry }) => entry), begin: null };
  }
}

interface Placed {
  readonly entry: Entry;
  /** Bytes of the file before its line. */
  readonly at: number;
}

/** The entries of some bytes that begin with a line; one that is repeated counts where it is first. */
function placed(bytes: Buffer, offset: number): Placed[] {
  const found = new Map<string, Placed>();
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const [entry] = entriesOf([bytes.subarray(start, end)]);
    if (entry && !found.has(entry.id)) found.set(entry.id, { entry, at: offset + start });
    start = end + 1;
  }
  return [...found.values()];
}

/** The last beginning of a run, behind another one, that has so many entries after it; -1 when there is none. */
function startOfRun(found: readonly Placed[], count: number): number {
  const latest = found.length - count;
  return found.findLastIndex(({ entry }, index) => {
    const asked = isMessage(entry) && entry.role === "user" && entry.within === undefined;
    return asked && index > 0 && index <= latest && found[index - 1]?.entry.runId !== entry.runId;
  });
}

/** Where an entry is now: a repair moves what comes after the damage. 0 when it is gone. */
async function findBegin(path: string, { at, id }: Begin): Promise<number> {
  for await (const { bytes } of linesOf(path, { from: at })) {
    if (entriesOf([bytes])[0]?.id === id) return at;
    break;
  }
  let offset = 0;
  for await (const { bytes } of linesOf(path)) {
    if (entriesOf([bytes])[0]?.id === id) return offset;
    offset += bytes.length + 1;
  }
  return 0;
}

/** A line that is just being written, or was cut off, does not count yet. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  for (let length = Math.min(firstLook, size); ; length = Math.min(length * 2, size)) {
    const bytes = await read(file, size - length, size);
    const rest = bytes.lastIndexOf(0x0a) + 1;
    if (rest === 0 && length < size) continue;
    return entriesOf([bytes.subarray(rest)]).length > 0 ? size : size - length + rest;
  }
}

async function read(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const block = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(block, 0, block.length, start);
  return block.subarray(0, bytesRead);
}
