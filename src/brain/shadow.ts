// The workspace as it was at the last look, kept beside it: what a command has changed is what differs from this.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { createBlobs, type Blobs } from "./blobs.ts";
import { FileState, noRoom, sameState, type Keep } from "./fileState.ts";
import { readIfThere, writeAtomic } from "./files.ts";
import { createIndexFile, type IndexFile } from "./indexFile.ts";
import type { ShadowLayout } from "./layout.ts";
import { look, openStill, type Index, type Seen, type Watched } from "./watched.ts";

/** What became of one path. */
export const Delta = z.object({ path: z.string(), before: FileState, after: FileState });
export type Delta = z.infer<typeof Delta>;

/** Names a call among all sessions of a workspace. */
export interface CallKey {
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
}

export interface Shadow {
  readonly blobs: Blobs;
  /**
   * Looks at everything before a command runs. Throws what Node throws, or the signal's reason.
   * @returns why there is no copy of some of it, when there is no room for copies; else null
   */
  begin(key: CallKey, signal: AbortSignal): Promise<string | null>;
  /** What has changed since, but for what another call has answered for. To be called for each `begin`. */
  end(key: CallKey): Promise<readonly Delta[]>;
  /** Another call has answered for what it did to these. */
  answered(changes: readonly Delta[]): Promise<void>;
}

const Begun = z.array(
  z.object({
    sessionId: z.string(),
    runId: z.string(),
    toolCallId: z.string(),
    pid: z.number(),
    /** Prefixes of the folders that were looked at. */
    folders: z.array(z.string()).optional(),
  }),
);

interface Desk {
  readonly layout: ShadowLayout;
  readonly folders: ShadowOptions["watched"];
  /** The same while a command is at work: what is compared must be the same folders. */
  watched: Watched;
  readonly keep: Keep;
  readonly file: IndexFile;
  index: Index;
  /** What the index on the disk does not know yet. */
  readonly unwritten: Map<string, Seen | null>;
  /** Commands at work, and what was seen of their doing by looks for others. */
  readonly open: Map<string, { readonly key: CallKey; readonly seen: Delta[] }>;
}

export interface ShadowOptions {
  readonly layout: ShadowLayout;
  /** The folders as they are open now. */
  readonly watched: () => Promise<Watched>;
  /** Bytes that copies may take on the disk. */
  readonly room: number;
  /** Told what was changed since a process died in the middle of a command. */
  readonly interrupted: (key: CallKey, changes: readonly Delta[], blobs: Blobs) => Promise<void>;
}

