// What to say about a file that is not there.
import { posix } from "node:path";
import type { ScopedPath } from "../scope/scope.ts";
import { similarity } from "./similarity.ts";
import { walk } from "./walk.ts";
import type { Workspace } from "./workspace.ts";

const mostSeen = 5_000;
const mostNamed = 3;
const alike = 0.6;

/** A sentence that the file does not exist, with the files whose names come nearest. */
export async function missingFile(workspace: Workspace, path: ScopedPath, signal: AbortSignal): Promise<string> {
  const root = await workspace.scope.resolve(".", "read");
  const name = posix.basename(path.relative);
  const near: { file: string; score: number }[] = [];
  if ("real" in root) {
    let seen = 0;
    for await (const entry of walk(workspace.scope, root, signal)) {
      if (++seen > mostSeen) break;
      const score = similarity(posix.basename(entry.relative), name);
      if (entry.kind === "file" && score >= alike) near.push({ file: entry.relative, score });
    }
  }
  const named = near.toSorted((a, b) => b.score - a.score).slice(0, mostNamed);
  const hint = named.length > 0 ? ` Near it: ${named.map(({ file }) => `“${file}”`).join(", ")}.` : "";
  return `“${path.relative}” does not exist.${hint}`;
}
