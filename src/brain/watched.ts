// Looks through the workspace for what a command could change: each file costs one look, and only what is new is read.
import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { join } from "node:path";
import pLimit from "p-limit";
import { LoopError } from "../protocol/errors.ts";
import { pauses } from "./pauses.ts";
import { stampOf, stateOf, type FileState, type Keep } from "./fileState.ts";

/** The workspace as undo may see it. */
export interface Watched {
  /** Its real path. */
  readonly root: string;
  /** What is passed over, as the ignore files say now; paths are posix and relative to the root. */
  ignoreRules(): (relative: string, isFolder: boolean) => boolean;
  /** Why nobody may read it, by its name; null: it may be read. */
  denied(relative: string): string | null;
  /** With more files than that nobody waits for a look at all of them. */
  readonly mostFiles: number;
  /** Where a tool that is given this path writes; null: nowhere. */
  target(named: string): Promise<string | null>;
}

export interface Seen {
  readonly state: Exclude<FileState, null>;
  /** Equal to that of the next look: nothing has changed. `""`: look again. */
  readonly stamp: string;
  /** The same, however short ago that was. */
  readonly at?: string;
}
export type Index = ReadonlyMap<string, Seen>;

/** Files that are read at the same time. */
const parallelReads = 16;
interface Found {
  readonly relative: string;
  readonly stats: Stats;
}

/**
 * What is in the workspace now.
 * @param before the last look: what has not changed since is taken from there, unread
 * @throws the signal's reason when it is aborted
 */
export async function look(watched: Watched, before: Index, keep: Keep, signal: AbortSignal): Promise<Index> {
  const seen = new Map<string, Seen>();
  const limit = pLimit(parallelReads);
  const now = Date.now();
  const read = async ({ relative, stats }: Found): Promise<void> => {
    const state = await stateOf(join(watched.root, relative), stats, { keep, denied: watched.denied(relative) });
    if (state) seen.set(relative, { state, stamp: isFresh(stats, now) ? "" : stampOf(stats), at: stampOf(stats) });
  };
  const unknown: Found[] = [];
  let count = 0;
  await walk(watched, signal, (found) => {
    count += 1;
    if (count > watched.mostFiles) throw new LoopError("disk_write", tooMany(watched.mostFiles));
    const known = before.get(found.relative);
    if (known?.stamp === stampOf(found.stats)) seen.set(found.relative, known);
    else unknown.push(found);
  });
  const pause = pauses(signal);
  const readNext = async (found: Found): Promise<void> => {
    await pause();
    await read(found);
  };
  await Promise.all(unknown.map((found) => limit(() => readNext(found))));
  return seen;
}

function tooMany(most: number): string {
  return `More than ${most.toLocaleString("en")} files here are not ignored. Name folders that need no undo in .brainignore.`;
}

/** So soon after a change another one could have the same times. Disks that count in seconds need longer. */
function isFresh({ mtimeMs, ctimeMs }: Stats, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > now - (mtimeMs % 1_000 === 0 ? 2_000 : 50);
}

async function walk(watched: Watched, signal: AbortSignal, find: (found: Found) => void): Promise<void> {
  const ignored = watched.ignoreRules();
  const folders = [""];
  const pause = pauses(signal);
  for (const folder of folders)
    for (const entry of namesIn(join(watched.root, folder))) {
      const relative = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      // What may not be read is known by name only, so that it can be said that it was changed.
      if (ignored(relative, isFolder) && (isFolder || watched.denied(relative) === null)) continue;
      const stats = statsOf(join(watched.root, relative));
      if (!stats || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) continue;
      find({ relative, stats });
      if (stats.isDirectory()) folders.push(relative);
      await pause();
    }
}

function namesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
