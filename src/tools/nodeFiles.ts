// Files on disk: UTF-8 text, read whole and replaced in one step.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, open, rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import { openFile, openParent, type OpenedFolder } from "../scope/opening.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { codeOf, fileProblem } from "./fileProblem.ts";
import { moveDisk, removeDisk } from "./removing.ts";
import { hashText, type FileContent, type Files, type WriteOutcome } from "./workspace.ts";

const largest = 10 * 1024 * 1024;
const mark = "\uFEFF";

/** The files of this machine's disk. */
export function nodeFiles(): Files {
  return {
    read: async (path) => content(await readDisk(path)),
    write: async (path, text, expectedHash) => {
      try {
        return await writeDisk(path, text, expectedHash);
      } catch (error) {
        return { kind: "failed", message: codeOf(error) === "" ? message(error) : fileProblem(path.relative, error) };
      }
    },
    remove: (path, expectedHash) =>
      removeDisk(path, async () => {
        const now = await readDisk(path);
        return now !== null && hashText(now.text) === expectedHash;
      }),
    async find({ real }) {
      const there = await lstat(real).catch(() => null);
      return there === null ? "nothing" : there.isDirectory() ? "folder" : "file";
    },
    move: moveDisk,
  };
}

interface DiskFile {
  readonly text: string;
  readonly mode: number;
  readonly marked: boolean;
}

function content(file: DiskFile | null): FileContent | null {
  return file && { text: file.text, hash: hashText(file.text), source: "disk", unsaved: false };
}

async function readDisk(path: ScopedPath): Promise<DiskFile | null> {
  const read = async (): Promise<{ bytes: Buffer; mode: number }> => {
    const { handle, size, mode } = await openFile(path);
    try {
      if (size > largest)
        throw new Error(`“${path.relative}” is too large (${size} bytes; at most ${largest} can be read).`);
      return { bytes: await handle.readFile(), mode };
    } finally {
      await handle.close();
    }
  };
  const file = await read().catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    throw codeOf(error) === "" ? error : new Error(fileProblem(path.relative, error), { cause: error });
  });
  return file && { ...decode(file.bytes, path.relative), mode: file.mode };
}

function decode(bytes: Buffer, name: string): { text: string; marked: boolean } {
  if (bytes.includes(0)) throw new Error(`“${name}” is a binary file; only UTF-8 text can be used.`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(mark) ? { text: text.slice(1), marked: true } : { text, marked: false };
  } catch (cause) {
    throw new Error(`“${name}” is not valid UTF-8; only UTF-8 text can be used.`, { cause });
  }
}

async function writeDisk(path: ScopedPath, text: string, expectedHash: string | null): Promise<WriteOutcome> {
  const before = await readDisk(path);
  if ((before && hashText(before.text)) !== expectedHash) return { kind: "stale" };
  const folder = await openParent(path);
  try {
    const bare = text.startsWith(mark) ? text.slice(1) : text;
    const marked = before?.marked === true || bare !== text;
    const replaced = await replace({ path, folder, text: marked ? mark + bare : bare, before });
    return replaced ? { kind: "written", hash: hashText(bare), saved: true } : { kind: "stale" };
  } finally {
    await folder.close();
  }
}

interface Replacement {
  readonly path: ScopedPath;
  readonly folder: OpenedFolder;
  readonly text: string;
  readonly before: DiskFile | null;
}

/** In one step, seen from the folder that was opened; false when the file is not what it was before. */
async function replace({ path, folder, text, before }: Replacement): Promise<boolean> {
  const there = `${folder.path}/${basename(path.real)}`;
  if (before) await access(there, constants.W_OK);
  const beside = `${folder.path}/.brain-${randomUUID()}.tmp`;
  try {
    await writeSynced(beside, text, before?.mode);
    const now = await readDisk(path);
    if (now?.text !== before?.text) return false;
    await folder.verify();
    await rename(beside, there);
    return true;
  } finally {
    await rm(beside, { force: true });
  }
}

async function writeSynced(path: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(path, "wx");
  try {
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
