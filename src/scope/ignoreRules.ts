// What listing and searching pass over: .gitignore and .brainignore of every folder, with git's rules.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ignore from "ignore";

/** Whether listing and searching pass over this path; `relative` is posix and relative to the root. */
export type Ignored = (relative: string, isDirectory: boolean) => boolean;

const files = [".gitignore", ".brainignore"];
const always = new Set([".git", "node_modules"]);

/**
 * The rules as the files say now: each is read once, when its folder is first asked about. For one walk.
 * @param root absolute path of the workspace
 */
export function ignoreRules(root: string): Ignored {
  const folders = new Map<string, ignore.Ignore>();
  const decided = new Map<string, boolean>();

  const rulesOf = (folder: string): ignore.Ignore => {
    const known = folders.get(folder);
    if (known) return known;
    const patterns = files.map((name) => readRules(join(root, folder, name))).join("\n");
    const rules = ignore({ ignorecase: process.platform !== "linux" }).add(patterns);
    folders.set(folder, rules);
    return rules;
  };

  // A file in a deeper folder overrules those above it, but cannot bring back what lies under an ignored folder.
  const ignoredHere = (segments: readonly string[], isDirectory: boolean): boolean => {
    if (always.has(segments.at(-1) ?? "")) return true;
    for (let depth = segments.length - 1; depth >= 0; depth--) {
      const below = segments.slice(depth).join("/") + (isDirectory ? "/" : "");
      const { ignored, unignored } = rulesOf(segments.slice(0, depth).join("/")).test(below);
      if (ignored || unignored) return ignored;
    }
    return false;
  };

  const isIgnored = (segments: readonly string[], isDirectory: boolean): boolean => {
    if (segments.length === 0) return false;
    const key = segments.join("/") + (isDirectory ? "/" : "");
    const known = decided.get(key);
    if (known !== undefined) return known;
    const answer = isIgnored(segments.slice(0, -1), true) || ignoredHere(segments, isDirectory);
    if (isDirectory) decided.set(key, answer);
    return answer;
  };

  return (relative, isDirectory) => isIgnored(relative === "." ? [] : relative.split("/").filter(Boolean), isDirectory);
}

function readRules(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
