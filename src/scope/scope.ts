// The only maker of a ScopedPath: turns what a model wrote into a real path inside the workspace, or says why not.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { denialByName, type Access } from "./deniedNames.ts";
import { ignoreRules, type Ignored } from "./ignoreRules.ts";
import { refusedForm } from "./pathForms.ts";
import { realPathOf } from "./realPath.ts";

const brand: unique symbol = Symbol("ScopedPath");

/** A path that was checked. Only `Scope.resolve` makes one. */
export interface ScopedPath {
  /** Absolute, with every link followed. */
  readonly real: string;
  /** Posix, relative to the root; `.` is the root. */
  readonly relative: string;
  readonly [brand]: true;
}

export interface ScopeDenial {
  /** A sentence for the model; names the path as it wrote it. */
  readonly denied: string;
}

export interface Scope {
  /** Real path of the workspace. */
  readonly root: string;
  /** Never throws (BRAIN-EXEC-4). */
  resolve(path: string, access: Access): Promise<ScopedPath | ScopeDenial>;
  /** What listing and searching pass over, as the ignore files say now; a name that may not be read is passed over too. */
  ignoreRules(): Ignored;
  /** Why no tool may write there, by its name alone; null: one may. Takes a path relative to the root. */
  deniedName(relative: string): string | null;
}

/**
 * Opens the scope of one workspace.
 * @param options.root the workspace's folder
 * @param options.extraDenied further names that may be neither read nor written, such as `secret.txt` or `*.crt`
 * @throws when the folder does not exist
 */
export async function createScope(options: {
  readonly root: string;
  readonly extraDenied?: readonly string[];
}): Promise<Scope> {
  const namedRoot = path.resolve(options.root);
  const root = await realpath(namedRoot);
  const deniedByName = denialByName(options.extraDenied ?? []);

  const check = async (named: string, access: Access): Promise<ScopedPath | string> => {
    const form = refusedForm(named, process.platform === "win32" ? "win32" : "posix");
    if (form !== null) return `cannot be used: ${form}`;
    const absolute = path.resolve(root, named);
    const asNamed = relativeInside(namedRoot, absolute) ?? relativeInside(root, absolute);
    const byName = deniedByName(asNamed ?? ".", access);
    if (byName !== null) return `cannot be ${past[access]}: ${byName}`;
    const real = await realPathOf(absolute);
    const relative = relativeInside(root, real);
    if (relative === null) return "is outside the workspace; only paths inside it can be used";
    const behindLinks = deniedByName(relative, access);
    if (behindLinks !== null) return `leads to “${relative}”, which cannot be ${past[access]}: ${behindLinks}`;
    return { real, relative, [brand]: true };
  };

  return {
    root,
    resolve: async (named, access) => {
      const checked = await check(named, access).catch(
        (error: unknown) => `cannot be used: the file system does not resolve it (${reason(error)})`,
      );
      return typeof checked === "string" ? { denied: `“${named.slice(0, 300)}” ${checked}.` } : checked;
    },
    deniedName: (relative) => deniedByName(relative, "write"),
    ignoreRules: () => {
      const ignored = ignoreRules(root);
      return (relative, isDirectory) => deniedByName(relative, "read") !== null || ignored(relative, isDirectory);
    },
  };
}

const past = { read: "read", write: "written" } as const satisfies Record<Access, string>;

/**
 * Where `target` lies below `root`, both absolute: posix, `.` for the root itself; null when it lies outside.
 * @param rules the platform's half of node:path
 */
export function relativeInside(root: string, target: string, rules: path.PlatformPath = path): string | null {
  const relative = rules.relative(root, target);
  if (relative === "") return ".";
  const outside = relative === ".." || relative.startsWith(`..${rules.sep}`) || rules.isAbsolute(relative);
  return outside ? null : relative.replaceAll(rules.sep, "/");
}

function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "too many links";
}
