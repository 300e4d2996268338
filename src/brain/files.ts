// Writing to disk so that a crash leaves either the old or the new, and a failure says which file and why.
import { randomUUID } from "node:crypto";
import fs, { constants } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LoopError } from "../protocol/errors.ts";

const tries = 3;
const renameTries = 6;

/**
 * Replaces a file: readers see the old text or the new one, never a part. A symbolic link is replaced, not followed.
 * @param options `sync` false: after a power failure it may be neither; for what can be made again
 * @throws LoopError `disk_write` after three tries
 */
export async function writeAtomic(path: string, text: string, { sync } = { sync: true }): Promise<void> {
  await severalTries(path, async () => {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      const file = await open(temporary, "wx");
      try {
        await file.writeFile(text);
        if (sync) await file.sync();
      } finally {
        await file.close();
      }
      await renameOver(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

/**
 * Adds whole lines in one write, so that lines of two writers never mix. A file that ends inside a line gets the missing
 * newline first; of a write that fails halfway nothing stays. A symbolic link is refused. Synchronous, because what was
 * handed over must be in the file before anything can be shown: a process that is killed after this loses none of it.
 * @param lines without their newlines
 * @throws what Node throws
 */
export function appendNow(path: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const text = `${lines.join("\n")}\n`;
  // Windows has no O_NOFOLLOW: there it adds nothing.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = fs.openSync(path, flags);
  try {
    const { size } = fs.fstatSync(file);
    const bytes = Buffer.from(endsInsideLine(file, size) ? `\n${text}` : text);
    const written = fs.writeSync(file, bytes);
    if (written === bytes.length) return;
    takeBack(file, size, written);
    throw Object.assign(new Error("short write"), { code: "ENOSPC" });
  } finally {
    fs.closeSync(file);
  }
}

/**
 * `appendNow`, tried again when it fails.
 * @param options `sync`: return only when the disk has them
 * @throws LoopError `disk_write` after three tries
 */
export async function appendLines(path: string, lines: readonly string[], options: { sync: boolean }): Promise<void> {
  if (lines.length === 0) return;
  await severalTries(path, () => appendNow(path, lines));
  if (options.sync) await syncData(path);
}

/**
 * Returns when the disk has all that was written to a file, by whomever.
 * @throws LoopError `disk_write` after three tries
 */
export async function syncData(path: string): Promise<void> {
  await severalTries(path, async () => {
    const file = await open(path, "r+");
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  });
}

/** The text of a file, or null when there is none. Throws what Node throws for every other reason. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Says in a sentence which file could not be written or read, and why. */
export function diskError(path: string, cause: unknown, verb: "write" | "read" = "write"): LoopError {
  return new LoopError("disk_write", `Could not ${verb} ${shown(path)}: ${reasonOf(cause)}.`, { cause });
}

/** The system's name of an error, such as `ENOENT`; `""` when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** @throws LoopError `disk_write` about `path` when the work failed three times */
export async function severalTries(path: string, work: () => void | Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries) throw diskError(path, error);
      await wait(20 * attempt);
    }
  }
}

/** Renames, and tries again: on Windows a scanner or an editor may hold the target for a moment. Throws what Node throws. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (attempt === renameTries || !["EEXIST", "EPERM", "EBUSY", "EACCES"].includes(codeOf(error))) throw error;
      await wait(10 * 2 ** attempt);
    }
  }
}

function endsInsideLine(file: number, size: number): boolean {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  fs.readSync(file, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

/** Only what this write added at the end, and only while nothing came behind it. */
function takeBack(file: number, size: number, written: number): void {
  try {
    if (fs.fstatSync(file).size === size + written) fs.ftruncateSync(file, size);
  } catch {
    // Then the next write begins a new line, and reading leaves the torn one out.
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "it is not writable",
  EPERM: "it is not writable",
  EROFS: "the disk is not writable",
  EISDIR: "a folder is in its place",
  ENOTDIR: "a file is in the place of its folder",
  EEXIST: "a file is in the place of its folder",
  ENOENT: "its folder is gone",
  EBUSY: "another program is using it",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ELOOP: "it is a symbolic link",
  EIO: "the disk reported an error",
};

function reasonOf(cause: unknown): string {
  return reasons[codeOf(cause)] ?? (cause instanceof Error ? cause.message : String(cause));
}

function shown(path: string): string {
  const parts = path.split(sep);
  const start = parts.lastIndexOf(".brain");
  return start === -1 ? basename(path) : parts.slice(start).join("/");
}
