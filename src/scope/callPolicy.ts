// The policy of a workspace: rules, and where they say nothing, that reading is free, writing asks, and a command asks unless it is confined.
import type { Policy, PolicyCall, Ruling } from "../engine/ports.ts";
import type { FileDiff, Preview } from "../protocol/calls.ts";
import { serverOfTool } from "../protocol/mcp.ts";
import { ruleText, type Rule } from "../protocol/rules.ts";
import type { Access } from "./deniedNames.ts";
import { readCommandLine } from "./commandLine.ts";
import { judgeLine, runsCommand, strictest, type PartRuling, type RuleSets } from "./linePolicy.ts";
import type { CommandWord, LinePart } from "./linePart.ts";
import { offersForHost, offersForLine, offersForPaths, offersForTool, type Offers } from "./offers.ts";
import { named, type Subject } from "./ruleFits.ts";
import type { ScopeDenial, ScopedPath } from "./scope.ts";

interface Places {
  resolve(path: string, access: Access): Promise<Pick<ScopedPath, "relative"> | ScopeDenial>;
}

interface PolicyOptions {
  readonly scope: () => Promise<Places>;
  /** The rules of a person that count for a run, read anew for each call. */
  readonly rules: (runId: string) => readonly Rule[];
  /** Windows: no line is read. */
  readonly platform: NodeJS.Platform;
}

/** Makes the engine's port. */
export function createPolicy({ scope, rules, platform }: PolicyOptions): Policy {
  return (call) => {
    const { preview, touches } = call;
    const sets = { rules: rules(call.runId), narrowing: call.narrowing };
    if (preview?.kind === "command") return ruleOnLine(call, preview, { sets, scope, platform });
    if (preview?.kind === "host") return ruleOnHost(preview, sets);
    if (preview?.kind === "request") return ruleOnPaths(call, [], sets);
    const shown = preview && pathsShown(preview);
    if (shown) return ruleOnPaths(call, shown, sets);
    const isFree = sets.rules.length === 0 && sets.narrowing.every((rules) => rules.length === 0);
    if (isFree || touches.reads.length + touches.writes.length === 0) return ruleOnPaths(call, [], sets);
    return scope().then(async (within) => ruleOnPaths(call, await pathsOf(call, within), sets));
  };
}

interface PathsByRules {
  /** What listing and searching pass over, because reading it is denied or asked about: they ask for no single file. */
  readonly hidden: (relative: string) => boolean;
  /** What is denied to whoever reads single files. */
  readonly unread: (relative: string) => boolean;
  /** What is denied to commands, and so to the programs that they start. */
  readonly barred: (relative: string) => boolean;
}

/** What a person is shown that the call would change. */
function pathsShown(preview: Preview): readonly string[] | undefined {
  if (preview.kind === "diff") return filesOf(preview);
  if (preview.kind === "diffs") return preview.files.flatMap(filesOf);
  return preview.kind === "text" ? preview.paths : undefined;
}

function filesOf({ path, to }: FileDiff): readonly string[] {
  return to === undefined ? [path] : [path, to];
}

/** What rules with a path mean where nobody names the path. */
export function pathsBy(rules: readonly Rule[], narrowing: readonly Rule[]): PathsByRules {
  const sets = { rules, narrowing: [narrowing] };
  const tools = ["read_file", "search_text", "list_files"];
  const said = (tool: string, path: string): Rule["decision"] => {
    const last = strictest(sets, { kind: "path", tool, path });
    return last?.rule.path === undefined ? "allow" : last.decision;
  };
  return {
    hidden: (relative) => tools.some((tool) => said(tool, relative) !== "allow"),
    unread: (relative) => said("read_file", relative) === "deny",
    barred: (relative) => said("run_command", relative) === "deny",
  };
}

/** Why a rule with a path closes a file to everything that writes files; null: none does. */
export function closedToWriters(rules: readonly Rule[], path: string): string | null {
  const said = ["write_file", "edit_file"].map((tool) =>
    strictest({ rules, narrowing: [] }, { kind: "path", tool, path }),
  );
  const denying = said.find((one) => one?.decision === "deny" && one.rule.path !== undefined);
  return denying ? `Denied by the rule ${named(denying.rule)}.` : null;
}

interface LineParts {
  readonly sets: RuleSets;
  readonly scope: PolicyOptions["scope"];
  readonly platform: NodeJS.Platform;
}

type CommandPreview = Extract<PolicyCall["preview"], { kind: "command" }>;

async function ruleOnLine(
  { toolName: tool }: PolicyCall,
  { command, cwd, confined = false }: CommandPreview,
  { sets, scope, platform }: LineParts,
): Promise<Ruling> {
  const parts: readonly LinePart[] =
    platform === "win32"
      ? [{ kind: "unknown", why: "command lines of Windows are not read" }]
      : readCommandLine(command);
  const places = await placesOf(parts, cwd, await scope());
  const place = (path: CommandWord, access: "read" | "write"): string | null => places.get(`${access} ${path}`) ?? null;
  const rulings = judgeLine(parts, { ...sets, tool, confined, place });
  const denied = rulings.find(({ kind }) => kind === "deny");
  if (denied) return { kind: "deny", why: denied.why };
  const asking = rulings.filter(({ kind }) => kind === "ask");
  const allowing = distinct(rulings.flatMap(({ kind, rule }) => (kind === "allow" && rule ? [rule] : [])));
  if (asking.length > 0) return { kind: "ask", why: reasonsOf(asking), ...offer(lineOffers(asking, tool)) };
  if (allowing.length > 0) return { kind: "allow", rule: allowing.map(ruleText).join(", ") };
  // What is harmless beside other commands is asked about when nothing else stands there.
  const all = rulings.map(({ part }) => part);
  return confined ? { kind: "allow" } : { kind: "ask", why: runsCommand, ...offer(offersForLine(all, tool)) };
}

