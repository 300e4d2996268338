// Looks through the workspace for what a command could change: each file costs one look, and only what is new is read.
import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { join } from "node:path";
import pLimit from "p-limit";
import { LoopError } from "../protocol/errors.ts";
import { pauses } from "./pauses.ts";
import { stampOf, stateOf, type FileState, type Keep } from "./fileState.ts";

/** One folder of the workspace. */
export interface WatchedRoot {
  /** What stands before paths in it: nothing in the first, `name:` in the others. */
  readonly prefix: string;
  /** Its real path. */
  readonly path: string;
}

/** The workspace as undo may see it: paths are posix and relative to their folder, with its prefix before them. */
export interface Watched {
  /** None lies in another one. */
  readonly roots: readonly WatchedRoot[];
  /** Where a path is. */
  locate(named: string): string;
  /** What is passed over, as the ignore files say now; paths are absolute. */
  ignoreRules(): (absolute: string, isFolder: boolean) => boolean;
  /** Why nobody may read it, by its name; null: it may be read. */
  denied(named: string): string | null;
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

/**
 * Tells the paths whose folder is the same as it was: not one that was opened or closed since, whatever else has its name.
 * @param then the prefixes of the folders at that time
 */
export function openStill({ roots }: Watched, then: readonly string[]): (path: string) => boolean {
  const among = (path: string, prefixes: readonly string[]): boolean =>
    prefixes.some((prefix) => prefix !== "" && path.startsWith(prefix));
  const now = roots.map(({ prefix }) => prefix);
  return (path) => among(path, then) === among(path, now);
}

/** Files that are read at the same time. */
const parallelReads = 16;
interface Found {
  readonly named: string;
  readonly absolute: string;
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
  const read = async ({ named, absolute, stats }: Found): Promise<void> => {
    const state = await stateOf(absolute, stats, { keep, denied: watched.denied(named) });
    if (state) seen.set(named, { state, stamp: isFresh(stats, now) ? "" : stampOf(stats), at: stampOf(stats) });
  };
  const unknown: Found[] = [];
  let count = 0;
  await walk(watched, signal, (found) => {
    count += 1;
    if (count > watched.mostFiles) throw new LoopError("disk_write", tooMany(watched.mostFiles));
    const known = before.get(found.named);
    if (known?.stamp === stampOf(found.stats)) seen.set(found.named, known);
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
  const folders = watched.roots.map(({ prefix, path }) => ({ inside: prefix, path }));
  const tops = new Set(watched.roots.map(({ path }) => path));
  // A folder of the workspace within another one has names of its own; a name that means another folder has none.
  const isOwn = (named: string, absolute: string): boolean => !tops.has(absolute) && watched.locate(named) === absolute;
  // What may not be read is known by name only, so that it can be said that it was changed.
  const isPassed = (named: string, absolute: string, isFolder: boolean): boolean =>
    ignored(absolute, isFolder) && (isFolder || watched.denied(named) === null);
  const pause = pauses(signal);
  for (const folder of folders)
    for (const entry of namesIn(folder.path)) {
      const named = `${folder.inside}${entry.name}`;
      const absolute = join(folder.path, entry.name);
      if (!isOwn(named, absolute) || isPassed(named, absolute, entry.isDirectory())) continue;
      const stats = statsOf(absolute);
      if (!stats || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) continue;
      find({ named, absolute, stats });
      if (stats.isDirectory()) folders.push({ inside: `${named}/`, path: absolute });
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
