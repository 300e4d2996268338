// A file has one real path, and the editor may have it under another: through a link, or in a folder that was opened through one.
import { realpathSync } from "node:fs";
import { sep } from "node:path";

/** The path without links; as it is when there is no such file. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/**
 * The path under which an editor shows a file of a folder that is open.
 * @param real without links
 * @param folders as they were opened
 */
export function pathAsOpened(real: string, folders: readonly string[]): string {
  const home = folders.find((folder) => real.startsWith(realOf(folder) + sep));
  return home === undefined ? real : home + real.slice(realOf(home).length);
}
