// The only maker of a ScopedPath: turns what a model wrote into a real path inside the workspace, or says why not.
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import type { ScopeRules } from "../protocol/agents.ts";
import type { Access } from "./deniedNames.ts";
import { linkedSecrets, type LinkedSecrets } from "./hardLinks.ts";
import { refusedForm, unseen } from "./pathForms.ts";
import { narrowed, scopePolicy, type ScopePolicy } from "./policy.ts";
import { realPathOf } from "./realPath.ts";
import { rulesOf, type Rules } from "./rules.ts";
import { nameRoots, placeIn, relativeInside, rootNamed, shown } from "./roots.ts";

/** What the opening of a file needs to know; for this room only. */
export const origin: unique symbol = Symbol("ScopedPath");

/** A path that was checked. Only a Scope makes one. */
export interface ScopedPath {
  /** Absolute, with every link followed. */
  readonly real: string;
  /** Posix, relative to its root, `.` being the root; `name:` stands before it unless the root is the first. */
  readonly relative: string;
  /** The same without `name:`. */
  readonly inRoot: string;
  readonly [origin]: {
    readonly root: string;
    /** Why it may not be read as a file, for a path that was checked as a folder. */
    readonly deniedAsFile: string | null;
    readonly secrets: LinkedSecrets;
  };
}

export interface ScopeDenial {
  /** A sentence for the model; names the path as it wrote it. */
  readonly denied: string;
}

export interface Scope {
  /** What the decisions are made from. */
  readonly policy: ScopePolicy;
  /** Real path of the first root. */
  readonly root: string;
  /** Takes what a model wrote. Never throws (BRAIN-EXEC-4). */
  resolve(path: string, access: Access): Promise<ScopedPath | ScopeDenial>;
  /** The same for an absolute path that the file system gave: every form of a name is taken. */
  at(real: string, access: Access): Promise<ScopedPath | ScopeDenial>;
  /** What listing and searching pass over, as the ignore files say now; what may not be read is passed over too. For one walk. */
  passedOver(): (real: string, isFolder: boolean) => boolean;
  /** The same with more rules. */
  narrowed(rules: ScopeRules): Scope;
}

interface ScopeOptions {
  /** The workspace's folder. */
  readonly root: string;
  /** Its further folders. */
  readonly others?: readonly string[];
  /** What narrows it, such as the settings and the agent. */
  readonly rules?: readonly ScopeRules[];
  /** What listing and searching pass over beside that, by the names that paths have for the model. */
  readonly hidden?: (relative: string) => boolean;
  /** What programs may not open, by the same names. */
  readonly barred?: (relative: string) => boolean;
}

/**
 * Opens the scope of one workspace.
 * @throws when the first folder does not exist; of the others, those that do not are left out
 */
export async function createScope({ root, others = [], rules = [], hidden, barred }: ScopeOptions): Promise<Scope> {
  const named = path.resolve(root);
  const further = await Promise.all(others.map((other) => realpath(other).catch(() => null)));
  const roots = nameRoots(
    await realpath(named),
    further.filter((other) => other !== null),
  );
  return scopeOf(rules.reduce(narrowed, scopePolicy(roots, barred)), named, hidden);
}

/** @param namedRoot the first root by the name that the person uses, which may be a link */
function scopeOf(policy: ScopePolicy, namedRoot: string, hidden?: ScopeOptions["hidden"]): Scope {
  const { roots } = policy;
  const check = checkWith(policy, namedRoot);
  const { rules } = check;
  const answer = async (named: string, access: Access, absolute: string): Promise<ScopedPath | ScopeDenial> => {
    const checked = await check
      .path(absolute, access)
      .catch((error: unknown) => `cannot be used: the file system does not resolve it (${reason(error)})`);
    return typeof checked === "string" ? denial(named, checked) : checked;
  };
  return {
    policy,
    root: roots[0].path,
    resolve: async (named, access) => {
      const { root, rest } = rootNamed(roots, named);
      const form = refusedForm(rest, process.platform === "win32" ? "win32" : "posix");
      if (form !== null) return denial(named, `cannot be used: ${form}`);
      return answer(named, access, path.resolve(root.path, rest));
    },
    at: (real, access) => {
      const place = placeIn(roots, real);
      return answer(place ? shown(roots, place) : path.basename(real), access, real);
    },
    passedOver: () => {
      const { hides } = rules.now();
      return (real, isFolder) => {
        const place = placeIn(roots, real);
        return place === null || hides(place, isFolder) || hidden?.(shown(roots, place)) === true;
      };
    },
    narrowed: (further) => scopeOf(narrowed(policy, further), namedRoot, hidden),
  };
}

interface Check {
  readonly rules: Rules;
  /** The path, or the end of a sentence why not. */
  path(absolute: string, access: Access): Promise<ScopedPath | string>;
}

function checkWith(policy: ScopePolicy, namedRoot: string): Check {
  const { roots } = policy;
  const rules = rulesOf(policy);
  const secrets = linkedSecrets(roots, () => {
    const { denies } = rules.now();
    return (place) => denies(place, "read", false) !== null;
  });
  const path: Check["path"] = async (absolute, access) => {
    const asNamed = relativeInside(namedRoot, absolute) ?? placeIn(roots, absolute)?.inRoot;
    const byName = asNamed === undefined ? null : rules.deniesName(asNamed, access);
    if (byName !== null) return `cannot be ${past[access]}: ${byName}`;
    const real = await realPathOf(absolute);
    const place = placeIn(roots, real);
    if (place === null) return "is outside the workspace; only paths inside it can be used";
    const { denies } = rules.now();
    const folder = await isFolder(real);
    const why = denies(place, access, folder);
    const relative = shown(roots, place);
    const leads = place.inRoot === asNamed ? "" : `leads to “${relative}”, which `;
    if (why !== null) return `${leads}cannot be ${past[access]}: ${why}`;
    const deniedAsFile = folder ? denies(place, "read", false) : null;
    return { real, relative, inRoot: place.inRoot, [origin]: { root: place.root.path, deniedAsFile, secrets } };
  };
  return { rules, path };
}

async function isFolder(real: string): Promise<boolean> {
  return (await lstat(real).catch(() => null))?.isDirectory() ?? false;
}

function denial(named: string, why: string): ScopeDenial {
  return { denied: `“${named.slice(0, 300).replaceAll(unseen, "\uFFFD")}” ${why}.` };
}

const past = { read: "read", write: "written" } as const satisfies Record<Access, string>;

function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "too many links";
}
