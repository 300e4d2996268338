// What of a root is there for programs when an agent may use only a part of it: the rest is not closed but gone.
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ClosedPath } from "./closedPaths.ts";
import { deniedElsewhere, type ScopePolicy } from "./policy.ts";
import { relativeInside, type Root } from "./roots.ts";

export interface OpenPath {
  /** Absolute; no link. */
  readonly path: string;
  /** Packages are read: without them nothing runs. */
  readonly how: "writable" | "readOnly";
}

/** By the path of their root; a root that is not in it is open as a whole. */
export type OpenPaths = ReadonlyMap<string, readonly OpenPath[]>;

/** Folders of packages, which are other people's, and which programs cannot do without. */
const packages: ReadonlySet<string> = new Set(["node_modules", ".venv"]);

/** What is open now. Empty unless the policy names what alone may be used. */
export async function openIn(policy: ScopePolicy): Promise<OpenPaths> {
  if (policy.only.length === 0) return new Map();
  const denied = deniedElsewhere(policy);
  const roots = policy.roots.map(async (root) => [root.path, await openBelow(root.path, { root, denied })] as const);
  return new Map(await Promise.all(roots));
}

/** Those of the closed paths that are there at all; nothing becomes writable through them. */
export function closedAmong(closed: readonly ClosedPath[], open: OpenPaths): readonly ClosedPath[] {
  return closed.filter((one) => {
    const root = [...open.keys()].find((root) => relativeInside(root, one.path) !== null);
    if (root === undefined) return true;
    const around = open.get(root)?.find((opened) => relativeInside(opened.path, one.path) !== null);
    return around !== undefined && (around.how === "writable" || one.how === "file" || one.how === "folder");
  });
}

interface Look {
  readonly root: Root;
  readonly denied: ReturnType<typeof deniedElsewhere>;
}

async function openBelow(folder: string, look: Look): Promise<readonly OpenPath[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries.map(async (entry): Promise<readonly OpenPath[]> => {
    // A link would open what it leads to.
    if (!entry.isDirectory() && !entry.isFile()) return [];
    const full = path.join(folder, entry.name);
    const inRoot = path.relative(look.root.path, full);
    if (look.denied({ inRoot, isFolder: false }, "write") === null) return [{ path: full, how: "writable" }];
    if (!entry.isDirectory()) return [];
    if (packages.has(entry.name)) return [{ path: full, how: "readOnly" }];
    const holds = look.denied({ inRoot, isFolder: true }, "read") === null;
    return holds ? openBelow(full, look) : [];
  });
  return (await Promise.all(found)).flat();
}