function lineOffers(asking: readonly PartRuling[], tool: string): Offers {
  // A rule that asks was written to ask.
  if (asking.some(({ rule, part }) => rule !== null || part.kind === "unknown")) return [];
  // Who allows `sudo npm test` has named what sudo runs.
  const within = new Set(asking.flatMap(({ part }) => namedBy(part)));
  return offersForLine(
    asking.map(({ part }) => part).filter((part) => !within.has(part)),
    tool,
  );
}

function namedBy(part: LinePart): readonly LinePart[] {
  if (part.kind !== "command" || part.wraps !== "named" || part.names === 0) return [];
  return part.inner.flatMap((inner) => (inner.kind === "command" && inner.names > 0 ? withInner(inner) : [inner]));
}

/** At most three reasons, those that a rule or the built-in caution gives first. */
function reasonsOf(asking: readonly PartRuling[]): string {
  const reasons = [...new Set(asking.map(({ why }) => why))];
  const special = reasons.filter((why) => why !== runsCommand);
  return (special.length > 0 ? special.slice(0, 3) : reasons).join(" ");
}

function withInner(part: LinePart): readonly LinePart[] {
  return part.kind === "command" ? [part, ...part.inner.flatMap(withInner)] : [part];
}

/** Where the redirections of a line lead; those that stand in no place are left out. */
async function placesOf(parts: readonly LinePart[], cwd: string, within: Places): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  const all = parts.flatMap(withInner);
  // After it has gone somewhere else, nobody knows from where a relative path counts.
  const moves = all.some((part) => part.kind === "command" && /^(?:cd|pushd|popd)$/.test(part.words[0] ?? ""));
  for (const part of all) {
    if ((part.kind !== "read" && part.kind !== "write") || part.path === null || moves) continue;
    const path = part.path.startsWith("/") || cwd === "." ? part.path : `${cwd}/${part.path}`;
    const scoped = await within.resolve(path, part.kind);
    if (!("denied" in scoped)) places.set(`${part.kind} ${part.path}`, scoped.relative);
  }
  return places;
}

/** What the call works on, by its real place. */
async function pathsOf({ touches }: PolicyCall, within: Places): Promise<readonly string[]> {
  const named = [
    ...touches.reads.map((path) => ({ path, access: "read" as const })),
    ...touches.writes.map((path) => ({ path, access: "write" as const })),
  ];
  const found = await Promise.all(named.map(({ path, access }) => within.resolve(path === "" ? "." : path, access)));
  return found.flatMap((scoped) => ("denied" in scoped ? [] : [scoped.relative]));
}

const reasons = { write: "It changes a file.", run: runsCommand } as const;

/** A rule for each of so many paths is one that a person can still read. */
const mostOffered = 10;

function ruleOnPaths(
  { toolName: tool, effect, preview }: PolicyCall,
  paths: readonly string[],
  sets: RuleSets,
): Ruling {
  const subjects: readonly Subject[] =
    paths.length > 0 ? paths.map((path) => ({ kind: "path", tool, path })) : [{ kind: "tool", tool }];
  const said = subjects.map((subject) => strictest(sets, subject));
  const denying = said.find((one) => one?.decision === "deny");
  if (denying) return { kind: "deny", why: `Denied by the rule ${named(denying.rule)}.` };
  const asking = said.find((one) => one?.decision === "ask");
  if (asking) return { kind: "ask", why: `The rule ${named(asking.rule)} asks.` };
  const allowing = distinct(said.flatMap((one) => one?.rule ?? []));
  if (effect === "read") return { kind: "allow", ...(allowing[0] && { rule: allowing.map(ruleText).join(", ") }) };
  if (said.every((one) => one !== null)) return { kind: "allow", rule: allowing.map(ruleText).join(", ") };
  const offers = paths.length > mostOffered ? [] : paths.length > 0 ? offersForPaths(paths, tool) : offersForTool(tool);
  const why = preview?.kind === "request" ? `It sends a request to ${preview.host}.` : whyAsked(tool, effect);
  return { kind: "ask", why, ...offer(offers) };
}

function whyAsked(tool: string, effect: keyof typeof reasons): string {
  const server = serverOfTool(tool);
  return server === null ? reasons[effect] : `It is done by the MCP server ${server}, which no scope of Brain's holds.`;
}

function ruleOnHost({ host, port }: Extract<PolicyCall["preview"], { kind: "host" }>, sets: RuleSets): Ruling {
  const said = strictest(sets, { kind: "host", host, port });
  if (said === null) return { kind: "ask", why: "", ...offer(offersForHost(host, port)) };
  if (said.decision === "deny") return { kind: "deny", why: `Denied by the rule ${named(said.rule)}.` };
  if (said.decision === "ask") return { kind: "ask", why: `The rule ${named(said.rule)} asks.` };
  return { kind: "allow", rule: ruleText(said.rule) };
}

function distinct(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [ruleText(rule), rule])).values()];
}

function offer(offers: Offers): { readonly offers?: Offers } {
  return offers.length > 0 ? { offers } : {};
}
