// A second name of a file that may not be read: told by the file itself, as no path says so.
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { relativeInside, type Root, type RootPlace } from "./roots.ts";

/** What tells one file from all others. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly nlink: bigint;
}

/** Whether the file is also one of those in the workspace that may not be read. */
export type LinkedSecrets = (file: Identity) => Promise<boolean>;

/** Says whether a path may not be read; made anew for every look around. */
type Secret = () => (place: RootPlace) => boolean;

/** Milliseconds for which one look around counts, so that many files with several names cost one. */
const fresh = 1_000;

/** Looks through the workspace only when a file has more than one name. */
export function linkedSecrets(roots: readonly Root[], secret: Secret): LinkedSecrets {
  let known: { readonly at: number; readonly identities: Promise<ReadonlySet<string>> } | null = null;
  return async (file) => {
    if (file.nlink < 2n) return false;
    const now = performance.now();
    if (known === null || now - known.at > fresh) known = { at: now, identities: lookAround(roots, secret()) };
    return (await known.identities).has(identityOf(file));
  };
}

async function lookAround(roots: readonly Root[], secret: ReturnType<Secret>): Promise<ReadonlySet<string>> {
  const identities = new Set<string>();
  for (const root of roots) {
    for await (const path of filesUnder(root.path)) {
      if (!secret({ root, inRoot: relativeInside(root.path, path) ?? "." })) continue;
      const found = await lstat(path, { bigint: true }).catch(() => null);
      if (found) identities.add(identityOf(found));
    }
  }
  return identities;
}

async function* filesUnder(root: string): AsyncGenerator<string> {
  const folders = [root];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.name === ".git" && entry.isDirectory()) yield join(path, "config");
      else if (entry.isDirectory() && entry.name !== "node_modules") folders.push(path);
      else if (entry.isFile()) yield path;
    }
  }
}

function identityOf({ dev, ino }: Identity): string {
  return `${dev}:${ino}`;
}
