// Variable references: `†kind.path`, `a || b`, `a && b` (LOOP-REF, LOOP-EXPR). Pure: values come through a lookup.
import type { Params } from "../protocol/messages.ts";

const dagger = "†";

export interface Reference {
  readonly kind: string;
  readonly path: readonly string[];
}

/** Alternatives, the first that exists; each a list that must all exist, its value the last one's. */
export type Expression = readonly (readonly Reference[])[];

export type ReferenceError = "missing" | "syntax" | "forbidden";

export type Parsed =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "expression"; readonly expression: Expression }
  | { readonly kind: "error"; readonly error: ReferenceError };

/** Names that lead out of plain data; never followed and never written (LOOP-REF-4). */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Reads one value of a call's parameters: a string is a reference only when the whole of it, trimmed, begins with †. */
export function parseReference(value: unknown): Parsed {
  if (typeof value !== "string") return { kind: "literal", value };
  const text = value.trim();
  if (text.startsWith(`\\${dagger}`)) return { kind: "literal", value: text.slice(1) };
  if (!text.startsWith(dagger)) return { kind: "literal", value };
  const expression = text.split("||").map((part) => part.split("&&").map(parseOne));
  const references = expression.flat();
  if (references.includes("syntax")) return { kind: "error", error: "syntax" };
  if (references.includes("forbidden")) return { kind: "error", error: "forbidden" };
  return { kind: "expression", expression: expression.map((all) => all.filter((one) => typeof one === "object")) };
}

function parseOne(part: string): Reference | "syntax" | "forbidden" {
  const match = /^†([A-Za-z][\w-]*)((?:\.[^.|&\s]+)*)$/.exec(part.trim());
  if (!match) return "syntax";
  const [, kind = "", rest = ""] = match;
  const path = rest === "" ? [] : rest.slice(1).split(".");
  return [kind, ...path].some((segment) => forbidden.has(segment)) ? "forbidden" : { kind, path };
}

export type Found = { readonly found: true; readonly value: unknown } | { readonly found: false };
export type Lookup = (reference: Reference) => Found;

/** Follows a path through plain data; null, false, 0 and "" are values (LOOP-REF-6). */
export function follow(data: unknown, path: readonly string[]): Found {
  let value = data;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return { found: false };
    if (Array.isArray(value) && !/^\d+$/.test(segment)) return { found: false };
    value = Object.getOwnPropertyDescriptor(value, segment)?.value;
  }
  return { found: true, value };
}

/** The value of an expression. */
export function evaluate(expression: Expression, lookup: Lookup): Found {
  for (const all of expression) {
    const found = all.map(lookup);
    const last = found.at(-1);
    if (last && found.every((one) => one.found)) return last;
  }
  return { found: false };
}

export type Resolved =
  | { readonly kind: "resolved"; readonly value: unknown }
  | { readonly kind: "unresolved"; readonly error: ReferenceError; readonly text: string };

/** Puts values in the place of references, at any depth. */
export function resolve(value: unknown, lookup: Lookup): Resolved {
  if (typeof value === "object" && value !== null) return resolveInside(value, lookup);
  const parsed = parseReference(value);
  if (parsed.kind === "literal") return { kind: "resolved", value: parsed.value };
  const text = String(value).trim();
  if (parsed.kind === "error") return { kind: "unresolved", error: parsed.error, text };
  const found = evaluate(parsed.expression, lookup);
  return found.found ? { kind: "resolved", value: found.value } : { kind: "unresolved", error: "missing", text };
}

function resolveInside(value: object, lookup: Lookup): Resolved {
  const resolved: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const one = resolve(inner, lookup);
    if (one.kind === "unresolved") return one;
    resolved.push([key, one.value]);
  }
  return {
    kind: "resolved",
    value: Array.isArray(value) ? resolved.map(([, one]) => one) : Object.fromEntries(resolved),
  };
}

/** Resolves a call's parameters. Fields that begin with `_` are not parameters and stay as they are (LOOP-REF-7). */
export function resolveParams(params: Params, lookup: Lookup): Resolved {
  const own = Object.entries(params).filter(([key]) => !key.startsWith("_"));
  const resolved = resolve(Object.fromEntries(own), lookup);
  if (resolved.kind === "unresolved" || own.length === Object.keys(params).length) return resolved;
  return { kind: "resolved", value: { ...params, ...(typeof resolved.value === "object" ? resolved.value : {}) } };
}

/** Every expression in a value, at any depth. */
export function expressionsIn(value: unknown): Expression[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(expressionsIn);
  const parsed = parseReference(value);
  return parsed.kind === "expression" ? [parsed.expression] : [];
}
