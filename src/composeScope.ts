// What a composition may reach, made from its options: the scope of an agent's tools, the project's rules, what undo watches.
import path from "node:path";
import { readPrompts, type PromptFile } from "./agents/prompts.ts";
import { readRules } from "./agents/rules.ts";
import type { Watched } from "./brain/watched.ts";
import type { ComposeOptions } from "./compose.ts";
import type { Attach, Rules } from "./engine/ports.ts";
import { attach } from "./tools/attach.ts";
import { noticing, type KnownSecrets } from "./tools/knownSecrets.ts";
import type { Masking } from "./tools/masked.ts";
import { readPage } from "./tools/page.ts";
import { nodeFiles } from "./tools/nodeFiles.ts";
import type { ScopeRules } from "./protocol/agents.ts";
import { Rule } from "./protocol/rules.ts";
import { closedToWriters, pathsBy } from "./scope/callPolicy.ts";
import { deniedByName } from "./scope/policy.ts";
import { placeIn, rootNamed } from "./scope/roots.ts";
import { createScope, type Scope, type ScopeDenial, type ScopedPath } from "./scope/scope.ts";
import type { FilesInScope } from "./tools/workspace.ts";

type Places = Pick<ComposeOptions, "root" | "others" | "scopeRules">;

/**
 * The scope as it is now, for one agent.
 * @param byRules what listing and searching pass over beside what is denied, and what programs may not open
 * @throws when the workspace's folder does not exist
 */
export function openScope(
  { root, others, scopeRules }: Places,
  ofAgent: ScopeRules,
  byRules: Pick<Parameters<typeof createScope>[0], "hidden" | "barred"> = {},
): Promise<Scope> {
  const rules = [...(scopeRules?.() ?? []), ofAgent];
  return createScope({ root, others: others?.() ?? [], rules, ...byRules });
}

/**
 * What a person writes by way of Brain: no agent narrows it, but a rule of theirs that denies a path holds for them, too.
 * @throws when the workspace's folder does not exist
 */
export async function ownFilesIn(options: Places & Pick<ComposeOptions, "rules" | "files">): Promise<FilesInScope> {
  const { rules = () => [], files = nodeFiles() } = options;
  const scope = await openScope(options, {});
  const held = (path: ScopedPath | ScopeDenial, access: "read" | "write"): ScopedPath | ScopeDenial => {
    const why = access === "read" || "denied" in path ? null : closedToWriters(rules(null), path.relative);
    return why === null ? path : { denied: why };
  };
  return {
    files,
    scope: {
      ...scope,
      resolve: async (named, access) => held(await scope.resolve(named, access), access),
      at: async (real, access) => held(await scope.at(real, access), access),
    },
  };
}

interface AttachMasking extends Pick<Masking, "enabled"> {
  readonly known: KnownSecrets;
}

/** Fetches what messages name, as far as their agent and the rules let it be read, and without secrets. */
export function attachIn(options: ComposeOptions, { enabled, known }: AttachMasking): Attach {
  return async (message, { scope: ofAgent = {}, approvals = [] }, signal) => {
    const { files = nodeFiles(), ownContexts: own = {}, rules = () => [] } = options;
    const mask = (text: string): string => (enabled() ? known.mask(text) : text);
    const { unread, ...byRules } = pathsBy(rules(null), approvals);
    const scope = await openScope(options, ofAgent, byRules);
    const page = (address: string, given: AbortSignal): Promise<string> => readPage(address, { signal: given });
    return attach(message, { scope, files: noticing(files, known), own, unread, mask, signal, page });
  };
}

/** The prompt files of a folder, read through the scope as its rules are. Never throws. */
export function promptsOf({
  root,
  brainDir,
}: Pick<ComposeOptions, "root" | "brainDir">): Promise<readonly PromptFile[]> {
  return readPrompts({ workspace: within(root), brain: within(brainDir) });
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
  return readRules({ workspace: within(root), brain: within(brainDir) }, maxLength);
}

/** The real path of a name in a folder, where it may be read and leads nowhere else. */
function within(folder: string): (name: string) => Promise<string | null> {
  return async (name) => {
    const scope = await createScope({ root: folder }).catch(() => null);
    const checked = await scope?.resolve(name, "read");
    return checked && "real" in checked ? checked.real : null;
  };
}

/** With more files than that no command waits for a look at all of them. */
const mostFiles = 100_000;

/** The workspace as undo may see it: what no tool may read is never copied. */
export async function watchedIn(places: Places): Promise<Watched> {
  const scope = await openScope(places, {});
  const denied = deniedByName(scope.policy);
  const { roots } = scope.policy;
  const locate = (named: string): string => {
    const { root, rest } = rootNamed(roots, named);
    return path.join(root.path, rest);
  };
  return {
    roots: roots
      .filter((root) => placeIn(roots, root.path)?.root === root)
      .map((root) => ({ prefix: root === roots[0] ? "" : `${root.name}:`, path: root.path })),
    locate,
    mostFiles,
    ignoreRules: () => scope.passedOver(),
    denied: (named) => denied(rootNamed(roots, named).rest, "write"),
    async target(named) {
      const found = await scope.resolve(named, "write");
      return "denied" in found || locate(found.relative) !== found.real ? null : found.relative;
    },
  };
}
