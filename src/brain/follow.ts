// The sessions of a folder as somebody else may be writing them: shown from their end, followed, and asked for.
import { watch } from "node:fs";
import type { Clock } from "../engine/ports.ts";
import type { TitleEntry } from "../protocol/messages.ts";
import { type BrainLayout, isSessionId, type SessionLayout } from "./layout.ts";
import { type Owner, ownerOf } from "./lock.ts";
import { changes } from "./sessionChanges.ts";
import { findSession } from "./sessionFolder.ts";
import { readCache } from "./summary.ts";
import { askForLease } from "./takeover.ts";
import { type Begin, firstWords, type Growth, type Mark, readGrowth, readTail, type Tail } from "./tail.ts";

export interface Followed {
  /**
   * At least so many of the last entries, from the beginning of a run on, and what the session is called: the time it
   * takes does not grow with the session.
   * @param before the beginning of a stretch that is known: the one before it is read
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  readTail(id: string, count: number, before?: Begin): Promise<Tail & { readonly title: string }>;
  /**
   * What has been written since a mark of `readTail`; null when the transcript was replaced meanwhile.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  readGrowth(id: string, mark: Mark): Promise<Growth | null>;
  /**
   * Whose run writes a session now; null when there is none that lives.
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  owner(id: string): Promise<Owner | null>;
  /**
   * Asks an owner to end its run and give the session back: it is theirs until they have.
   * @throws LoopError `session_not_found` or `disk_write`
   */
  askOwner(id: string, owner: Owner): Promise<void>;
  /** Calls back when something of a session may have changed, where the disk tells. @returns how to end it */
  watch(id: string, changed: () => void): () => void;
}

/** The sessions of one folder, by the time that their locks are judged by. */
export function followedIn(layout: BrainLayout, clock: Clock): Followed {
  return {
    async readTail(id, count, before) {
      const session = await findSession(layout, id, false);
      const tail = await readTail(session.transcript, count, before);
      return { ...tail, title: await titleOfTail(session, tail) };
    },
    async readGrowth(id, mark) {
      return readGrowth((await findSession(layout, id, false)).transcript, mark);
    },
    async owner(id) {
      const owner = await ownerOf((await findSession(layout, id, false)).lock, clock);
      return owner && changes.includes(owner.runId) ? null : owner;
    },
    async askOwner(id, { token }) {
      await askForLease((await findSession(layout, id, false)).takeover, token);
    },
    watch: (id, changed) => (isSessionId(id) ? watchFolder(layout.session(id).folder, changed) : () => undefined),
  };
}

async function titleOfTail(session: SessionLayout, { entries }: Tail): Promise<string> {
  const given = entries.findLast((entry): entry is TitleEntry => "type" in entry && entry.type === "title");
  const known = given?.title ?? (await readCache(session.summary))?.summary.title ?? "";
  return known === "" ? firstWords(session.transcript).catch(() => "") : known;
}

/** Not every disk tells of changes: who needs to know looks now and then, too. */
function watchFolder(folder: string, changed: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
