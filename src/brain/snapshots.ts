// What was there before each call that changes something, kept so that it can be put back: for files that a call names, and for all that a command could change.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Snapshots, Taken } from "../engine/ports.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { Changes } from "../protocol/changes.ts";
import { hashOf, type Blobs } from "./blobs.ts";
import { createCallRecords, type CallRecords } from "./callRecords.ts";
import { readState, sameState, stampOf, statOf, type FileState } from "./fileState.ts";
import { codeOf, diskError, readIfThere } from "./files.ts";
import type { BrainLayout } from "./layout.ts";
import { isThere } from "./sessionFolder.ts";
import { openShadow, type CallKey, type Delta, type Shadow } from "./shadow.ts";
import type { Watched } from "./watched.ts";

export interface SnapshotOptions {
  readonly layout: BrainLayout;
  /** Opened when first needed. */
  readonly watched: () => Promise<Watched>;
  /** Bytes that copies may take on the disk, for each session and for the workspace; 0: nothing is kept. */
  readonly room: () => number;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

export interface SnapshotStore extends Snapshots {
  /** Of a session that is there. */
  recordsOf(sessionId: string): CallRecords;
  readonly watched: SnapshotOptions["watched"];
  /** Settles what a process that has died in the middle of a command has left. Throws what Node throws. */
  settle(): Promise<void>;
  /** Says what was changed outside of a command, so that no later command answers for it. Never throws. */
  answered(changes: readonly Delta[]): Promise<void>;
}

export function createSnapshots(options: SnapshotOptions): SnapshotStore {
  const { layout, watched, room } = options;
  const sessions = new Map<string, CallRecords>();
  const desk: Desk = {
    options,
    shadow: null,
    recordsOf(sessionId) {
      const known = sessions.get(sessionId) ?? createCallRecords(layout.session(sessionId).snapshots, room);
      sessions.set(sessionId, known);
      return known;
    },
  };
  return {
    recordsOf: desk.recordsOf,
    watched,
    async settle() {
      if (room() > 0 && (await readIfThere(layout.shadow.begun)) !== null) await shadowOf(desk);
    },
    answered: (changes) => answered(desk, changes).catch(() => undefined),
    async before({ effect, writes, ...key }, signal) {
      if (room() === 0) return null;
      try {
        const { changes, problem } = await (effect === "run" || writes.length === 0
          ? ofCommand(desk, key, signal)
          : ofFiles(desk, key, writes));
        return { after: () => after(desk, key, changes), ...(problem !== undefined && { problem }) };
      } catch (error) {
        if (signal.aborted) return null;
        return { problem: problemOf(error, options), after: () => Promise.resolve({ changes: null }) };
      }
    },
  };
}

interface Desk {
  readonly options: SnapshotOptions;
  readonly recordsOf: (sessionId: string) => CallRecords;
  /** Null: no command has run yet. */
  shadow: Promise<Shadow> | null;
}

interface Looked {
  readonly changes: () => Promise<readonly Delta[]>;
  readonly problem?: string | undefined;
}

/** Opened with the first command; tried again when that failed. */
function shadowOf(desk: Desk): Promise<Shadow> {
  const { layout, watched, room } = desk.options;
  const open = async (): Promise<Shadow> =>
    openShadow({
      layout: layout.shadow,
      watched,
      room: room(),
      interrupted: async (key, changes, blobs) => {
        if (!(await isThere(layout.session(key.sessionId).folder))) return;
        await keep(desk, key, await adopted(changes, blobs, desk.recordsOf(key.sessionId).blobs), {
          interrupted: true,
        });
      },
    });
  desk.shadow ??= open().catch((error: unknown) => {
    desk.shadow = null;
    throw error;
  });
  return desk.shadow;
}

async function ofCommand(desk: Desk, key: CallKey, signal: AbortSignal): Promise<Looked> {
  const shadow = await shadowOf(desk);
  const why = await shadow.begin(key, signal);
  const changes = async (): Promise<readonly Delta[]> =>
    adopted(await shadow.end(key), shadow.blobs, desk.recordsOf(key.sessionId).blobs);
  return { changes, ...(why !== null && { problem: `Not all that this command may change can be undone: ${why}.` }) };
}

async function ofFiles(desk: Desk, key: CallKey, named: readonly string[]): Promise<Looked> {
  const place = await desk.options.watched();
  const targets = await targetsOf(place, named);
  const { blobs } = desk.recordsOf(key.sessionId);
  const before = await statesOf(place, targets, blobs);
  const unkept = [...before].find(([, state]) => state?.kind === "unkept");
  const why = unkept?.[1]?.kind === "unkept" ? `There is no copy of ${unkept[0]}: ${unkept[1].why}.` : undefined;
  return {
    ...(why !== undefined && { problem: `What this call changes cannot be undone. ${why}` }),
    async changes() {
      const changes = await changesSince(place, targets, { was: before, blobs });
      await answered(desk, changes);
      return changes;
    },
  };
}

async function answered({ shadow }: Desk, changes: readonly Delta[]): Promise<void> {
  if (shadow && changes.length > 0) await (await shadow).answered(changes);
}

async function keep(
  desk: Desk,
  key: CallKey,
  changes: readonly Delta[],
  more: { interrupted?: true } = {},
): Promise<void> {
  if (changes.length === 0) return;
  const { sessionId, ...about } = key;
  const folders = await foldersOf(desk, changes);
  const line = { id: randomUUID(), timestamp: new Date(desk.options.clock.now()).toISOString(), ...about };
  await desk
    .recordsOf(sessionId)
    .add({ ...line, changes: [...changes], ...more, ...(folders.length > 0 && { folders }) });
}

async function foldersOf({ options }: Desk, changes: readonly Delta[]): Promise<string[]> {
  if (!changes.some(({ path }) => path.includes(":"))) return [];
  const prefixes = (await options.watched()).roots.map(({ prefix }) => prefix);
  return prefixes.filter((prefix) => prefix !== "" && changes.some(({ path }) => path.startsWith(prefix)));
}

async function after(desk: Desk, key: CallKey, look: Looked["changes"]): ReturnType<Taken["after"]> {
  try {
    const changes = await look();
    await keep(desk, key, changes);
    return { changes: changes.length === 0 ? null : told(changes) };
  } catch (error) {
    return { changes: null, problem: problemOf(error, desk.options) };
  }
}

function problemOf(error: unknown, { layout, log }: Pick<SnapshotOptions, "layout" | "log">): string {
  const told = error instanceof LoopError || codeOf(error) === "";
  const why = told ? error : diskError(layout.shadow.folder, error);
  const { message } = toFailure(why);
  log(`No snapshot: ${message}`);
  return `What this call changes cannot be undone. ${message}`;
}

/** Names for the panel and the transcript, which must not grow with what a command did. */
const named = 100;

/** The files of some changes; folders only where nothing else was changed. */
export function told(changes: readonly Delta[]): Changes {
  const files = changes.filter(({ before, after }) => (after ?? before)?.kind !== "folder");
  const shown = (files.length > 0 ? files : changes).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    files: shown.slice(0, named).map(({ path, before, after }) => ({
      path,
      kind: before === null ? "added" : after === null ? "deleted" : "changed",
    })),
    more: Math.max(0, shown.length - named),
  };
}

