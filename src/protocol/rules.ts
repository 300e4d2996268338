// Rules about what may happen without asking: their form, their words, and the patterns of commands in them.
import * as z from "zod";
import { mcpPrefix, serverOfTool } from "./mcp.ts";

/** Words of a command's pattern: `*` stands for any characters of a word; as the last word, for any further words. */
export interface CommandPattern {
  readonly words: readonly PatternWord[];
  /** It ends in `*`: whatever follows is covered, also nothing. */
  readonly open: boolean;
}

/** Texts between which any characters may stand; a single one is the word itself. */
export type PatternWord = readonly string[];

const pattern = z
  .string()
  .refine(
    (text) => parsePattern(text) !== null,
    "write a program and its arguments, such as npm run *: one command, without ;, &, | or redirections",
  );

const hostPattern = z
  .string()
  .refine(
    (text) => parseHost(text) !== null,
    "write a host such as registry.example.org, *.example.org or [fd00::1], without https:// and path; :443 may follow",
  );

const constraints = {
  /** Name of a tool, or how names begin, with a `*`; absent: all of them. */
  tool: z.string().min(1).optional(),
  /** Glob of paths, relative to the workspace; one without `/` is compared with names. */
  path: z.string().min(1).optional(),
  command: pattern.optional(),
  /** What commands in the sandbox, and requests of tools, may reach. */
  host: hostPattern.optional(),
};

const oneOnly = "name only one of path, command and host, and a host without a tool";

type Named = { readonly [K in keyof typeof constraints]?: string | undefined };

function namesOne({ tool, path, command, host }: Named): boolean {
  const others = [path, command, host === undefined ? undefined : tool].filter((part) => part !== undefined);
  return others.length + (host === undefined ? 0 : 1) <= 1;
}

/** A rule speaks of what fits all that it names. */
export const Rule = z
  .strictObject({ decision: z.enum(["allow", "ask", "deny"]), ...constraints })
  .refine(namesOne, oneOnly);
export type Rule = z.infer<typeof Rule>;

/** What a folder may bring along: it takes rights away and gives none. */
export const NarrowingRule = z
  .strictObject({
    decision: z.enum(["ask", "deny"], "an agent can only narrow what is allowed: use ask or deny"),
    ...constraints,
  })
  .refine(namesOne, oneOnly);

/** How long a rule that a person makes from a waiting call lives. */
export const RuleScope = z.enum(["run", "session", "workspace"]);
export type RuleScope = z.infer<typeof RuleScope>;

/** A rule as it is written down: `allow run_command: npm test`. */
export function ruleText({ decision, tool, path, command, host }: Rule): string {
  const about = command ?? path ?? (host === undefined ? "" : `host ${host}`);
  return [decision, tool ?? (about === "" ? "everything" : "")].filter(Boolean).join(" ") + (about && `: ${about}`);
}

/** What the rules allow or forbid, in a sentence. */
export function rulesInWords(rules: readonly Rule[]): string {
  return rules.map(ruleInWords).join(" ");
}

const verbs = { allow: "without asking", ask: "only after asking", deny: "never" } as const;

function ruleInWords({ decision, tool, path, command, host }: Rule): string {
  const how = verbs[decision];
  if (host !== undefined) return `Commands in the sandbox and tools reach ${hostInWords(host)} ${how}.`;
  if (command !== undefined) return `Runs ${commandInWords(command)} ${how}.`;
  const doer = doerInWords(tool);
  return path === undefined ? `${doer} runs ${how}.` : `${doer} works on ${path} ${how}.`;
}

function doerInWords(tool: string | undefined): string {
  if (tool === undefined) return "Every tool";
  if (!tool.endsWith("*")) return `The tool ${tool}`;
  const server = serverOfTool(tool);
  if (server !== null && tool === `${mcpPrefix(server)}*`) return `Every tool of the MCP server ${server}`;
  return `Every tool whose name begins with “${tool.slice(0, -1)}”`;
}

/** Whether a name is meant by the name of a tool, or by how names begin: `mcp__github__*`. */
export function meansTool(written: string, name: string): boolean {
  return written.endsWith("*") ? name.startsWith(written.slice(0, -1)) : written === name;
}

function commandInWords(command: string): string {
  const parsed = parsePattern(command);
  if (!parsed?.open) return `exactly “${command}”`;
  const start = command.trim().replace(/\s*\*$/, "");
  return start === "" ? "every command" : `“${start}” with any arguments`;
}

/** A host as a rule names it. */
export interface HostPattern {
  /** In lower case; an address of IPv6 in brackets. `*` stands for every host, `*.` in front for all below a name. */
  readonly host: string;
  /** Null: any. */
  readonly port: number | null;
}

const hostForm = /^(?<host>\*|(?:\*\.)?[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/;

/** Reads the host of a rule; null when it is none. */
export function parseHost(text: string): HostPattern | null {
  const { host, port } = hostForm.exec(text.toLowerCase())?.groups ?? {};
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  return { host, port: port === undefined ? null : Number(port) };
}

function hostInWords(text: string): string {
  const { host = "", port = null } = parseHost(text) ?? {};
  const which = host === "*" ? "every host" : host.startsWith("*.") ? `every host below ${host.slice(2)}` : host;
  return port === null ? which : `${which} on port ${port}`;
}

/** One piece of a word: quoted, escaped or plain. */
const pieces = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\])/gsu;
const wordForm = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gsu;

/** Reads a command's pattern; null when it is none. Quotes and backslashes are as in a shell. */
export function parsePattern(text: string): CommandPattern | null {
  const given = text.match(wordForm) ?? [];
  const left = text.replaceAll(wordForm, "");
  if (given.length === 0 || left.trim() !== "" || given.some((word) => /[;&|<>`]/.test(unquoted(word)))) return null;
  const open = given.at(-1) === "*";
  return { words: (open ? given.slice(0, -1) : given).map(patternWord), open };
}

function unquoted(word: string): string {
  return word.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gsu, "");
}

function patternWord(word: string): PatternWord {
  const texts = [""];
  for (const [, single, double, escaped, plain] of word.matchAll(pieces)) {
    if (plain === "*") texts.push("");
    else texts.push((texts.pop() ?? "") + (single ?? double?.replaceAll(/\\(.)/gsu, "$1") ?? escaped ?? plain ?? ""));
  }
  return texts;
}

/** A pattern for exactly these words. */
export function exactPattern(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
