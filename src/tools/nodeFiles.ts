// Files on disk: text in whatever encoding it has, read whole and replaced in one step.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, open, rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import { openFile, openParent, type OpenedFolder } from "../scope/opening.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { codeOf, fileProblem } from "./fileProblem.ts";
import { decode, encode, encodingForNew, lackingWords, type Decoded, type SetEncodings } from "./encodings.ts";
import { moveDisk, removeDisk } from "./removing.ts";
import { hashText, type FileContent, type Files, type WriteOutcome } from "./workspace.ts";

const largest = 10 * 1024 * 1024;
const mark = "\uFEFF";

/**
 * The files of this machine's disk.
 * @param encodings what a person has set; absent: Unicode, and Windows-1252 where it is none
 */
export function nodeFiles(encodings?: SetEncodings): Files {
  return {
    read: async (path) => content(await readDisk(path, encodings)),
    write: async (path, text, expectedHash) => {
      try {
        return await writeDisk({ path, text, encodings }, expectedHash);
      } catch (error) {
        return { kind: "failed", message: codeOf(error) === "" ? message(error) : fileProblem(path.relative, error) };
      }
    },
    remove: (path, expectedHash) =>
      removeDisk(path, async () => {
        const now = await readDisk(path, encodings);
        return now !== null && hashText(now.text) === expectedHash;
      }),
    removeWhole: removeDisk,
    async find({ real }) {
      const there = await lstat(real).catch(() => null);
      return there === null ? "nothing" : there.isDirectory() ? "folder" : "file";
    },
    move: moveDisk,
  };
}

interface DiskFile extends Decoded {
  readonly bytes: Buffer;
  readonly mode: number;
}

function content(file: DiskFile | null): FileContent | null {
  if (!file) return null;
  const { text, encoding } = file;
  const other = encoding.name === "utf8" ? {} : { encoding: encoding.name };
  return { text, hash: hashText(text), source: "disk", unsaved: false, ...other };
}

async function readBytes(path: ScopedPath): Promise<Pick<DiskFile, "bytes" | "mode"> | null> {
  const read = async (): Promise<Pick<DiskFile, "bytes" | "mode">> => {
    const { handle, size, mode } = await openFile(path);
    try {
      if (size > largest)
        throw new Error(`“${path.relative}” is too large (${size} bytes; at most ${largest} can be read).`);
      return { bytes: await handle.readFile(), mode };
    } finally {
      await handle.close();
    }
  };
  return read().catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    throw codeOf(error) === "" ? error : new Error(fileProblem(path.relative, error), { cause: error });
  });
}

async function readDisk(path: ScopedPath, encodings: SetEncodings | undefined): Promise<DiskFile | null> {
  const file = await readBytes(path);
  if (!file) return null;
  const decoded = await decode(file.bytes, encodings?.nameFor(path.real) ?? null, encodings);
  if (!decoded)
    throw new Error(`“${path.relative}” is a binary file: it is not text in an encoding that is known here.`);
  return { ...file, ...decoded };
}

interface Writing {
  readonly path: ScopedPath;
  readonly text: string;
  readonly encodings: SetEncodings | undefined;
}

async function writeDisk({ path, text, encodings }: Writing, expectedHash: string | null): Promise<WriteOutcome> {
  const before = await readDisk(path, encodings);
  if ((before && hashText(before.text)) !== expectedHash) return { kind: "stale" };
  // A mark that the model writes itself is no part of the text, unless there was one behind the file's own.
  const bare = text.startsWith(mark) && !before?.text.startsWith(mark) ? text.slice(1) : text;
  const bytes = await bytesFor({ path, text, encodings }, bare, before);
  if ("lacks" in bytes) return { kind: "failed", message: bytes.lacks };
  const folder = await openParent(path);
  try {
    const replaced = await replace({ path, folder, bytes, before });
    return replaced ? { kind: "written", hash: hashText(bare), saved: true } : { kind: "stale" };
  } finally {
    await folder.close();
  }
}

/** @returns `lacks`: a sentence about a character that cannot be written */
async function bytesFor(
  { path, text, encodings }: Writing,
  bare: string,
  before: DiskFile | null,
): Promise<Buffer | { readonly lacks: string }> {
  const encoding = before?.encoding ?? encodingForNew(encodings?.nameFor(path.real) ?? null);
  const marked = encoding.marked || (encoding.name === "utf8" && bare !== text);
  const bytes = await encode(bare, { ...encoding, marked }, encodings);
  return "lacks" in bytes ? { lacks: lackingWords(path.relative, encoding, bytes.lacks) } : bytes;
}

interface Replacement {
  readonly path: ScopedPath;
  readonly folder: OpenedFolder;
  readonly bytes: Buffer;
  readonly before: DiskFile | null;
}

/** In one step, seen from the folder that was opened; false when the file is not what it was before. */
async function replace({ path, folder, bytes, before }: Replacement): Promise<boolean> {
  const there = `${folder.path}/${basename(path.real)}`;
  if (before) await access(there, constants.W_OK);
  const beside = `${folder.path}/.brain-${randomUUID()}.tmp`;
  try {
    await writeSynced(beside, bytes, before?.mode);
    const now = await readBytes(path);
    if (now === null || before === null ? now !== before : !now.bytes.equals(before.bytes)) return false;
    await folder.verify();
    await rename(beside, there);
    return true;
  } finally {
    // What could not be cleared away does not undo what was written.
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

async function writeSynced(path: string, bytes: Buffer, mode: number | undefined): Promise<void> {
  const handle = await open(path, "wx");
  try {
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