/** The session keeps what it needs for itself. What has no copy is told as such. */
async function adopted(changes: readonly Delta[], from: Blobs, to: Blobs): Promise<readonly Delta[]> {
  const kept: Delta[] = [];
  for (const change of changes) {
    const { before, after } = change;
    if (after !== null && "hash" in after) await to.adopt(after.hash, from).catch(() => false);
    const missing = before !== null && "hash" in before && !(await to.adopt(before.hash, from).catch(() => false));
    kept.push(missing ? { ...change, before: { kind: "unkept", why: "its copy is lost", stamp: "" } } : change);
  }
  return kept;
}

type States = ReadonlyMap<string, FileState>;

async function targetsOf(place: Watched, named: readonly string[]): Promise<readonly string[]> {
  const targets = await Promise.all(named.map((name) => place.target(name)));
  return targets.filter((target) => target !== null);
}

/** The files that a call names, and the folders that it would have to make for them. */
async function statesOf(place: Watched, targets: readonly string[], blobs: Blobs): Promise<States> {
  const states = new Map<string, FileState>();
  for (const target of targets) {
    await addTree(place, target, { states, keep: blobs.put });
    for (let folder = dirname(target); folder !== "."; folder = dirname(folder)) {
      const state = await stateAt(place, folder, blobs.put);
      if (state !== null) break;
      states.set(folder, null);
    }
  }
  return states;
}

/** What is at a path, and all that is in it where that is a folder: it may be deleted or moved as a whole. */
async function addTree(
  place: Watched,
  target: string,
  { states, keep }: { readonly states: Map<string, FileState>; readonly keep: Parameters<typeof readState>[1] },
): Promise<void> {
  const paths = [target];
  for (const path of paths) {
    const state = await stateAt(place, path, keep);
    states.set(path, state);
    const names = state?.kind === "folder" ? await readdir(place.locate(path)).catch(() => []) : [];
    paths.push(...names.map((name) => `${path}/${name}`));
  }
}

/** What calls have left is kept too: what differs from it later is the work of others. */
async function changesSince(
  place: Watched,
  targets: readonly string[],
  { was, blobs }: { readonly was: States; readonly blobs: Blobs },
): Promise<readonly Delta[]> {
  const changes: Delta[] = [];
  const states = new Map(was);
  // What a folder has brought to where there was nothing.
  const now = new Map<string, FileState>();
  const keep = (bytes: Buffer): Promise<string> => Promise.resolve(hashOf(bytes));
  for (const target of targets) if (was.get(target) === null) await addTree(place, target, { states: now, keep });
  for (const path of now.keys()) if (!states.has(path)) states.set(path, null);
  for (const [path, before] of states) {
    // Of what has no copy it is known only whether anybody has touched it.
    if (before?.kind === "unkept" && (await stampAt(place, path)) === before.stamp) continue;
    const after = await stateAt(place, path, blobs.put);
    if (!sameState(before, after)) changes.push({ path, before, after });
  }
  return changes;
}

async function stampAt(place: Watched, path: string): Promise<string> {
  const stats = await statOf(place.locate(path));
  return stats ? stampOf(stats) : "";
}

function stateAt(place: Watched, path: string, keep: Parameters<typeof readState>[1]): Promise<FileState> {
  return readState(place.locate(path), keep, place.denied(path));
}
