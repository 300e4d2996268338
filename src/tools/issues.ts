// What is wrong with a call's arguments, one sentence for each problem.
import type * as z from "zod";
import type { Params } from "../protocol/messages.ts";

/**
 * Puts a schema's complaints into words for the model and the person.
 * @param params the arguments as they came
 * @param known the parameters that the tool has
 */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  params: Params,
  known: readonly string[],
): readonly string[] {
  return issues.map((issue) => describe(issue, params, known));
}

function describe(issue: z.core.$ZodIssue, params: Params, known: readonly string[]): string {
  if (issue.code === "unrecognized_keys") {
    const owner = issue.path.length > 0 ? ` of \`${place(issue.path)}\`` : `; the parameters are ${known.join(", ")}`;
    return `${issue.keys.map((key) => `\`${key}\``).join(", ")} is not a parameter${owner}.`;
  }
  const where = `\`${place(issue.path)}\``;
  const value = valueAt(params, issue.path);
  if (value === undefined) return `${where} is missing; expected ${expected(issue)}.`;
  return `${where} is ${shown(value)}; expected ${expected(issue)}.`;
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return articles[issue.expected] ?? issue.expected;
  if (issue.code === "too_small") return `at least ${issue.minimum}${units[issue.origin] ?? ""}`;
  if (issue.code === "too_big") return `at most ${issue.maximum}${units[issue.origin] ?? ""}`;
  return issue.message;
}

const articles: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const units: Readonly<Record<string, string>> = { string: " character(s)", array: " item(s)" };

function place(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

function valueAt(params: Params, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    params,
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
