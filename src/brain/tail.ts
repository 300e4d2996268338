// The end of a transcript, read from its end: a long session can be shown before all of it has been read.
import { type FileHandle, open } from "node:fs/promises";
import { type Entry, isMessage } from "../protocol/messages.ts";
import { codeOf, diskError } from "./files.ts";
import { closeRuns } from "./interrupted.ts";
import { entriesOf } from "./lines.ts";

/** Bytes that are read at first; each time that this is not enough, twice as many. */
const firstLook = 256 * 1024;

export interface Tail {
  /** Whole runs: every call has its result, every run its end. */
  readonly entries: readonly Entry[];
  /** False when there is more before them. */
  readonly complete: boolean;
}

/**
 * At least so many of the last entries, from the beginning of a run on; all when there are fewer. Touches nothing. No file
 * is an empty transcript.
 * @throws LoopError `disk_write` when it cannot be read
 */
export async function readTail(path: string, count: number): Promise<Tail> {
  try {
    const file = await open(path, "r");
    try {
      return await tailOf(file, count);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { entries: [], complete: true };
    throw diskError(path, error, "read");
  }
}

async function tailOf(file: FileHandle, count: number): Promise<Tail> {
  const { size } = await file.stat();
  for (let length = Math.min(firstLook, size); ; length = Math.min(length * 2, size)) {
    const block = Buffer.alloc(length);
    const { bytesRead } = await file.read(block, 0, length, size - length);
    const lines = split(block.subarray(0, bytesRead));
    const all = length === size;
    // Where the look begins is anywhere in a line.
    const entries = entriesOf(all ? lines : lines.slice(1));
    const begin = startOfRun(entries, count);
    if (begin !== -1) return { entries: closeRuns(entries.slice(begin)), complete: false };
    if (all) return { entries: closeRuns(entries), complete: true };
  }
}

/** The last beginning of a run, behind another one, that has so many entries after it; -1 when there is none. */
function startOfRun(entries: readonly Entry[], count: number): number {
  const latest = entries.length - count;
  return entries.findLastIndex((entry, index) => {
    const asked = isMessage(entry) && entry.role === "user" && entry.within === undefined;
    return asked && index > 0 && index <= latest && entries[index - 1]?.runId !== entry.runId;
  });
}

function split(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}
