// What rules and the built-in caution say of a command line: allowed only if each of its parts is, denied if any part is.
import type { Rule } from "../protocol/rules.ts";
import { deletesByName, isDestructive, isHarmless, isPlainVariable } from "./knownCommands.ts";
import type { CommandWord, LinePart, SimpleCommand } from "./linePart.ts";
import { named, saying, wordsNamed, type Saying } from "./ruleFits.ts";

/** Rules of a person, and of each agent on the way to the call: those only narrow. */
export interface RuleSets {
  readonly rules: readonly Rule[];
  readonly narrowing: readonly (readonly Rule[])[];
}

/** Where the line runs. */
export interface LineSetting extends RuleSets {
  readonly tool: string;
  /** It can change nothing outside of the workspace, and reach nothing. */
  readonly confined: boolean;
  /** Where a path of a redirection leads, relative to the workspace; null when it is not inside, or not allowed. */
  readonly place: (path: CommandWord, access: "read" | "write") => string | null;
}

/** What is said of one part, with what it is about. */
export interface PartRuling {
  readonly kind: "allow" | "ask" | "deny";
  /** The rule that decided; null: no rule did. */
  readonly rule: Rule | null;
  readonly why: string;
  readonly part: LinePart;
}

export const overwrites = "It deletes or overwrites files.";
export const runsCommand = "It runs a command on this machine.";

/** What is said of each part of a line, those inside of others included. */
export function judgeLine(parts: readonly LinePart[], setting: LineSetting): readonly PartRuling[] {
  return parts.flatMap((part) => judgePart(part, setting, false));
}

/** @param covered a rule has named it, together with what runs it */
function judgePart(part: LinePart, setting: LineSetting, covered: boolean): readonly PartRuling[] {
  switch (part.kind) {
    case "unknown":
      return [{ kind: "ask", rule: null, why: `It cannot be told what this runs: ${part.why}.`, part }];
    case "read":
    case "write":
      return [judgeRedirection(part, setting)];
    case "command":
      return judgeCommand(part, setting, covered);
  }
}

function judgeCommand(part: SimpleCommand, setting: LineSetting, covered: boolean): readonly PartRuling[] {
  const { tool } = setting;
  const said = strictest(setting, { kind: "command", tool, words: part.words });
  const own = ownRuling(part, said, setting, covered);
  const names = own.kind === "allow" && own.rule !== null && wordsNamed(own.rule) >= part.names;
  // Code inside of a shell is named by nobody.
  const within = part.names > 0 && (covered || names);
  return [own, ...part.inner.flatMap((inner) => judgePart(inner, setting, within))];
}

function ownRuling(part: SimpleCommand, said: Saying, setting: LineSetting, covered: boolean): PartRuling {
  if (said && said.decision !== "allow") return forbidding(said, part);
  const set = part.sets.find((name) => !isPlainVariable(name));
  const ask = (why: string): PartRuling => ({ kind: "ask", rule: null, why, part });
  const allow = (rule: Rule | null): PartRuling => ({ kind: "allow", rule, why: "", part });
  if (said && speaksOf(said.rule, part) && set === undefined) return allow(said.rule);
  if (set !== undefined && !setting.confined) return ask(`It sets ${set}, which can change what is run.`);
  if ((covered && !part.opaque) || part.wraps === "clear") return allow(null);
  return byDefault(part, setting.confined, ask, allow);
}

function byDefault(
  part: SimpleCommand,
  confined: boolean,
  ask: (why: string) => PartRuling,
  allow: (rule: null) => PartRuling,
): PartRuling {
  if (isDestructive(part.words)) return ask(overwrites);
  if (part.opaque) return ask("It runs code that was not read.");
  if (part.wraps === "named" && !confined) return ask(runsCommand);
  return confined || isHarmless(part.words) ? allow(null) : ask(runsCommand);
}

/** Whether an allowing rule goes so far: to what is dangerous, or runs something else, only when it names that. */
function speaksOf(rule: Rule, part: SimpleCommand): boolean {
  const count = wordsNamed(rule);
  if (part.opaque) return count === part.words.length && !rule.command?.endsWith("*");
  if (part.wraps === "named") return count >= Math.max(part.names, 1);
  return !isDestructive(part.words) || count >= (deletesByName(part.words) ? 1 : 2);
}

function judgeRedirection(part: Extract<LinePart, { kind: "read" | "write" }>, setting: LineSetting): PartRuling {
  const { tool, confined, place } = setting;
  const path = place(part.path, part.kind);
  const said = strictest(setting, { kind: "path", tool, path });
  if (said && said.decision !== "allow") return forbidding(said, part);
  const ask = (why: string): PartRuling => ({ kind: "ask", rule: null, why, part });
  if (path === null) return ask(outside(part.path));
  const allowed: PartRuling = { kind: "allow", rule: said?.rule ?? null, why: "", part };
  if (part.kind === "read" || said?.rule.path !== undefined || (confined && part.keeps)) return allowed;
  return ask(part.keeps ? `It writes to “${path}”.` : overwrites);
}

function outside(path: CommandWord): string {
  return path === null
    ? "It is known only later which file it uses."
    : `“${path}” is outside the workspace, or must not be used.`;
}

function forbidding(said: Exclude<Saying, null | { decision: "allow" }>, part: LinePart): PartRuling {
  const { rule } = said;
  if (said.decision === "deny") return { kind: "deny", rule, why: `Denied by the rule ${named(rule)}.`, part };
  const maybe = "maybe" in said && said.maybe;
  const why = maybe ? `It may be what the rule ${named(rule)} is about.` : `The rule ${named(rule)} asks.`;
  return { kind: "ask", rule, why, part };
}

/** What a person's rules say, unless those of an agent are stricter. */
export function strictest({ rules, narrowing }: RuleSets, subject: Parameters<typeof saying>[1]): Saying {
  const said = [saying(rules, subject), ...narrowing.map((narrow) => saying(narrow, subject))];
  const by = (decision: "allow" | "ask" | "deny"): Saying | undefined => said.find((one) => one?.decision === decision);
  return by("deny") ?? by("ask") ?? by("allow") ?? null;
}
