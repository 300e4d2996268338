// What a file or a folder holds, looked at before it is deleted or moved as a whole.
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, openFile } from "../scope/opening.ts";
import type { Scope, ScopedPath } from "../scope/scope.ts";

export interface Survey {
  readonly kind: "file" | "folder";
  /** Names from the folder down, with `/`; of a file the only one is `""`. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
  readonly folders: number;
  /** Equal to that of the next look: nothing has changed. */
  readonly stamp: string;
}

/** With more entries than that nobody can look at what goes. */
const most = 1_000;
/** Larger files have no copy that undo could put back, in bytes. */
const largestKept = 5 * 1024 * 1024;

/**
 * Looks at all that is there, ignored files too; links are not followed.
 * @returns null: nothing is there; or a sentence why it may not be touched as a whole
 */
export async function survey(scope: Scope, path: ScopedPath, signal: AbortSignal): Promise<Survey | string | null> {
  const top = await lstat(path.real).catch(() => null);
  if (!top) return null;
  if (top.isFile())
    return (
      (await otherName(path, top)) ?? {
        kind: "file",
        files: [{ name: "", size: top.size }],
        folders: 0,
        stamp: stampOf(top),
      }
    );
  if (!top.isDirectory()) return `“${path.relative}” is not a regular file.`;
  if (path.inRoot === ".") return "The folder of the workspace itself can be neither deleted nor moved.";
  return surveyFolder(scope, path, signal);
}

async function surveyFolder(scope: Scope, path: ScopedPath, signal: AbortSignal): Promise<Survey | string> {
  const hash = createHash("sha256");
  const files: { name: string; size: number }[] = [];
  const folders = [""];
  for (const folder of folders)
    for (const entry of (await entriesOf(join(path.real, folder))).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      signal.throwIfAborted();
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const real = join(path.real, name);
      const within = entry.isSymbolicLink() ? null : await scope.at(real, "write");
      if (within && "denied" in within)
        return `“${path.relative}” cannot be deleted or moved as a whole: ${within.denied}`;
      const stats = await lstat(real);
      const why = within && stats.isFile() ? await otherName(within, stats) : null;
      if (why !== null) return `“${path.relative}” cannot be deleted or moved as a whole: ${why}`;
      if (entry.isDirectory()) folders.push(name);
      else files.push({ name, size: stats.size });
      if (files.length + folders.length > most)
        return `“${path.relative}” holds more than ${most} files and folders: too many to look at. Name a smaller part, or use run_command.`;
      hash.update(`${name}\0${stampOf(stats)}\0`);
    }
  return { kind: "folder", files, folders: folders.length - 1, stamp: hash.digest("hex") };
}

/** Why a file with several names may not be touched: its copy for undo would be one of what may not be read. */
async function otherName(path: ScopedPath, { nlink }: Pick<Stats, "nlink">): Promise<string | null> {
  if (nlink < 2) return null;
  try {
    const { handle } = await openFile(path);
    await handle.close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function stampOf({ size, mtimeMs, ino, mode }: Awaited<ReturnType<typeof lstat>>): string {
  return `${size} ${mtimeMs} ${ino} ${mode}`;
}

const mostNamed = 20;

/** For the person: how much it is, the first names, and what undo could not bring back. */
export function surveyWords(path: ScopedPath, { kind, files, folders }: Survey): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const size =
    bytes < 1_000
      ? `${bytes} bytes`
      : bytes < 1e6
        ? `${Math.round(bytes / 1_000)} kB`
        : `${Math.round(bytes / 1e6)} MB`;
  const unkept = files.filter((file) => file.size > largestKept).map(({ name }) => name || path.relative);
  const lost = unkept.length > 0 ? [`Undo cannot bring back what is larger than 5 MB: ${unkept.join(", ")}`] : [];
  if (kind === "file") return [`${path.relative} · ${size}, no text`, ...lost].join("\n");
  const inside = folders > 0 ? ` and ${counted(folders, "folder")}` : "";
  const names = files.slice(0, mostNamed).map(({ name }) => `  ${name}`);
  const more = files.length > mostNamed ? [`  … and ${files.length - mostNamed} more`] : [];
  return [`${path.relative}/ · ${counted(files.length, "file")}${inside} · ${size}`, ...lost, ...names, ...more].join(
    "\n",
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Every path of it, so that a rule about one of them counts. */
export function pathsOf(path: ScopedPath, { kind, files }: Survey): readonly string[] {
  return kind === "file" ? [path.relative] : [path.relative, ...files.map(({ name }) => `${path.relative}/${name}`)];
}