/** Opens it, and settles what a process that has died has left. Throws what Node throws. */
export async function openShadow({ layout, watched, room, interrupted }: ShadowOptions): Promise<Shadow> {
  await mkdir(layout.folder, { recursive: true });
  // Out of git even where sessions are shared.
  await writeAtomic(join(layout.folder, ".gitignore"), "*\n", { sync: false });
  const blobs = createBlobs(layout.blobs);
  const keep = withinRoom(blobs, room);
  const file = createIndexFile(layout.index);
  const index = await file.read();
  const unwritten = new Map<string, Seen | null>();
  const desk: Desk = {
    layout,
    folders: watched,
    watched: await watched(),
    keep,
    file,
    index,
    unwritten,
    open: new Map(),
  };
  await blobs.sweep(
    new Set([...desk.index.values()].map(({ state }) => ("hash" in state ? state.hash : ""))),
    Date.now(),
  );
  await settle(desk, (key, changes) => interrupted(key, changes, blobs));
  let last: Promise<unknown> = Promise.resolve();
  /** One look at a time: two would each answer for the other's changes. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    blobs,
    begin: (key, signal) => inTurn(() => begin(desk, key, signal)),
    end: (key) => inTurn(() => end(desk, key)),
    answered: (changes) =>
      inTurn(() => {
        desk.index = withChanges(desk.index, changes);
        return Promise.resolve();
      }),
  };
}

async function begin(desk: Desk, key: CallKey, signal: AbortSignal): Promise<string | null> {
  if (desk.open.size === 0) desk.watched = await desk.folders();
  const changes = await lookAgain(desk, signal);
  for (const { seen } of [...desk.open.values()].slice(0, 1)) seen.push(...changes);
  // Only what was there before a command must outlive the process.
  if (desk.unwritten.size > 0) await desk.file.write(desk.index, desk.unwritten);
  desk.unwritten.clear();
  desk.open.set(nameOf(key), { key, seen: [] });
  await writeBegun(desk).catch((error: unknown) => {
    desk.open.delete(nameOf(key));
    throw error;
  });
  const unkept = [...desk.index.values()].flatMap(({ state }) => (state.kind === "unkept" ? state.why : []));
  return unkept.find((why) => noRoom.has(why)) ?? null;
}

async function end(desk: Desk, key: CallKey): Promise<readonly Delta[]> {
  const seen = desk.open.get(nameOf(key))?.seen ?? [];
  try {
    return merged([...seen, ...(await lookAgain(desk, new AbortController().signal))]);
  } finally {
    desk.open.delete(nameOf(key));
    await writeBegun(desk);
  }
}

async function lookAgain(desk: Desk, signal: AbortSignal): Promise<readonly Delta[]> {
  // Where no copy could be made the reason may be gone by now; but not while somebody must answer for the difference.
  const before =
    desk.open.size > 0 ? desk.index : new Map([...desk.index].filter(([, { state }]) => state.kind !== "unkept"));
  const after = await look(desk.watched, before, desk.keep, signal);
  const changes = differences(desk.index, after);
  for (const [path, seen] of after) if (desk.index.get(path) !== seen) desk.unwritten.set(path, seen);
  for (const { path } of changes) if (!after.has(path)) desk.unwritten.set(path, null);
  desk.index = after;
  return changes;
}

/** What differs between two looks. */
function differences(before: Index, after: Index): readonly Delta[] {
  const changes: Delta[] = [];
  for (const [path, seen] of after) {
    const was = before.get(path);
    if (was !== seen && !isUntouched(was, seen)) changes.push({ path, before: was?.state ?? null, after: seen.state });
  }
  for (const [path, { state }] of before) if (!after.has(path)) changes.push({ path, before: state, after: null });
  return changes;
}

function isUntouched(was: Seen | undefined, { state, at }: Seen): boolean {
  // Of what has no copy it is known only whether anybody has touched it.
  return was?.state.kind === "unkept" ? was.state.stamp === at : sameState(was?.state ?? null, state);
}

/** Of several changes of one path the first `before` and the last `after`; none where that is the same. */
export function merged(changes: readonly Delta[]): readonly Delta[] {
  const byPath = new Map<string, Delta>();
  for (const change of changes) {
    const { before } = byPath.get(change.path) ?? change;
    byPath.set(change.path, { ...change, before });
  }
  return [...byPath.values()].filter(({ before, after }) => !sameState(before, after));
}

/** Without a stamp: the next look reads them, so that there is a copy of what they are now. */
function withChanges(index: Index, changes: readonly Delta[]): Index {
  const next = new Map<string, Seen>(index);
  for (const { path, after } of changes) {
    if (after) next.set(path, { state: after, stamp: "" });
    else next.delete(path);
  }
  return next;
}

async function settle(desk: Desk, tell: (key: CallKey, changes: readonly Delta[]) => Promise<void>): Promise<void> {
  const left = (await readBegun(desk.layout)).filter(({ pid }) => !isAlive(pid));
  if (left.length === 0) return;
  const changes = await lookAgain(desk, new AbortController().signal);
  // A folder that was not open then is not the command's doing, and one that is not open now is not gone.
  for (const { folders = [], pid: _pid, ...key } of left.slice(0, 1)) {
    const isOpen = openStill(desk.watched, folders);
    await tell(
      key,
      changes.filter(({ path }) => isOpen(path)),
    );
  }
  await writeBegun(desk);
}

function withinRoom(blobs: Blobs, room: number): Keep {
  let left: Promise<number> | null = null;
  let full = false;
  const keep = async (bytes: Buffer): Promise<string> => {
    left ??= blobs.sizes().then((sizes) => room - [...sizes.values()].reduce((sum, size) => sum + size, 0));
    full ||= (await left) < bytes.length;
    if (full) throw Object.assign(new Error("no room"), { code: "NOROOM" });
    left = left.then((free) => free - bytes.length);
    return blobs.put(bytes);
  };
  return Object.assign(keep, { full: () => full });
}

async function readBegun(layout: ShadowLayout): Promise<z.infer<typeof Begun>> {
  try {
    return Begun.parse(JSON.parse((await readIfThere(layout.begun)) ?? "[]"));
  } catch {
    return [];
  }
}

async function writeBegun({ layout, open, watched }: Desk): Promise<void> {
  if (open.size === 0) return rm(layout.begun, { force: true });
  const folders = watched.roots.map(({ prefix }) => prefix);
  const begun = [...open.values()].map(({ key }) => ({ ...key, pid: process.pid, folders }));
  await writeAtomic(layout.begun, JSON.stringify(begun), { sync: false });
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function nameOf({ sessionId, runId, toolCallId }: CallKey): string {
  return JSON.stringify([sessionId, runId, toolCallId]);
}
