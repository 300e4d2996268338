// Goes through the files under a folder, nearest first, without what is ignored and without following links.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope, ScopedPath } from "../scope/scope.ts";

export interface Entry {
  /** Posix, relative to the root. */
  readonly relative: string;
  readonly kind: "file" | "folder" | "other";
}

/**
 * Yields each entry under `from`, folder by folder, the names of a folder in order. A folder that cannot be read is passed over.
 * @throws the signal's reason when it is aborted
 */
export async function* walk(scope: Scope, from: ScopedPath, signal: AbortSignal): AsyncGenerator<Entry> {
  const ignored = scope.ignoreRules();
  const folders = [from.relative];
  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await readdir(join(scope.root, folder), { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const relative = folder === "." ? entry.name : `${folder}/${entry.name}`;
      if (ignored(relative, entry.isDirectory())) continue;
      if (entry.isDirectory()) folders.push(relative);
      yield { relative, kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other" };
    }
  }
}
