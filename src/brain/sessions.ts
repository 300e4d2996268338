// The sessions on disk: opened for writing by one run at a time, listed, searched and read by anybody.
import type { Clock, SessionHandle, Sessions } from "../engine/ports.ts";
import { loopDefaults } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import { type Entry, isMessage } from "../protocol/messages.ts";
import type { SoughtPlace } from "../protocol/sessions.ts";
import { toJsonLines, toMarkdown } from "./exported.ts";
import { syncData } from "./files.ts";
import type { ForkPoint } from "./forkEntries.ts";
import { type Followed, followedIn } from "./follow.ts";
import { layoutOf, type SessionLayout } from "./layout.ts";
import { sweepLeftovers } from "./leftovers.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { findInSession, type SearchHit, type SearchLimits, searchSessions } from "./search.ts";
import { deleteSession, type Forked, forkSession, renameSession } from "./sessionChanges.ts";
import { findSession } from "./sessionFolder.ts";
import { createIndex, pinSession, type SessionIndex } from "./sessionIndex.ts";
import { listSessions, summaryOf } from "./sessionList.ts";
import { type Opened, openSession } from "./opening.ts";
import { addEntry, emptySummary, readCache, type SessionSummary, writeCache } from "./summary.ts";
import { hearRequests, type Wish } from "./takeover.ts";
import { readEarlier, readLines, readTranscript } from "./transcript.ts";
import { type DeletedSession, deletedSessions, emptyTrash, restoreSession } from "./trash.ts";
import { createWriter } from "./writer.ts";

export interface SessionStore extends Sessions, Followed {
  /** Every session with something in it, the last used first. Never throws: what cannot be read is not listed. */
  list(): Promise<readonly SessionSummary[]>;
  /** The same as a list that is followed. */
  readonly index: SessionIndex;
  /** A pinned session stands before all others. Throws LoopError `session_not_found` or `disk_write`. */
  pin(id: string, pinned: boolean): Promise<void>;
  /**
   * The entries of a session, without opening it for writing.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  read(id: string): Promise<readonly Entry[]>;
  /**
   * The lines of a session as they are on the disk, and sentences about what is wrong with others.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  lines(id: string): ReturnType<typeof readLines>;
  /** Looks through titles and messages, the last used session first. Ends early, quietly, when the signal is aborted. */
  search(text: string, limits?: SearchLimits): AsyncGenerator<SearchHit>;
  /**
   * Looks through one session, as far as it is written, from its end. Ends early, quietly, when the signal is aborted; what
   * cannot be read has no hits.
   */
  find(id: string, text: string, signal?: AbortSignal): AsyncGenerator<SoughtPlace>;
  /**
   * A session to keep elsewhere. It may be running: then it is told up to here.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  export(id: string, format: "markdown" | "json"): Promise<{ readonly title: string; readonly text: string }>;
  /** Throws LoopError `title_invalid`, `session_not_found`, `session_busy` while it runs, or `disk_write`. */
  rename(id: string, title: string): Promise<SessionSummary>;
  /**
   * Copies a session up to a point, into a new one; the original is not touched. Without a point it is copied whole.
   * Throws LoopError `entry_not_found`, `session_not_found`, `session_busy` while it runs, or `disk_write`.
   */
  fork(id: string, point?: ForkPoint): Promise<Forked>;
  /** Moves a session to the trash. Throws LoopError `session_not_found`, `session_busy` while it runs, or `disk_write`. */
  delete(id: string): Promise<DeletedSession>;
  /**
   * Brings a deleted session back. @returns its id: another one where there is a session with the old id again
   * Throws LoopError `session_not_found` or `disk_write`.
   */
  restore(id: string): Promise<string>;
  /** What can be restored, the last deleted first. Never throws. */
  deleted(): Promise<readonly DeletedSession[]>;
  /** Removes for good what was deleted long ago. @returns how many. Never throws. */
  emptyTrash(): Promise<number>;
}

/**
 * The sessions of one folder.
 * @param options `dir`: the `.brain` folder, made on first use; `lockTimeout`: after so many milliseconds without a sign
 * of life a run has lost its session
 */
export function createSessions(options: { dir: string; clock: Clock; lockTimeout?: number | undefined }): SessionStore {
  const layout = layoutOf(options.dir);
  const time = { clock: options.clock, timeout: options.lockTimeout ?? loopDefaults.lockTimeout };
  const place = { layout, time };
  return {
    ...followedIn(layout, options.clock),
    async open(id, { create, runId }) {
      const session = await findSession(layout, id, create);
      const cached = await readCache(session.summary);
      if (cached?.summary.terminated) throw new LoopError("session_terminated", "This session was marked as ended.");
      const lock = await acquireLock(session.lock, { sessionId: id, runId }, time);
      try {
        await sweepLeftovers(session);
        const opened = await openSession(session, id);
        const wish = hearRequests(session.takeover, lock.token, options.clock);
        return createHandle(session, { lock, wish, opened });
      } catch (error) {
        await lock.release();
        throw error;
      }
    },
    list: () => listSessions(layout),
    index: createIndex(layout, options.clock),
    pin: (id, pinned) => pinSession(layout, id, pinned),
    async read(id) {
      const session = await findSession(layout, id, false);
      return (await readTranscript(session.transcript)).entries;
    },
    async lines(id) {
      const session = await findSession(layout, id, false);
      return readLines(session.transcript);
    },
    search: (text, limits) => searchSessions(layout, text, limits),
    find: (id, text, signal) => findInSession(layout, id, text, signal),
    async export(id, format) {
      const session = await findSession(layout, id, false);
      const { entries } = await readTranscript(session.transcript);
      const summary = (await summaryOf(session, id)) ?? emptySummary(id);
      return {
        title: summary.title,
        text: format === "markdown" ? toMarkdown(entries, summary) : toJsonLines(entries),
      };
    },
    rename: (id, title) => renameSession(place, id, title),
    fork: (id, point) => forkSession(place, id, point),
    delete: (id) => deleteSession(place, id),
    restore: (id) => restoreSession(layout, id),
    deleted: () => deletedSessions(layout),
    emptyTrash: () => emptyTrash(layout, options.clock.now()),
  };
}

/** What a run writes through. */
function createHandle(
  session: SessionLayout,
  { lock, wish, opened }: { readonly lock: Lock; readonly wish: Wish; readonly opened: Opened },
): SessionHandle {
  const { entries: history, repairs, resume } = opened;
  let { summary } = opened;
  let summaries = Promise.resolve();
  let released: Promise<void> | undefined;
  const writer = createWriter(session.transcript, lock, (entries) => {
    summary = entries.reduce(addEntry, summary);
  });
  return {
    id: summary.id,
    history,
    earlier: (take) => (resume ? readEarlier(session.transcript, resume.from, take) : Promise.resolve([])),
    repairs,
    wanted: wish.wanted,
    async append(entries, { durable } = { durable: false }) {
      if (released) throw new LoopError("session_busy", "This run has given its session back.");
      await writer.append(entries);
      if (durable) await syncData(session.transcript);
      if (entries.every(isMessage)) return;
      summaries = summaries.then(() => writeCache(session, summary, resume));
      await summaries;
    },
    release() {
      released ??= writer
        .append([])
        .catch(() => undefined)
        .then(() => summaries)
        .then(() => wish.end())
        .then(() => lock.release());
      return released;
    },
  };
}
