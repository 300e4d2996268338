// All that a command prints, on the disk: written once it is more than the model is shown, so that the rest can be read.
import { createWriteStream, existsSync, mkdirSync, type WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

/** Bytes after which no more is written. */
export const mostLogged = 64 * 1024 * 1024;
/** Bytes that are not worth a file. */
const early = 32 * 1024;
const ahead = 1024 * 1024;

export interface OutputLog {
  /** @returns a promise when the disk is behind: nothing more should come before it has settled */
  add(chunk: Buffer): Promise<void> | null;
  /** From now on everything is in the file, however little it is. */
  keep(): void;
  /** True once there is a file. */
  readonly kept: () => boolean;
  /** Returns when all that was added is in the file. Never throws. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function outputLog(path: string): OutputLog {
  let waiting: Buffer[] = [];
  let held = 0;
  let written = 0;
  let file: WriteStream | null = null;
  let broken = false;
  const write = (chunk: Buffer): boolean => {
    const part = chunk.subarray(0, mostLogged - written);
    written += part.length;
    return broken || part.length === 0 || file === null || file.write(part);
  };
  const keep = (): void => {
    if (file || broken) return;
    try {
      file = openLog(path, () => (broken = true));
      for (const chunk of waiting) write(chunk);
    } catch {
      broken = true;
    }
    waiting = [];
  };
  const flush = (): Promise<void> =>
    new Promise((resolve) => (file === null || broken || file.destroyed ? resolve() : file.write("", () => resolve())));
  return {
    add(chunk) {
      if (file || broken) return write(chunk) ? null : flush();
      waiting.push(chunk);
      held += chunk.length;
      if (held > early) keep();
      return null;
    },
    keep,
    kept: () => file !== null && !broken,
    flush,
    close: () => new Promise((resolve) => (file === null || broken ? resolve() : file.end(() => resolve()))),
  };
}

function openLog(path: string, failed: () => void): WriteStream {
  const folder = dirname(path);
  // Never recursive: a session that is gone must not come back as an empty one.
  if (!existsSync(folder)) mkdirSync(folder);
  return createWriteStream(path, { flags: "wx", highWaterMark: ahead }).on("error", failed);
}

export interface LogPart {
  readonly text: string;
  /** Where it begins and ends, and how much there is, in bytes. */
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

/**
 * A part of a log as text; a character that is cut by its ends is left to the next part.
 * @returns null when there is no such file
 */
export async function readLog(path: string, from: number, most: number): Promise<LogPart | null> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.max(0, Math.min(most, size - from)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const whole = buffer.subarray(0, bytesRead);
    const part = whole.subarray(0, from + bytesRead < size ? endOfCharacters(whole) : bytesRead);
    return { text: part.toString("utf8"), from, to: from + part.length, size };
  } finally {
    await file.close();
  }
}

/** Index behind the last whole character. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
