// Goes through the files under a folder, nearest first, without what is ignored and without following links.
import { join } from "node:path";
import { entriesOf } from "../scope/opening.ts";
import type { Scope, ScopedPath } from "../scope/scope.ts";

export interface Entry {
  /** As in a ScopedPath. */
  readonly relative: string;
  readonly inRoot: string;
  readonly real: string;
  readonly kind: "file" | "folder" | "other";
}

/**
 * Yields each entry under `from`, folder by folder, the names of a folder in order. A folder that cannot be read is passed over.
 * @throws the signal's reason when it is aborted
 */
export async function* walk(scope: Scope, from: ScopedPath, signal: AbortSignal): AsyncGenerator<Entry> {
  const passedOver = scope.passedOver();
  const rootName = from.relative.slice(0, from.relative.length - from.inRoot.length);
  const folders = [{ real: from.real, inRoot: from.inRoot }];
  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await entriesOf(folder.real);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const real = join(folder.real, entry.name);
      if (passedOver(real, entry.isDirectory())) continue;
      const inRoot = folder.inRoot === "." ? entry.name : `${folder.inRoot}/${entry.name}`;
      if (entry.isDirectory()) folders.push({ real, inRoot });
      const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
      yield { relative: rootName + inRoot, inRoot, real, kind };
    }
  }
}
