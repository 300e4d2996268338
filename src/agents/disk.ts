// What the files of this room ask of the disk: whether a path is in a folder, and what an error is called.
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** Both are real paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * The real path; null outside. A path that only leads out does not tell whether there is anything.
 * @param own the real path of a folder
 * @param roots further folders
 * @throws what the disk says of a path that is inside
 */
export async function realInside(path: string, own: string, roots: readonly string[]): Promise<string | null> {
  const real = await Promise.all(roots.map((root) => realpath(root)));
  if (![own, ...roots, ...real].some((root) => isInside(root, path))) return null;
  const found = await realpath(path);
  return [own, ...real].some((root) => isInside(root, found)) ? found : null;
}

/** Such as `ENOENT`; empty when the error has no code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
