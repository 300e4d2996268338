// The sessions on disk: opened for writing by one run at a time, listed and read by anybody.
import { mkdir, readdir, stat } from "node:fs/promises";
import pLimit from "p-limit";
import type { Clock, SessionHandle, Sessions } from "../engine/ports.ts";
import { loopDefaults } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import { type Entry, isMessage } from "../protocol/messages.ts";
import { diskError, syncData, writeAtomic } from "./files.ts";
import { type BrainLayout, isSessionId, layoutOf, type SessionLayout } from "./layout.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { addEntry, emptySummary, readSummary, type SessionSummary, writeSummary } from "./summary.ts";
import { readTail, type Tail } from "./tail.ts";
import { openTranscript, readEntries, readTranscript, type Transcript } from "./transcript.ts";
import { createWriter } from "./writer.ts";

/** How many sessions are looked at at the same time. */
const parallelReads = 16;

const ignoreSessions = "# What was said stays on this machine. Remove the line below to share sessions.\nsessions/\n";

export interface SessionStore extends Sessions {
  /** Every session with something in it, the last used first. Never throws: what cannot be read is not listed. */
  list(): Promise<readonly SessionSummary[]>;
  /**
   * The entries of a session, without opening it for writing.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  read(id: string): Promise<readonly Entry[]>;
  /**
   * At least so many of the last entries, in whole runs: the time it takes does not grow with the session.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  readTail(id: string, count: number): Promise<Tail>;
}

/**
 * The sessions of one folder.
 * @param options `dir`: the `.brain` folder, made on first use; `lockTimeout`: after so many milliseconds without a sign
 * of life a run has lost its session
 */
export function createSessions(options: { dir: string; clock: Clock; lockTimeout?: number | undefined }): SessionStore {
  const layout = layoutOf(options.dir);
  const time = { clock: options.clock, timeout: options.lockTimeout ?? loopDefaults.lockTimeout };
  return {
    async open(id, { create, runId }) {
      const session = await find(layout, id, create);
      const cached = await readSummary(session.summary);
      if (cached?.terminated) throw new LoopError("session_terminated", "This session was marked as ended.");
      const lock = await acquireLock(session.lock, { sessionId: id, runId }, time);
      try {
        const transcript = await openTranscript(session.transcript);
        // Counted anew, because the cache may be behind; its title and what was added to it by hand are kept.
        const start = { ...cached, ...emptySummary(id), title: cached?.title ?? "" };
        const summary = transcript.entries.reduce(addEntry, start);
        return createHandle({ session, lock, transcript, summary });
      } catch (error) {
        await lock.release();
        throw error;
      }
    },
    async list() {
      const names = await readdir(layout.sessions).catch(() => []);
      const limit = pLimit(parallelReads);
      const summaries = names.filter(isSessionId).map((id) => limit(() => summaryOf(layout.session(id), id)));
      const found = (await Promise.all(summaries)).filter((summary) => summary !== null);
      return found.toSorted((a, b) => Date.parse(b.updated) - Date.parse(a.updated));
    },
    async read(id) {
      const session = await find(layout, id, false);
      return (await readTranscript(session.transcript)).entries;
    },
    async readTail(id, count) {
      const session = await find(layout, id, false);
      return readTail(session.transcript, count);
    },
  };
}

async function find(layout: BrainLayout, id: string, create: boolean): Promise<SessionLayout> {
  if (!isSessionId(id)) throw new LoopError("session_not_found", `“${id}” is not the id of a session.`);
  const session = layout.session(id);
  if (create) {
    await makeFolders(layout, session);
  } else if (!(await isThere(session.folder))) {
    throw new LoopError("session_not_found", `There is no session ${id}.`);
  }
  return session;
}

/** The ignore file comes with the first session, and before it: a person who removes it later means it. */
async function makeFolders(layout: BrainLayout, session: SessionLayout): Promise<void> {
  try {
    if (!(await isThere(layout.sessions))) {
      await mkdir(layout.dir, { recursive: true });
      // Whole or not at all: an empty one, left by a full disk, would put every session into git.
      if (!(await isThere(layout.gitignore))) await writeAtomic(layout.gitignore, ignoreSessions);
    }
    await mkdir(session.folder, { recursive: true });
  } catch (error) {
    throw diskError(session.folder, error);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function summaryOf(session: SessionLayout, id: string): Promise<SessionSummary | null> {
  const cached = await readSummary(session.summary);
  if (cached) return { ...cached, id };
  const entries = await readEntries(session.transcript).catch(() => []);
  if (entries.length === 0) return null;
  const summary = entries.reduce(addEntry, emptySummary(id));
  await writeSummary(session.summary, summary);
  return summary;
}

/** What a run writes through. */
function createHandle(opened: {
  session: SessionLayout;
  lock: Lock;
  transcript: Transcript;
  summary: SessionSummary;
}): SessionHandle {
  const { session, lock, transcript } = opened;
  let { summary } = opened;
  let summaries = Promise.resolve();
  let released: Promise<void> | undefined;
  const writer = createWriter(session.transcript, lock, (entries) => {
    summary = entries.reduce(addEntry, summary);
  });
  return {
    id: summary.id,
    history: transcript.entries,
    repairs: transcript.repairs,
    async append(entries, { durable } = { durable: false }) {
      if (released) throw new LoopError("session_busy", "This run has given its session back.");
      await writer.append(entries);
      if (durable) await syncData(session.transcript);
      if (entries.every(isMessage)) return;
      summaries = summaries.then(() => writeSummary(session.summary, summary));
      await summaries;
    },
    release() {
      released ??= writer
        .append([])
        .catch(() => undefined)
        .then(() => summaries)
        .then(() => lock.release());
      return released;
    },
  };
}
