// Puts one path back to what it was: in one step, with what is there now kept first, and never outside of the workspace.
import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, rename, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf, type Blobs } from "./blobs.ts";
import { readState, sameState, type FileState } from "./fileState.ts";
import type { Delta } from "./shadow.ts";
import type { UndoStep } from "./undoPlan.ts";
import type { Watched } from "./watched.ts";

export interface Doing {
  readonly place: Watched;
  readonly blobs: Blobs;
  /** Conflicts too. */
  readonly over: boolean;
}

/** Never throws. @returns what became of it; null: it was left as it is */
export async function putBack(step: UndoStep, { place, blobs, over }: Doing): Promise<Delta | null> {
  const { path, wanted, now, conflict, held } = step;
  if (held || (conflict !== null && !over)) return null;
  try {
    if (!(await isReachable(place, path))) return null;
    const bytes = wanted && "hash" in wanted ? await blobs.get(wanted.hash) : Buffer.alloc(0);
    if (!bytes) return null;
    // Kept first: what gives way can be brought back.
    const before = await readState(place.locate(path), blobs.put, place.denied(path));
    if (!sameState(before, now) || before?.kind === "unkept") return null;
    await put(place.locate(path), before, { wanted, bytes });
    return { path, before, after: await stateNow(place, path) };
  } catch {
    return null;
  }
}

/** What is at a path; nothing is kept of it. Throws what Node throws. */
export function stateNow(place: Watched, path: string): Promise<FileState> {
  const keep = (bytes: Buffer): Promise<string> => Promise.resolve(hashOf(bytes));
  return readState(place.locate(path), keep, place.denied(path));
}

async function put(
  path: string,
  before: FileState,
  { wanted, bytes }: { readonly wanted: FileState; readonly bytes: Buffer },
): Promise<void> {
  switch (wanted?.kind) {
    case undefined:
      return before?.kind === "folder" ? rmdir(path) : rm(path);
    case "folder":
      if (!before) await mkdir(path, { recursive: true });
      return chmod(path, wanted.mode);
    case "file":
      if (before?.kind === "file" && before.hash === wanted.hash) return chmod(path, wanted.mode);
      return replace(path, async (beside) => {
        await writeFile(beside, bytes, { flag: "wx", flush: true });
        await chmod(beside, wanted.mode);
      });
    case "link":
      return replace(path, (beside) => symlink(bytes, beside));
    case "unkept":
      throw new Error(wanted.why);
  }
}

async function replace(path: string, make: (beside: string) => Promise<void>): Promise<void> {
  const beside = join(dirname(path), `.brain-${randomUUID()}.tmp`);
  try {
    await mkdir(dirname(path), { recursive: true });
    await make(beside);
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
}

/** The records are a file that anybody may have written: nothing outside, nothing behind a link, no denied name. */
async function isReachable(place: Watched, path: string): Promise<boolean> {
  const root = place.roots.findLast(({ prefix }) => path.startsWith(prefix));
  if (!root) return false;
  const parts = path.slice(root.prefix.length).split("/");
  const odd = process.platform === "win32" ? /^\.{0,2}$|[\\:\0]/ : /^\.{0,2}$|\0/;
  if (parts.some((part) => odd.test(part)) || place.denied(path) !== null) return false;
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = await lstat(join(root.path, ...parts.slice(0, depth))).catch(() => null);
    if (folder === null) return true;
    if (!folder.isDirectory()) return false;
  }
  return true;
}
