// The sessions of a folder as a list that is looked at again and again: only what has changed since the last look is read.
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import pLimit from "p-limit";
import type { Clock } from "../engine/ports.ts";
import { diskError } from "./files.ts";
import { type BrainLayout, isSessionId, type SessionLayout } from "./layout.ts";
import { ownerOf } from "./lock.ts";
import { changes } from "./sessionChanges.ts";
import { findSession } from "./sessionFolder.ts";
import { summaryOf } from "./sessionList.ts";
import type { SessionSummary } from "./summary.ts";

export interface ListedSession {
  readonly summary: SessionSummary;
  readonly pinned: boolean;
  /** A run writes it now, here or elsewhere. */
  readonly owned: boolean;
}

export interface Look {
  readonly changed: readonly ListedSession[];
  /** Ids of sessions that are not there any more. */
  readonly gone: readonly string[];
}

export interface SessionIndex {
  /** What was found so far, in no order. */
  all(): readonly ListedSession[];
  /**
   * What has changed since the last look, the last used first, a few at once and then more. One look at a time.
   * Never throws: what cannot be read is not listed.
   */
  look(): AsyncGenerator<Look>;
}

/** How many sessions are looked at at the same time. */
const parallelReads = 16;
/** Sessions that are told of together: the first ones soon. */
const firstStretch = 100;
const stretch = 1_000;
/** Milliseconds in which a disk may give two changes the same time. */
const blur = 2_000;

interface Known {
  /** Null: it may have changed within the same instant, and is read again. */
  readonly stamp: string | null;
  /** Null: nothing is in it. */
  readonly listed: ListedSession | null;
}

interface Stamped {
  readonly id: string;
  readonly stamp: string;
  /** Milliseconds since 1970. */
  readonly changed: number;
}

export function createIndex(layout: BrainLayout, clock: Clock): SessionIndex {
  const known = new Map<string, Known>();
  const limit = pLimit(parallelReads);
  /** Null: it says what it said before. */
  const readAgain = async ({ id, stamp, changed }: Stamped): Promise<Look | null> => {
    const before = known.get(id)?.listed ?? null;
    const listed = await readOne(layout.session(id), id, clock);
    known.set(id, { stamp: clock.now() - changed < blur ? null : stamp, listed });
    if (JSON.stringify(before) === JSON.stringify(listed)) return null;
    return listed ? { changed: [listed], gone: [] } : { changed: [], gone: [id] };
  };
  return {
    all: () => [...known.values()].flatMap(({ listed }) => listed ?? []),
    async *look() {
      const ids = new Set((await readdir(layout.sessions).catch(() => [])).filter(isSessionId));
      const gone = [...known.keys()].filter((id) => !ids.has(id));
      for (const id of gone) known.delete(id);
      if (gone.length > 0) yield { changed: [], gone };
      const stamps = await Promise.all([...ids].map((id) => limit(() => stampOf(layout.session(id), id))));
      const isNew = ({ id, stamp }: Stamped): boolean => {
        const before = known.get(id);
        return before?.stamp !== stamp || before.listed?.owned === true;
      };
      const wanted = stamps.filter(isNew).toSorted((a, b) => b.changed - a.changed);
      for (let at = 0; at < wanted.length; at += at === 0 ? firstStretch : stretch) {
        const part = wanted.slice(at, at === 0 ? firstStretch : at + stretch);
        const read = await Promise.all(part.map((one) => limit(() => readAgain(one))));
        const looks = read.filter((look) => look !== null);
        if (looks.length === 0) continue;
        yield { changed: looks.flatMap(({ changed }) => changed), gone: looks.flatMap((look) => look.gone) };
      }
    },
  };
}

/** A folder changes when its lock, its pin or its summary does; a transcript may grow without that. */
async function stampOf({ folder, transcript }: SessionLayout, id: string): Promise<Stamped> {
  const [around, written] = await Promise.all([changedAt(folder), changedAt(transcript)]);
  return { id, stamp: `${around} ${written}`, changed: Math.max(around, written) };
}

function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function readOne(session: SessionLayout, id: string, clock: Clock): Promise<ListedSession | null> {
  const [names, summary] = await Promise.all([
    readdir(session.folder).catch((): string[] => []),
    summaryOf(session, id),
  ]);
  const isLocked = names.includes(basename(session.lock));
  const owner = isLocked ? await ownerOf(session.lock, clock).catch(() => null) : null;
  const owned = owner !== null && !changes.includes(owner.runId);
  return summary && { summary, owned, pinned: names.includes(basename(session.pin)) };
}

/** As `SessionStore.pin`. It needs no lock: nothing of the session itself is changed. */
export async function pinSession(layout: BrainLayout, id: string, pinned: boolean): Promise<void> {
  const session = await findSession(layout, id, false);
  try {
    await (pinned ? writeFile(session.pin, "") : rm(session.pin, { force: true }));
  } catch (error) {
    throw diskError(session.pin, error);
  }
}
