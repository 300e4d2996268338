// What a composition may reach, made from its options: the scope of an agent's tools, the project's rules, what undo watches.
import path from "node:path";
import { readRules } from "./agents/rules.ts";
import type { Watched } from "./brain/watched.ts";
import type { ComposeOptions } from "./compose.ts";
import type { Rules } from "./engine/ports.ts";
import type { ScopeRules } from "./protocol/agents.ts";
import { Rule } from "./protocol/rules.ts";
import { deniedByName } from "./scope/policy.ts";
import { createScope, type Scope } from "./scope/scope.ts";

type Places = Pick<ComposeOptions, "root" | "others" | "scopeRules">;

/**
 * The scope as it is now, for one agent.
 * @param hidden what listing and searching pass over beside what is denied
 * @throws when the workspace's folder does not exist
 */
export function openScope(
  { root, others, scopeRules }: Places,
  ofAgent: ScopeRules,
  hidden?: (relative: string) => boolean,
): Promise<Scope> {
  const rules = [...(scopeRules?.() ?? []), ofAgent];
  return createScope({ root, others: others?.() ?? [], rules, ...(hidden && { hidden }) });
}

/** What the list of allowed hosts stands for; what is no host in it allows nothing. */
export function hostRules({ allowedHosts = () => [] }: Pick<ComposeOptions, "allowedHosts">): readonly Rule[] {
  return allowedHosts().flatMap((host) => Rule.safeParse({ decision: "allow", host }).data ?? []);
}

/** The rules of the project, read through the scope: a link leads nowhere else. Never throws. */
export function rulesOf(
  { root, brainDir }: Pick<ComposeOptions, "root" | "brainDir">,
  maxLength: number,
): Promise<Rules> {
  const within = (folder: string) => async (name: string) => {
    const scope = await createScope({ root: folder }).catch(() => null);
    const checked = await scope?.resolve(name, "read");
    return checked && "real" in checked ? checked.real : null;
  };
  return readRules({ workspace: within(root), brain: within(brainDir) }, maxLength);
}

/** With more files than that no command waits for a look at all of them. */
const mostFiles = 100_000;

/** The first folder of the workspace as undo may see it: what no tool may read is never copied. */
export async function watchedIn(places: Places): Promise<Watched> {
  const scope = await openScope(places, {});
  const denied = deniedByName(scope.policy);
  return {
    root: scope.root,
    mostFiles,
    ignoreRules: () => {
      const passedOver = scope.passedOver();
      return (relative, isFolder) => passedOver(path.join(scope.root, relative), isFolder);
    },
    denied: (relative) => denied(relative, "write"),
    async target(named) {
      const found = await scope.resolve(named, "write");
      return "denied" in found || found.relative !== found.inRoot ? null : found.relative;
    },
  };
}
