// The paths that a person can name in a message: what list_files would list, all of it.
import type { Scope } from "../scope/scope.ts";
import { walk } from "./walk.ts";

/** Beyond that, deeper names have to be typed. */
const most = 50_000;

/**
 * Files and folders of every root, the nearest first; folders end in `/`. What is ignored or denied is not among them.
 * @throws the signal's reason when it is aborted
 */
export async function pathsIn(scope: Scope, signal: AbortSignal): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const root of scope.policy.roots) {
    const folder = await scope.at(root.path, "read");
    if ("denied" in folder) continue;
    for await (const { relative, kind } of walk(scope, folder, signal)) {
      if (paths.length === most) return paths;
      paths.push(kind === "folder" ? `${relative}/` : relative);
    }
  }
  return paths;
}
