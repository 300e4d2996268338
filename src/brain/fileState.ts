// What is at a path: a file, a link, a folder, nothing, or something that is not kept; and how it is looked at.
import { readFileSync, type Stats } from "node:fs";
import { lstat, readFile, readlink } from "node:fs/promises";
import * as z from "zod";
import { codeOf } from "./files.ts";

export const FileState = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("file"), hash: z.string(), mode: z.number() }),
    /** `hash`: of the text that it leads to. */
    z.object({ kind: z.literal("link"), hash: z.string() }),
    z.object({ kind: z.literal("folder"), mode: z.number() }),
    /** There is something of which no copy was made. */
    z.object({ kind: z.literal("unkept"), why: z.string(), stamp: z.string() }),
  ])
  .nullable();
/** Null: nothing is there. */
export type FileState = z.infer<typeof FileState>;

/** Larger files are not kept, in bytes. */
export const largestKept = 5 * 1024 * 1024;

/** Up to so many bytes it takes longer to wait for another thread. */
export const small = 64 * 1024;

/** Keeps bytes and says their hash. `full`: there is no more room, so that nothing need be read. */
export type Keep = ((bytes: Buffer) => Promise<string>) & { readonly full?: () => boolean };

export function sameState(a: FileState, b: FileState): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && a.mode === b.mode;
  if (a.kind === "link" && b.kind === "link") return a.hash === b.hash;
  if (a.kind === "folder" && b.kind === "folder") return a.mode === b.mode;
  return a.kind === "unkept" && b.kind === "unkept" && a.stamp === b.stamp;
}

/** The same as long as nobody has touched it. */
export function stampOf({ size, mtimeMs, ctimeMs, ino, mode }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino} ${mode}`;
}

/**
 * Reads what is at a path, and keeps it.
 * @param denied why its content may not be read; null: it may
 * @throws what Node throws, but for a path where nothing is
 */
export async function readState(path: string, keep: Keep, denied: string | null): Promise<FileState> {
  const stats = await statOf(path);
  return stats === null ? null : stateOf(path, stats, { keep, denied });
}

/** Null: nothing is there, or a file is in the place of its folder. */
export async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return null;
    throw error;
  }
}

/** The same, where it is known already what is there. */
export async function stateOf(
  path: string,
  stats: Stats,
  { keep, denied }: { readonly keep: Keep; readonly denied: string | null },
): Promise<FileState> {
  const mode = stats.mode & 0o7777;
  const unkept = (why: string): FileState => ({ kind: "unkept", why, stamp: stampOf(stats) });
  if (stats.isDirectory()) return { kind: "folder", mode };
  if (denied !== null) return unkept(denied);
  try {
    if (stats.isSymbolicLink()) return { kind: "link", hash: await keep(await readlink(path, "buffer")) };
    const why = whyNot(stats, keep);
    if (why !== null) return unkept(why);
    return { kind: "file", hash: await keep(stats.size > small ? await readFile(path) : readFileSync(path)), mode };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    return unkept(reasons[codeOf(error)] ?? "it could not be copied");
  }
}

function whyNot(stats: Stats, { full }: Keep): string | null {
  if (!stats.isFile()) return "it is no regular file";
  if (full?.()) return reasons["NOROOM"] ?? "";
  return stats.size > largestKept ? "it is larger than 5 MB" : null;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "it cannot be read",
  EPERM: "it cannot be read",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  NOROOM: "there is no more room for copies (brain.undoMaxSize)",
};

/** The reasons that are not the file's own. */
export const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "NOROOM"].map((code) => reasons[code] ?? ""));
