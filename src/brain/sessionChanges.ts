// What a person does to a whole session: a new title, a copy, away with it. Each under the session's lock, never while it runs.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Clock } from "../engine/ports.ts";
import { LoopError } from "../protocol/errors.ts";
import { type ContentPart, type Entry, type ForkEntry, isAboutSession, type TitleEntry } from "../protocol/messages.ts";
import { appendLines, writeAtomic } from "./files.ts";
import { entriesUpTo, type ForkPoint, forkTitle, saidIn } from "./forkEntries.ts";
import type { BrainLayout, SessionLayout } from "./layout.ts";
import { acquireLock } from "./lock.ts";
import { openSession } from "./opening.ts";
import { findSession } from "./sessionFolder.ts";
import { summaryOf } from "./sessionList.ts";
import { addEntry, emptySummary, type SessionSummary, writeCache, writeSummary } from "./summary.ts";
import { readTranscript } from "./transcript.ts";
import { type DeletedSession, moveToTrash } from "./trash.ts";

/** Where sessions are, and the time by which their locks are judged. */
export interface Place {
  readonly layout: BrainLayout;
  readonly time: { readonly clock: Clock; readonly timeout: number };
}

export interface Forked {
  readonly summary: SessionSummary;
  /** What the person had said at the point of the fork; `""` when that was no message of theirs. */
  readonly text: string;
  /** Images and files with it. */
  readonly parts?: readonly ContentPart[];
}

/** What a lock is held for that no run holds: for a moment, and with nobody who could be asked for it. */
export const changes: readonly string[] = ["renamed", "forked", "deleted"] satisfies Change[];
type Change = "renamed" | "forked" | "deleted";

const longestTitle = 200;

/** As `SessionStore.rename`. Line breaks in a title become spaces. */
export async function renameSession(place: Place, id: string, title: string): Promise<SessionSummary> {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line === "") throw new LoopError("title_invalid", "The title is empty.");
  if (line.length > longestTitle)
    throw new LoopError("title_invalid", `The title has ${line.length} characters; ${longestTitle} are allowed.`);
  return locked(place, id, "renamed", async (session) => {
    const { summary: before, resume } = await openSession(session, id);
    const entry = titleEntry(place, line);
    await appendLines(session.transcript, [JSON.stringify(entry)], { sync: true });
    const summary = addEntry(before, entry);
    await writeCache(session, summary, resume);
    return summary;
  });
}

/** As `SessionStore.fork`. */
export async function forkSession(place: Place, id: string, point?: ForkPoint): Promise<Forked> {
  return locked(place, id, "forked", async (session) => {
    const { entries } = await readTranscript(session.transcript);
    const at = point ?? { entryId: entries.findLast((entry) => !isAboutSession(entry))?.id ?? "", side: "with" };
    if (at.entryId === "") throw new LoopError("entry_not_found", "There is nothing in this session yet.");
    const copied = entriesUpTo(entries, at);
    const forkedFrom = { sessionId: id, entryId: at.entryId };
    const fork: ForkEntry = { type: "fork", ...newLine(place), forkedFrom };
    const title = (await summaryOf(session, id))?.title ?? "";
    // One that begins empty is called by its own first message.
    const named = copied.length > 0 && title !== "" ? [titleEntry(place, forkTitle(title))] : [];
    const summary = await writeNew(place, [...copied, fork, ...named]);
    const { content: text = "", parts } = saidIn(entries.find((entry) => entry.id === at.entryId)) ?? {};
    return { summary, text, ...(parts && { parts }) };
  });
}

/** As `SessionStore.delete`. */
export async function deleteSession(place: Place, id: string): Promise<DeletedSession> {
  return locked(place, id, "deleted", () => moveToTrash(place.layout, id, place.time.clock.now()));
}

/** Whole or not at all: a session whose transcript is not there yet is not listed. */
async function writeNew({ layout }: Place, entries: readonly Entry[]): Promise<SessionSummary> {
  const id = randomUUID();
  const session = await findSession(layout, id, true);
  try {
    await writeAtomic(session.transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  } catch (error) {
    await rm(session.folder, { recursive: true, force: true });
    throw error;
  }
  const summary = entries.reduce(addEntry, emptySummary(id));
  await writeSummary(session.summary, summary);
  return summary;
}

async function locked<T>(
  { layout, time }: Place,
  id: string,
  what: Change,
  work: (session: SessionLayout) => Promise<T>,
): Promise<T> {
  const session = await findSession(layout, id, false);
  const lock = await acquireLock(session.lock, { sessionId: id, runId: what }, time).catch((error: unknown) => {
    if (!(error instanceof LoopError) || error.code !== "session_busy") throw error;
    throw new LoopError("session_busy", `A session is not ${what} while it runs. ${error.message}`, { cause: error });
  });
  try {
    return await work(session);
  } finally {
    await lock.release();
  }
}

function titleEntry(place: Place, title: string): TitleEntry {
  return { type: "title", ...newLine(place), title };
}

function newLine({ time }: Place): { id: string; runId: ""; timestamp: string } {
  return { id: randomUUID(), runId: "", timestamp: new Date(time.clock.now()).toISOString() };
}
