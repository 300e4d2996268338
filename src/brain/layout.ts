// Where everything is inside the `.brain` folder; the only place that knows a name on disk.
import { join } from "node:path";

export interface SessionLayout {
  readonly folder: string;
  readonly transcript: string;
  /** A cache of the transcript: may be missing, broken or behind. */
  readonly summary: string;
  readonly lock: string;
}

export interface BrainLayout {
  readonly dir: string;
  readonly gitignore: string;
  readonly memory: string;
  readonly sessions: string;
  /** Only for ids that `isSessionId` accepts. */
  readonly session: (id: string) => SessionLayout;
}

/** @param dir the `.brain` folder */
export function layoutOf(dir: string): BrainLayout {
  const sessions = join(dir, "sessions");
  return {
    dir,
    gitignore: join(dir, ".gitignore"),
    memory: join(dir, "MEMORY.md"),
    sessions,
    session: (id) => {
      const folder = join(sessions, id);
      return {
        folder,
        transcript: join(folder, "transcript.jsonl"),
        summary: join(folder, "session.json"),
        lock: join(folder, "lock"),
      };
    },
  };
}

/** True for a UUID in lower case: anything else could leave the folder or meet another session on a case-blind disk. */
export function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
