// Deleted sessions: moved aside whole, brought back whole, and removed for good only after a long time.
import { mkdir, readdir, rm, rmdir, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import * as z from "zod";
import { LoopError } from "../protocol/errors.ts";
import { diskError, readIfThere, renameOver, writeAtomic } from "./files.ts";
import { type BrainLayout, isSessionId } from "./layout.ts";
import { isThere } from "./sessionFolder.ts";
import { summaryOf } from "./sessionList.ts";
import { emptySummary, type SessionSummary } from "./summary.ts";

export interface DeletedSession {
  readonly summary: SessionSummary;
  readonly deletedAt: string;
}

/** How long a deleted session is kept at least, in milliseconds. */
const keptFor = 30 * 24 * 60 * 60 * 1_000;
/** So many are kept however old they are. */
const keptAlways = 20;
/** How many are looked at at the same time. */
const parallelReads = 16;

/**
 * Moves a session to the trash; for who holds its lock, which goes with it.
 * @param now milliseconds since 1970
 * @throws LoopError `disk_write`: then it is where it was
 */
export async function moveToTrash(layout: BrainLayout, id: string, now: number): Promise<DeletedSession> {
  const session = layout.session(id);
  const summary = (await summaryOf(session, id)) ?? emptySummary(id);
  const deletedAt = new Date(now).toISOString();
  const target = layout.deleted(await freeName(layout, id));
  try {
    await mkdir(layout.trash, { recursive: true });
    // Out of git even where sessions are shared.
    const ignore = join(dirname(layout.trash), ".gitignore");
    if (!(await isThere(ignore))) await writeAtomic(ignore, "*\n");
    await writeAtomic(session.deletion, `${JSON.stringify({ deletedAt })}\n`);
    await renameOver(session.folder, target.folder);
  } catch (error) {
    await rm(session.deletion, { force: true });
    throw error instanceof LoopError ? error : diskError(target.folder, error);
  }
  await rm(target.lock, { force: true }).catch(() => undefined);
  return { summary, deletedAt };
}

/** As `SessionStore.restore`. */
export async function restoreSession(layout: BrainLayout, id: string): Promise<string> {
  const found = (await contents(layout)).find((deleted) => deleted.summary.id === id);
  if (!found) throw new LoopError("session_not_found", `There is no deleted session ${id}.`);
  // An empty folder is what is left where a run could not begin.
  await rmdir(layout.session(id).folder).catch(() => undefined);
  const restored = (await isThere(layout.session(id).folder)) ? randomUUID() : id;
  const target = layout.session(restored);
  try {
    await mkdir(layout.sessions, { recursive: true });
    await renameOver(layout.deleted(found.name).folder, target.folder);
  } catch (error) {
    throw diskError(target.folder, error);
  }
  await Promise.all([target.deletion, target.lock].map((path) => rm(path, { force: true }).catch(() => undefined)));
  return restored;
}

/** As `SessionStore.deleted`. */
export async function deletedSessions(layout: BrainLayout): Promise<readonly DeletedSession[]> {
  return (await contents(layout)).map(({ summary, deletedAt }) => ({ summary, deletedAt }));
}

/** As `SessionStore.emptyTrash`. @param now milliseconds since 1970 */
export async function emptyTrash(layout: BrainLayout, now: number): Promise<number> {
  const old = (await contents(layout))
    .slice(keptAlways)
    .filter(({ deletedAt }) => now - Date.parse(deletedAt) > keptFor);
  const removed = old.map(({ name }) =>
    rm(layout.deleted(name).folder, { recursive: true, force: true }).then(
      () => 1,
      () => 0,
    ),
  );
  return (await Promise.all(removed)).reduce<number>((sum, one) => sum + one, 0);
}

interface Found extends DeletedSession {
  /** Of its folder. */
  readonly name: string;
}

/** The last deleted first. */
async function contents(layout: BrainLayout): Promise<readonly Found[]> {
  const names = await readdir(layout.trash).catch(() => []);
  const limit = pLimit(parallelReads);
  const found = await Promise.all(names.map((name) => limit(() => look(layout, name))));
  return found.filter((one) => one !== null).toSorted((a, b) => Date.parse(b.deletedAt) - Date.parse(a.deletedAt));
}

async function look(layout: BrainLayout, name: string): Promise<Found | null> {
  const [id = ""] = name.split(".", 1);
  if (!isSessionId(id)) return null;
  const session = layout.deleted(name);
  const folder = await stat(session.folder).catch(() => null);
  if (!folder?.isDirectory()) return null;
  const summary = (await summaryOf(session, id)) ?? emptySummary(id);
  return { name, summary, deletedAt: (await readDeletion(session.deletion)) ?? folder.mtime.toISOString() };
}

const Deletion = z.object({ deletedAt: z.iso.datetime() });

async function readDeletion(path: string): Promise<string | null> {
  try {
    const text = await readIfThere(path);
    return text === null ? null : Deletion.parse(JSON.parse(text)).deletedAt;
  } catch {
    return null;
  }
}

/** One with the same id may be there already: it was restored as a copy, or made again since. */
async function freeName(layout: BrainLayout, id: string): Promise<string> {
  for (let n = 0; ; n++) {
    const name = n === 0 ? id : `${id}.${n}`;
    if (!(await isThere(layout.deleted(name).folder))) return name;
  }
}
