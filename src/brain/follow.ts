// Hearing of changes in a session's folder, where the disk tells of them.
import { watch } from "node:fs";

/**
 * Calls back when something in a folder may have changed. Not every disk tells: who needs to know looks now and then, too.
 * @returns how to end it
 */
export function watchFolder(folder: string, changed: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
