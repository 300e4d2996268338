// Writing to disk so that a crash leaves either the old or the new, and a failure says which file and why.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { basename, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LoopError } from "../protocol/errors.ts";

const tries = 3;
const renameTries = 6;

/**
 * Replaces a file: readers see the old text or the new one, never a part. A symbolic link is replaced, not followed.
 * @throws LoopError `disk_write` after three tries
 */
export async function writeAtomic(path: string, text: string): Promise<void> {
  await severalTries(path, async () => {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      const file = await open(temporary, "wx");
      try {
        await file.writeFile(text);
        await file.sync();
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
 * newline first. A symbolic link is refused.
 * @param lines without their newlines
 * @param options `sync`: return only when the disk has them
 * @throws LoopError `disk_write` after three tries; a part may then have been written
 */
export async function appendLines(path: string, lines: readonly string[], options: { sync: boolean }): Promise<void> {
  if (lines.length === 0) return;
  const text = `${lines.join("\n")}\n`;
  // Windows has no O_NOFOLLOW: there it adds nothing.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  await severalTries(path, async () => {
    const file = await open(path, flags);
    try {
      const bytes = Buffer.from((await endsInsideLine(file)) ? `\n${text}` : text);
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
      if (options.sync) await file.datasync();
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

async function severalTries(path: string, work: () => Promise<void>): Promise<void> {
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

async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
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
