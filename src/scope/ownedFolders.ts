// Temporary folders that belong to a process: each says whose it is, so that what a dead one has left is found and removed.
import { constants } from "node:fs";
import { lstat, mkdtemp, open, readdir, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as z from "zod";

const ownerFile = "owner.json";
const Owner = z.object({ pid: z.number().int().positive(), host: z.string(), started: z.number() });

/** @param prefix what its name begins with */
export async function ownedFolder(prefix: string, parent: string = os.tmpdir()): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(parent, prefix)));
  const owner: z.infer<typeof Owner> = { pid: process.pid, host: os.hostname(), started: performance.timeOrigin };
  await writeFile(path.join(folder, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  return folder;
}

/**
 * Removes the folders of this user whose process is gone, and nothing of anybody else: what says of no owner, was made by
 * another user or on another machine, or is a link, stays. Never throws.
 * @returns how many
 */
export async function sweepOwnedFolders(prefix: string, parent: string = os.tmpdir()): Promise<number> {
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(prefix));
  const swept = await Promise.all(names.map((name) => sweep(path.join(parent, name)).catch(() => false)));
  return swept.filter(Boolean).length;
}

async function sweep(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  if (!found.isDirectory() || !isOurs(found.uid)) return false;
  const owner = await ownerOf(path.join(folder, ownerFile));
  if (owner?.host !== os.hostname() || !isGone(owner)) return false;
  await rm(folder, { recursive: true, force: true });
  return true;
}

/** Read without following a link; null when it says of no owner. */
async function ownerOf(file: string): Promise<z.infer<typeof Owner> | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { uid } = await handle.stat();
    return isOurs(uid) ? (Owner.safeParse(JSON.parse(await handle.readFile("utf8"))).data ?? null) : null;
  } finally {
    await handle.close();
  }
}

/** Windows has no such numbers, and a temporary folder for each user. */
function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function isGone({ pid, started }: z.infer<typeof Owner>): boolean {
  if (pid === process.pid) return started !== performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
