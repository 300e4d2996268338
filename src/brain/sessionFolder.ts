// The folder of one session: found by its id, or made.
import { mkdir, stat } from "node:fs/promises";
import { LoopError } from "../protocol/errors.ts";
import { diskError, writeAtomic } from "./files.ts";
import { type BrainLayout, isSessionId, type SessionLayout } from "./layout.ts";

const ignoreSessions = "# What was said stays on this machine. Remove the line below to share sessions.\nsessions/\n";

/**
 * The files of a session; with `create` its folder is there afterwards.
 * @throws LoopError `session_not_found`, or `disk_write` when the folder cannot be made
 */
export async function findSession(layout: BrainLayout, id: string, create: boolean): Promise<SessionLayout> {
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

/** True when there is a file or a folder. Never throws. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
