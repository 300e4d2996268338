// Deleting and moving files and folders on disk: only what was seen, through the folders that were opened, and never over another file.
import { link, lstat, rename, rm, unlink } from "node:fs/promises";
import { basename } from "node:path";
import { openFile, openParent, type OpenedFolder } from "../scope/opening.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { codeOf, fileProblem } from "./fileProblem.ts";
import type { MoveOutcome, RemoveOutcome } from "./workspace.ts";

/** @param isAsSeen whether it still is what was shown to the person */
export async function removeDisk(path: ScopedPath, isAsSeen: () => Promise<boolean>): Promise<RemoveOutcome> {
  try {
    const folder = await openParent(path);
    try {
      if (!(await isAsSeen())) return { kind: "stale" };
      await folder.verify();
      await rm(`${folder.path}/${basename(path.real)}`, { recursive: true });
      return { kind: "removed" };
    } finally {
      await folder.close();
    }
  } catch (error) {
    return { kind: "failed", message: codeOf(error) === "" ? String(error) : fileProblem(path.relative, error) };
  }
}

/** Folders on the way are made. */
export async function moveDisk(from: ScopedPath, to: ScopedPath): Promise<MoveOutcome> {
  try {
    const isFolder = (await lstat(from.real)).isDirectory();
    if (!isFolder) await (await openFile(from)).handle.close();
    const source = await openParent(from);
    try {
      return await moveFrom(source, from, to);
    } finally {
      await source.close();
    }
  } catch (error) {
    const code = codeOf(error);
    const words = error instanceof Error ? error.message : String(error);
    return { kind: "failed", message: code === "" ? words : fileProblem(from.relative, error) };
  }
}

async function moveFrom(source: OpenedFolder, from: ScopedPath, to: ScopedPath): Promise<MoveOutcome> {
  const target = await openParent(to);
  try {
    await Promise.all([source.verify(), target.verify()]);
    const places = [`${source.path}/${basename(from.real)}`, `${target.path}/${basename(to.real)}`] as const;
    return await moveTo(...places, `“${from.relative}” could only be given a second name, “${to.relative}”.`);
  } finally {
    await target.close();
  }
}

/** A second name is given first, because that fails where there is a file: a rename would write over it. Folders have one name only. */
async function moveTo(from: string, to: string, twice: string): Promise<MoveOutcome> {
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return { kind: "taken" };
    // Another disk, or one that knows no second names.
    if (await lstat(to).catch(() => null)) return { kind: "taken" };
    await rename(from, to);
    return { kind: "moved" };
  }
  try {
    await unlink(from);
  } catch (error) {
    await unlink(to).catch(() => {
      throw new Error(twice, { cause: error });
    });
    throw error;
  }
  return { kind: "moved" };
}
