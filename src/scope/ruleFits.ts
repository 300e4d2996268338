// Which rules speak of a thing, and which of them has the last word: the most specific, and of equals the strictest.
import picomatch from "picomatch";
import {
  meansTool,
  parseHost,
  parsePattern,
  ruleText,
  type CommandPattern,
  type PatternWord,
  type Rule,
} from "../protocol/rules.ts";
import type { CommandWord } from "./linePart.ts";

/** What a rule can speak of. */
export type Subject =
  | { readonly kind: "command"; readonly tool: string; readonly words: readonly CommandWord[] }
  /** Posix, relative to the workspace; null: known only when it runs. */
  | { readonly kind: "path"; readonly tool: string; readonly path: string | null }
  | { readonly kind: "tool"; readonly tool: string }
  /** In lower case; an address of IPv6 in brackets. */
  | { readonly kind: "host"; readonly host: string; readonly port: number };

/** `may`: it cannot be ruled out. */
type Fit = "fits" | "may" | "not";

/** What the rules say of one thing; null: nothing. */
export type Saying =
  | { readonly decision: "allow" | "deny"; readonly rule: Rule }
  | { readonly decision: "ask"; readonly rule: Rule; readonly maybe: boolean }
  | null;

const severity = { allow: 0, ask: 1, deny: 2 } as const;

/** The last word of some rules. What a rule might forbid is at least asked about. */
export function saying(rules: readonly Rule[], subject: Subject): Saying {
  const fitting = rules.map((rule) => ({ rule, fit: fitOf(rule, subject) }));
  const [best] = fitting
    .filter(({ fit }) => fit === "fits")
    .map(({ rule }) => rule)
    .toSorted((a, b) => specificity(b) - specificity(a) || severity[b.decision] - severity[a.decision]);
  const doubt = fitting.find(({ rule, fit }) => fit === "may" && rule.decision !== "allow")?.rule;
  if (doubt && best?.decision !== "deny") return { decision: "ask", rule: doubt, maybe: true };
  if (!best) return null;
  const { decision } = best;
  return decision === "ask" ? { decision, rule: best, maybe: false } : { decision, rule: best };
}

/** The rule in a person's words for a sentence. */
export function named(rule: Rule): string {
  return `“${ruleText(rule)}”`;
}

/** How many words of a command a rule names before its first `*`; 0 for one that names no command. */
export function wordsNamed({ command }: Rule): number {
  const words = parsePattern(command ?? "")?.words ?? [];
  const star = words.findIndex((texts) => texts.length > 1);
  return star === -1 ? words.length : star;
}

/** Each thing that a rule names makes it narrower, and so does each letter. */
function specificity({ tool, path, command, host }: Rule): number {
  if (host !== undefined) return 100 + host.replaceAll("*", "").length;

  const pattern = parsePattern(command ?? "");
  const words = pattern ? 100 + 10 * pattern.words.length + (pattern.open ? 0 : 5) : 0;
  return toolNarrowness(tool) + words + (path === undefined ? 0 : 100 + path.replaceAll(/[*?]/g, "").length);
}

/** The name of a tool is narrower than any beginning of names, and of these the longer. */
function toolNarrowness(tool: string | undefined): number {
  if (tool === undefined) return 0;
  return tool.endsWith("*") ? 1 - 1 / (tool.length + 1) : 1;
}

function fitOf(rule: Rule, subject: Subject): Fit {
  if (subject.kind === "host") return hostFits(rule, subject) ? "fits" : "not";
  if (rule.host !== undefined) return "not";
  if (rule.tool !== undefined && !meansTool(rule.tool, subject.tool)) return "not";
  if (rule.command !== undefined) return subject.kind === "command" ? commandFit(rule, subject.words) : "not";
  if (rule.path === undefined) return "fits";
  if (subject.kind !== "path") return "not";
  if (subject.path === null) return "may";
  return pathFits(rule.path, subject.path, rule.decision !== "allow") ? "fits" : "not";
}

/** What allows everything else opens no network: only a rule that names a host does. */
function hostFits(rule: Rule, { host, port }: Extract<Subject, { kind: "host" }>): boolean {
  const allows = rule.decision === "allow";
  if (rule.host === undefined)
    return !allows && [rule.tool, rule.path, rule.command].every((part) => part === undefined);
  const named = parseHost(rule.host);
  if (!named || (named.port !== null && named.port !== port)) return false;
  if (!named.host.startsWith("*")) return named.host === host;
  // Behind an address may be anything, this machine too: who allows one names it.
  return !(allows && isAddress(host)) && host.endsWith(named.host.slice(1));
}

/** Whether it is an address, or the name that stands for this machine. */
export function isAddress(host: string): boolean {
  return /^\[|^[\d.]+$|^(?:.+\.)?localhost$/.test(host);
}

function pathFits(glob: string, path: string, anyCase: boolean): boolean {
  const options = { dot: true, basename: !glob.includes("/"), nocase: anyCase };
  return picomatch(glob.replace(/^\.?\//, ""), options)(path);
}

function commandFit({ command = "", decision }: Rule, words: readonly CommandWord[]): Fit {
  const pattern = parsePattern(command);
  if (!pattern) return decision === "allow" ? "not" : "may";
  if (decision === "allow") return fitsAsWritten(pattern, words) ? "fits" : "not";
  const [program, ...rest] = words;
  const names = [program ?? "", (program ?? "").slice((program ?? "").lastIndexOf("/") + 1)];
  if (names.some((name) => fitsAsWritten(pattern, [name, ...rest], true))) return "fits";
  return names.some((name) => mayFit(pattern, [name, ...rest])) ? "may" : "not";
}

/** Word for word. What is not known yet is covered by a `*` at the end only. */
function fitsAsWritten({ words, open }: CommandPattern, given: readonly CommandWord[], anyCase = false): boolean {
  if (given.length < words.length || (!open && given.length > words.length)) return false;
  return words.every((texts, index) => wordFits(texts, given[index] ?? null, anyCase));
}

/** Options may stand anywhere between the words of a rule, and what is not known yet may be any of them. */
function mayFit({ words: [program, ...words] }: CommandPattern, [name, ...given]: readonly CommandWord[]): boolean {
  if (program && !wordFits(program, name ?? null, true)) return false;
  let next = 0;
  for (const texts of words) {
    while (next < given.length && given[next] !== null && !wordFits(texts, given[next] ?? null, false)) next++;
    if (next >= given.length) return false;
    if (given[next] !== null) next++;
  }
  return true;
}

function wordFits(texts: PatternWord, word: CommandWord, anyCase: boolean): boolean {
  if (word === null) return false;
  const fold = (text: string): string => (anyCase ? text.toLowerCase() : text);
  const [first = "", ...others] = texts.map(fold);
  const rest = fold(word);
  if (others.length === 0) return rest === first;
  if (!rest.startsWith(first)) return false;
  const last = others.at(-1) ?? "";
  let at = first.length;
  for (const text of others.slice(0, -1)) {
    const found = rest.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return rest.length - last.length >= at && rest.endsWith(last);
}
