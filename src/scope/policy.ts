// What calls may touch, as plain data, and the decision about a path inside a root that is made from it.
import ignore from "ignore";
import type { ScopeRules } from "../protocol/agents.ts";
import { deniedNames, type Access, type DeniedName } from "./deniedNames.ts";
import { foldName } from "./foldName.ts";
import type { Root } from "./roots.ts";

/** The same for file tools and for the sandbox of commands. Rules are only ever added, so that a narrower one always wins. */
export interface ScopePolicy {
  /** All that calls may reach; relative paths begin in the first. */
  readonly roots: readonly [Root, ...Root[]];
  /** In every root; the first row that fits a place in a path decides about that place. */
  readonly names: readonly DeniedName[];
  /** Lists of patterns in the form of .gitignore, from each root: what fits one of the lists is denied. */
  readonly deny: readonly (readonly string[])[];
  /** Lists in the same form: what does not fit every one of them is denied. */
  readonly only: readonly (readonly string[])[];
  /** Whether a rule denies programs to open a file, by the name that it has for the model. */
  readonly barred: (shown: string) => boolean;
}

/** The policy of these roots, without further rules. */
export function scopePolicy(roots: ScopePolicy["roots"], barred: ScopePolicy["barred"] = () => false): ScopePolicy {
  return { roots, names: deniedNames, deny: [], only: [], barred };
}

/** The policy with more rules: it never allows what it denied before. */
export function narrowed(policy: ScopePolicy, { deny, only }: ScopeRules): ScopePolicy {
  return {
    ...policy,
    deny: deny ? [...policy.deny, deny] : policy.deny,
    only: only ? [...policy.only, only] : policy.only,
  };
}

/**
 * What denies a path for what it is called, wherever it leads to.
 * @returns why this access is denied, as the end of a sentence, or null; paths are posix, relative to their root
 */
export function deniedByName({ names, deny }: ScopePolicy): (inRoot: string, access: Access) => string | null {
  const byName = compileNames(names);
  const denied = deny.map((patterns) => compile(patterns));
  return (inRoot, access) => {
    const folded = segmentsOf(inRoot);
    if (denied.some((fits) => fits(folded))) return "the settings or the agent’s rules deny it";
    return byName(folded, access);
  };
}

/** What denies a place because something else alone is allowed; answers like `deniedByName`. */
export function deniedElsewhere({
  only,
}: ScopePolicy): (place: { readonly inRoot: string; readonly isFolder: boolean }, access: Access) => string | null {
  const allowed = only.map((patterns) => ({ fits: compile(patterns), mayHold: aboveAny(patterns), patterns }));
  return ({ inRoot, isFolder }, access) => {
    const folded = segmentsOf(inRoot);
    // A folder above what is allowed can be listed; what is not allowed in it does not show.
    const listed = isFolder && access === "read";
    const missing = allowed.find(({ fits, mayHold }) => !fits(folded) && !(listed && mayHold(folded)));
    return missing ? `the agent may use only ${missing.patterns.join(", ")}` : null;
  };
}

type Fits = (folded: readonly string[]) => boolean;

function segmentsOf(inRoot: string): readonly string[] {
  return inRoot === "."
    ? []
    : inRoot
        .split(/[\\/]+/u)
        .filter(Boolean)
        .map(foldName);
}

function compileNames(names: readonly DeniedName[]): (folded: readonly string[], access: Access) => string | null {
  const rows = names.map((row) => ({ ...row, segments: row.pattern.toUpperCase().split("/").map(toExpression) }));
  return (folded, access) => {
    for (const start of folded.keys()) {
      const row = rows.find(({ segments }) =>
        segments.every((segment, index) => segment.test(folded[start + index] ?? "")),
      );
      if (row?.denies.includes(access)) return row.why;
    }
    return null;
  };
}

function toExpression(segment: string): RegExp {
  const literal = segment.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literal.join(".*")}$`, "su");
}

/** Whether a path, as a file or as a folder, or a folder above it fits the patterns. */
function compile(patterns: readonly string[]): Fits {
  const rules = ignore({ allowRelativePaths: true }).add(patterns.map(foldPattern));
  return (folded) => {
    const path = folded.join("/");
    return path !== "" && (rules.ignores(path) || rules.ignores(`${path}/`));
  };
}

function foldPattern(pattern: string): string {
  return pattern
    .replace(/^(!?)\.\//u, "$1/")
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase();
}

/** Whether something that the patterns name may lie below a folder. */
function aboveAny(patterns: readonly string[]): Fits {
  const starts = patterns
    .filter((pattern) => !pattern.startsWith("!"))
    .map((pattern) => {
      const segments = foldPattern(pattern).split("/").filter(Boolean);
      const wild = segments.findIndex((segment) => /[*?[]/u.test(segment));
      const anywhere = segments.length === 1 && !pattern.startsWith("/") && !pattern.startsWith("./");
      return {
        fixed: anywhere ? [] : segments.slice(0, wild === -1 ? segments.length : wild),
        open: wild !== -1 || anywhere,
      };
    });
  return (folded) =>
    starts.some(({ fixed, open }) => {
      const shared = fixed.slice(0, folded.length);
      return shared.every((name, index) => name === folded[index]) && (open || folded.length < fixed.length);
    });
}
