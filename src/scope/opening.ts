// Opens what a ScopedPath names and nothing else, whatever became of the path after it was checked.
import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { BigIntStats, Dirent } from "node:fs";
import { foldName } from "./foldName.ts";
import { origin, type ScopedPath } from "./scope.ts";

/** Where Linux says what a handle holds, and where a path can begin at one. */
const handles = "/proc/self/fd";

function hasHandles(): boolean {
  return process.platform === "linux" && existsSync(handles);
}

/** Does not wait for the other end of a pipe. Where a system lacks one of these it is 0 here. */
const reading = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** O_PATH, which needs no right to list the folder; Node does not name it. */
const entering = constants.O_DIRECTORY | constants.O_NOFOLLOW | 0o1000_0000;

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly mode: number;
}

/**
 * Opens a regular file for reading. The caller closes the handle.
 * @throws an Error whose message is a sentence for the model, or the file system's error
 */
export async function openFile(path: ScopedPath): Promise<OpenedFile> {
  const { deniedAsFile, secrets } = path[origin];
  if (deniedAsFile !== null) throw new Error(`“${path.relative}” cannot be read: ${deniedAsFile}.`);
  const handle = await open(path.real, reading).catch((error: unknown) => {
    throw codeOf(error) === "ELOOP" ? moved(path) : codeOf(error) === "ENXIO" ? irregular(path) : error;
  });
  try {
    const found = await handle.stat({ bigint: true });
    await verify(handle, found, path);
    if (found.isDirectory()) throw new Error(`“${path.relative}” is a folder; list_files shows what is in it.`);
    if (!found.isFile()) throw irregular(path);
    if (await secrets(found))
      throw new Error(`“${path.relative}” cannot be read: it is another name of a file that may not be read.`);
    return { handle, size: Number(found.size), mode: Number(found.mode) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function verify(handle: FileHandle, found: BigIntStats, path: ScopedPath): Promise<void> {
  if (hasHandles()) {
    const place = await readlink(`${handles}/${handle.fd}`);
    // Replaced while it was open, which the system says in this way.
    if (!same(place, path.real) && place !== `${path.real} (deleted)`) throw moved(path);
    return;
  }
  const place = await realpath(path.real);
  const there = await lstat(path.real, { bigint: true });
  if (!same(place, path.real) || there.ino !== found.ino || there.dev !== found.dev) throw moved(path);
}

/** File systems that ignore case may give another spelling than the one that was asked for. */
function same(one: string, other: string): boolean {
  return one === other || one.split(sep).map(foldName).join(sep) === other.split(sep).map(foldName).join(sep);
}

export interface OpenedFolder {
  /** Names the folder itself for as long as it is open, even if its path leads elsewhere by then. */
  readonly path: string;
  /** Throws a sentence when the folder is not where it was opened. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the folder that a file is in, and makes the folders that do not exist. No link is followed on the way.
 * @throws an Error whose message is a sentence for the model, or the file system's error
 */
export async function openParent(path: ScopedPath): Promise<OpenedFolder> {
  const { root } = path[origin];
  const folder = dirname(path.real);
  if (!hasHandles()) return folderByName(path, folder);
  let handle = await open(root, entering);
  try {
    for (const name of relative(root, folder).split(sep).filter(Boolean)) {
      const next = await enter(`${handles}/${handle.fd}/${name}`);
      await closed(handle);
      handle = next;
    }
  } catch (error) {
    await closed(handle);
    throw error;
  }
  return {
    path: `${handles}/${handle.fd}`,
    verify: async () => {
      if (!same(await readlink(`${handles}/${handle.fd}`), folder)) throw moved(path);
    },
    close: () => closed(handle),
  };
}

/** Nothing is written through a folder: what was done in it is done, however closing it goes. */
function closed(folder: FileHandle): Promise<void> {
  return folder.close().catch(() => undefined);
}

async function enter(path: string): Promise<FileHandle> {
  try {
    return await open(path, entering);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  await makeFolder(path);
  return open(path, entering);
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** Without paths that begin at a handle, the path is asked again before each use. */
async function folderByName(path: ScopedPath, folder: string): Promise<OpenedFolder> {
  const { root } = path[origin];
  const verify = async (at = folder): Promise<void> => {
    if (!same(await realpath(at), at)) throw moved(path);
  };
  let at = root;
  for (const name of relative(root, folder).split(sep).filter(Boolean)) {
    at = join(at, name);
    await makeFolder(at);
    await verify(at);
  }
  return { path: folder, verify: () => verify(), close: () => Promise.resolve() };
}

/**
 * What is in a folder, by its real path; nothing when the path leads elsewhere by now or cannot be read.
 * @param real absolute, with every link followed
 */
export async function entriesOf(real: string): Promise<Dirent[]> {
  const byHandle = hasHandles();
  const handle = byHandle ? await open(real, entering).catch(() => null) : null;
  try {
    if (byHandle && !handle) return [];
    const entries = await readdir(handle ? `${handles}/${handle.fd}` : real, { withFileTypes: true });
    const place = handle ? await readlink(`${handles}/${handle.fd}`) : await realpath(real);
    return same(place, real) ? entries : [];
  } catch {
    return [];
  } finally {
    await handle?.close();
  }
}

function moved(path: ScopedPath): Error {
  return new Error(`“${path.relative}” was put elsewhere while it was being opened, so it was not used. Try again.`);
}

function irregular(path: ScopedPath): Error {
  return new Error(`“${path.relative}” is not a regular file.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
