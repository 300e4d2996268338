// Rules as a file: a JSON list in the form of the setting, one rule a line. Pure.
import * as z from "zod";
import { Rule, ruleText } from "./rules.ts";

/** The text of a file with these rules, each once. */
export function ruleFileOf(rules: readonly Rule[]): string {
  const lines = distinctRules(rules).map((rule) => `  ${JSON.stringify(rule)}`);
  return lines.length === 0 ? "[]\n" : `[\n${lines.join(",\n")}\n]\n`;
}

/**
 * Reads such a file.
 * @throws an Error whose message says which rule is wrong, or that it is no list
 */
export function rulesInFile(text: string): readonly Rule[] {
  const rules = z.array(Rule).safeParse(JSON.parse(text));
  if (rules.success) return rules.data;
  const [issue] = rules.error.issues;
  throw new Error(`it holds no rules: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}.`);
}

/** Each rule once, in the order in which they come. */
export function distinctRules(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [ruleText(rule), rule])).values()];
}

/** Those of the rules that are not among the others yet. */
export function newAmong(rules: readonly Rule[], others: readonly Rule[]): readonly Rule[] {
  const known = new Set(others.map(ruleText));
  return distinctRules(rules).filter((rule) => !known.has(ruleText(rule)));
}
