// Where everything is inside the `.brain` folder; the only place that knows a name on disk.
import { join } from "node:path";

export interface SessionLayout {
  readonly folder: string;
  readonly transcript: string;
  /** A cache of the transcript: may be missing, broken or behind. */
  readonly summary: string;
  readonly lock: string;
  /** Asks who has the lock to give it back. */
  readonly takeover: string;
  /** What its commands have printed, where it is more than the transcript holds. */
  readonly output: string;
  /** Is there when a person has pinned the session: it says nothing of what was said, so it is no line of the transcript. */
  readonly pin: string;
  /** Says when it was deleted; only in the trash. */
  readonly deletion: string;
  readonly snapshots: SnapshotLayout;
}

/** What undo keeps of a session. */
export interface SnapshotLayout {
  readonly folder: string;
  /** What each call has changed. */
  readonly calls: string;
  /** What a person has kept of it. */
  readonly kept: string;
  readonly blobs: string;
}

/** The workspace as it was when it was last looked at; can be made again. */
export interface ShadowLayout {
  readonly folder: string;
  readonly index: string;
  /** Commands that have not ended yet. */
  readonly begun: string;
  readonly blobs: string;
}

export interface BrainLayout {
  readonly dir: string;
  readonly gitignore: string;
  readonly memory: string;
  readonly sessions: string;
  /** Where deleted sessions are kept for a while. */
  readonly trash: string;
  readonly shadow: ShadowLayout;
  /** Only for ids that `isSessionId` accepts. */
  readonly session: (id: string) => SessionLayout;
  /** By the name of its folder in the trash. */
  readonly deleted: (name: string) => SessionLayout;
}

/** @param dir the `.brain` folder */
export function layoutOf(dir: string): BrainLayout {
  const sessions = join(dir, "sessions");
  const trash = join(dir, "trash", "sessions");
  const shadow = join(dir, "shadow");
  return {
    dir,
    gitignore: join(dir, ".gitignore"),
    memory: join(dir, "MEMORY.md"),
    sessions,
    trash,
    shadow: {
      folder: shadow,
      index: join(shadow, "index.jsonl"),
      begun: join(shadow, "begun.json"),
      blobs: join(shadow, "blobs"),
    },
    session: (id) => sessionIn(join(sessions, id)),
    deleted: (name) => sessionIn(join(trash, name)),
  };
}

function sessionIn(folder: string): SessionLayout {
  const snapshots = join(folder, "snapshots");
  return {
    folder,
    transcript: join(folder, "transcript.jsonl"),
    summary: join(folder, "session.json"),
    lock: join(folder, "lock"),
    takeover: join(folder, "takeover"),
    output: join(folder, "output"),
    pin: join(folder, "pinned"),
    deletion: join(folder, "deleted.json"),
    snapshots: {
      folder: snapshots,
      calls: join(snapshots, "calls.jsonl"),
      kept: join(snapshots, "kept.jsonl"),
      blobs: join(snapshots, "blobs"),
    },
  };
}

/** True for a UUID in lower case: anything else could leave the folder or meet another session on a case-blind disk. */
export function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
