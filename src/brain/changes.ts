// The changes of a session's calls that a person may still keep or undo, and what they keep of them.
import { LoopError } from "../protocol/errors.ts";
import type { Changes } from "../protocol/changes.ts";
import type { CallRecords } from "./callRecords.ts";
import { sameState, type FileState } from "./fileState.ts";
import type { Decided } from "./keptChanges.ts";
import { isSessionId } from "./layout.ts";
import { stateNow } from "./putBack.ts";
import { told, type SnapshotStore } from "./snapshots.ts";
import { isFolder, standingIn, type Standing } from "./standing.ts";
import { undoneBy } from "./undoPlan.ts";
import { openStill } from "./watched.ts";

export interface ChangedFile extends Standing {
  /** Absolute. */
  readonly file: string;
  /** What is there. */
  readonly now: FileState;
}

export interface Interrupted {
  readonly runId: string;
  readonly toolCallId: string;
  readonly changes: Changes;
}

/** A file whose changes are kept in part. */
export interface KeptPart {
  /** What the rest is measured against. */
  readonly baseline: Buffer;
  /** With the rest; absent: as the last call has left it. */
  readonly left?: Buffer;
}

export interface ChangedFiles {
  /** Those that differ from what they were, by path; folders are left out. */
  list(sessionId: string): Promise<readonly ChangedFile[]>;
  /** The bytes of a file as it was; null: there is no copy of it. */
  bytes(sessionId: string, state: FileState): Promise<Buffer | null>;
  /**
   * Keeps what calls have made of some files: all of it, or a part.
   * @throws LoopError `disk_write`
   */
  keep(sessionId: string, kept: ReadonlyMap<string, KeptPart | "all">): Promise<void>;
  /**
   * What commands have changed that a process had not ended when it died, and nobody has undone. Settled first, where
   * nobody has looked since. Throws what Node throws.
   */
  interrupted(sessionId: string): Promise<readonly Interrupted[]>;
}

export function createChangedFiles(store: SnapshotStore): ChangedFiles {
  return {
    async list(sessionId) {
      if (!isSessionId(sessionId)) return [];
      const place = await store.watched();
      const stored = store.recordsOf(sessionId);
      const records = await stored.all();
      const isOpen = openStill(
        place,
        records.flatMap(({ folders = [] }) => folders),
      );
      const files: ChangedFile[] = [];
      for (const one of standingIn(records, await stored.kept.read()).values()) {
        if (isFolder(one) || !isOpen(one.path) || place.denied(one.path) !== null) continue;
        const now = await stateNow(place, one.path);
        if (!sameState(now, one.before)) files.push({ ...one, now, file: place.locate(one.path) });
      }
      return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    bytes: async (sessionId, state) =>
      state && "hash" in state ? store.recordsOf(sessionId).blobs.get(state.hash) : null,
    keep: (sessionId, decisions) => keepIn(store.recordsOf(sessionId), decisions),
    async interrupted(sessionId) {
      if (!isSessionId(sessionId)) return [];
      await store.settle();
      const records = await store.recordsOf(sessionId).all();
      const undone = undoneBy(records);
      return records
        .filter(({ id, interrupted }) => interrupted === true && !undone.has(id))
        .map(({ runId, toolCallId, changes }) => ({
          runId,
          toolCallId,
          changes: { ...told(changes), interrupted: true },
        }));
    },
  };
}

async function keepIn(stored: CallRecords, decisions: Parameters<ChangedFiles["keep"]>[1]): Promise<void> {
  const { kept, blobs } = stored;
  const records = await stored.all();
  const upTo = records.at(-1)?.id;
  if (upTo === undefined) throw new LoopError("nothing_to_undo", "Nothing is known here that could be kept.");
  const standing = standingIn(records, await kept.read());
  const next = new Map<string, Decided>();
  for (const [path, what] of decisions) {
    const mode = modeOf(standing.get(path));
    const put = async (bytes: Buffer): Promise<FileState> => ({ kind: "file", hash: await blobs.put(bytes), mode });
    if (what === "all") next.set(path, { upTo });
    else {
      const left = what.left && { left: await put(what.left) };
      next.set(path, { upTo, state: await put(what.baseline), ...left });
    }
  }
  await kept.add(next);
}

function modeOf(standing: Standing | undefined): number {
  const [shape] = [standing?.before, standing?.after].filter((state) => state?.kind === "file");
  return shape?.kind === "file" ? shape.mode : 0o644;
}
