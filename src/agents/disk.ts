// What the files of this room ask of the disk: whether a path is in a folder, and what an error is called.
import { isAbsolute, relative, sep } from "node:path";

/** Both are real paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Such as `ENOENT`; empty when the error has no code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
