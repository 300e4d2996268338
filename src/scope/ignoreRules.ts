// What .gitignore and .brainignore of every folder name, with git's rules.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import ignore from "ignore";

/** Whether the files name this path; `inRoot` is posix and relative to the root. */
export type Ignored = (inRoot: string, isDirectory: boolean) => boolean;

interface Compiled {
  readonly signature: string;
  readonly rules: Rules;
}

/** Null: the folder has no such files. */
type Rules = ignore.Ignore | null;

export interface IgnoreFiles {
  /** The rules as the files say now: each is looked at once, when its folder is first asked about. */
  now(): Ignored;
}

/**
 * The ignore files below a folder. What was compiled is kept for as long as its files do not change.
 * @param root absolute path of the folder
 * @param names of the files; a later one overrules an earlier one of the same folder
 */
export function ignoreFiles(root: string, names: readonly string[]): IgnoreFiles {
  const compiled = new Map<string, Compiled>();
  const read = (folder: string): Rules => {
    const paths = names.map((name) => join(root, folder, name));
    const signature = paths.map(signatureOf).join("\n");
    const known = compiled.get(folder);
    if (known?.signature === signature) return known.rules;
    const text = paths.map(readRules).join("\n");
    const empty = text.trim() === "";
    const options = { allowRelativePaths: true, ignorecase: process.platform !== "linux" };
    const rules = empty ? null : ignore(options).add(text);
    compiled.set(folder, { signature, rules });
    return rules;
  };
  return { now: () => rulesOf(read) };
}

function rulesOf(read: (folder: string) => Rules): Ignored {
  const folders = new Map<string, Rules>();
  const decided = new Map<string, boolean>();

  const inFolder = (folder: string): Rules => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const rules = read(folder);
    folders.set(folder, rules);
    return rules;
  };

  // A file in a deeper folder overrules those above it, but cannot bring back what lies under an ignored folder.
  const ignoredHere = (segments: readonly string[], isDirectory: boolean): boolean => {
    for (let depth = segments.length - 1; depth >= 0; depth--) {
      const rules = inFolder(segments.slice(0, depth).join("/"));
      if (!rules) continue;
      const below = segments.slice(depth).join("/") + (isDirectory ? "/" : "");
      const { ignored, unignored } = rules.test(below);
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

  return (inRoot, isDirectory) => isIgnored(inRoot === "." ? [] : inRoot.split("/").filter(Boolean), isDirectory);
}

/** Changes with the file. Only a regular file counts: anything else might never end. */
function signatureOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(" ") : "";
  } catch {
    return "";
  }
}

function readRules(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
