// The folders of a workspace: their names in paths, and where a path lies among them.
import path from "node:path";

export interface Root {
  /** What stands before `:` in paths of this root; the first one needs none. */
  readonly name: string;
  /** Absolute, with every link followed. */
  readonly path: string;
}

export type Roots = readonly [Root, ...Root[]];

export interface RootPlace {
  readonly root: Root;
  /** Posix, relative to the root; `.` is the root. */
  readonly inRoot: string;
}

/** Gives each root the name of its folder; one that is taken already gets a number. Paths are real. */
export function nameRoots(first: string, others: readonly string[]): Roots {
  const taken = new Set<string>();
  const named = (folder: string): Root => {
    const plain = path.basename(folder).replaceAll(/[:\\/]/gu, "-");
    // One letter before a colon is a drive.
    const base = plain.length < 2 ? `root-${plain}` : plain;
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}-${number}`;
    taken.add(name);
    return { name, path: folder };
  };
  const rest = [...new Set(others)].filter((other) => other !== first);
  return [named(first), ...rest.map(named)];
}

/** Takes `name:` off a path and says whose name it is; a path without one is the first root's. */
export function rootNamed(roots: Roots, named: string): { readonly root: Root; readonly rest: string } {
  const root = roots.length > 1 ? roots.find(({ name }) => named.startsWith(`${name}:`)) : undefined;
  return root ? { root, rest: named.slice(root.name.length + 1) || "." } : { root: roots[0], rest: named };
}

/** The root that holds an absolute path, or null. */
export function placeIn(roots: Roots, absolute: string): RootPlace | null {
  for (const root of roots) {
    const inRoot = relativeInside(root.path, absolute);
    if (inRoot !== null) return { root, inRoot };
  }
  return null;
}

/** The place as a model writes it. */
export function shown(roots: Roots, { root, inRoot }: RootPlace): string {
  return root === roots[0] ? inRoot : `${root.name}:${inRoot}`;
}

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
