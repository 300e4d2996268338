// The real path of a file that may not exist yet.
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

const mostLinks = 40;

/**
 * Follows every link; of a path that does not exist, those of its nearest existing parent. A link that leads nowhere
 * counts as the place it points to.
 * @throws the file system's error when it refuses to answer
 */
export async function realPathOf(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const realParent = await realPathOf(parent, links);
  const here = join(realParent, basename(path));
  const target = await readlink(here).catch(() => null);
  if (target === null) return here;
  if (links >= mostLinks) throw new Error("too many links");
  return realPathOf(resolve(realParent, target), links + 1);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
