// All that decides about a place inside a root: the policy, and the ignore files as they are now.
import type { Access } from "./deniedNames.ts";
import { ignoreFiles } from "./ignoreRules.ts";
import { deniedByName, deniedElsewhere, type ScopePolicy } from "./policy.ts";
import type { RootPlace } from "./roots.ts";

interface RulesNow {
  /** Why this access is denied, as the end of a sentence, or null. */
  readonly denies: (place: RootPlace, access: Access, isFolder: boolean) => string | null;
  /** Whether listing and searching pass over it, because it is ignored or may not be read. */
  readonly hides: (place: RootPlace, isFolder: boolean) => boolean;
}

export interface Rules {
  /** The same by the path alone, wherever it leads to. */
  readonly deniesName: (inRoot: string, access: Access) => string | null;
  /** For one decision, or one walk. */
  now(): RulesNow;
}

const neverShown: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Compiles what decides. The ignore files are read when they are asked. */
export function rulesOf(policy: ScopePolicy): Rules {
  const deniesName = deniedByName(policy);
  const elsewhere = deniedElsewhere(policy);
  const refusing = inEachRoot(policy, [".brainignore"]);
  const hiding = inEachRoot(policy, [".gitignore", ".brainignore"]);
  return {
    deniesName,
    now: () => {
      const refused = refusing();
      const hidden = hiding();
      const denies: RulesNow["denies"] = (place, access, isFolder) => {
        const why = deniesName(place.inRoot, access) ?? elsewhere({ inRoot: place.inRoot, isFolder }, access);
        if (why !== null) return why;
        return refused(place, false) || refused(place, true) ? "a .brainignore names it" : null;
      };
      const hides: RulesNow["hides"] = (place, isFolder) =>
        place.inRoot.split("/").some((name) => neverShown.has(name)) ||
        denies(place, "read", isFolder) !== null ||
        hidden(place, isFolder);
      return { denies, hides };
    },
  };
}

type InRoot = (place: RootPlace, isFolder: boolean) => boolean;

function inEachRoot({ roots }: ScopePolicy, names: readonly string[]): () => InRoot {
  const files = new Map(roots.map((root) => [root, ignoreFiles(root.path, names)]));
  return () => {
    const now = new Map([...files].map(([root, file]) => [root, file.now()]));
    return ({ root, inRoot }, isFolder) => now.get(root)?.(inRoot, isFolder) ?? false;
  };
}
