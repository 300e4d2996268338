// Values in a template, as Jinja has them: what is true, how a value reads, what a filter makes of it.
import { checkLength, TemplateError } from "./promptySegments.ts";

/** A value of a holder's own: never one of its prototype. */
export function own(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return Reflect.get(holder, key);
}

/** What `holder.key` and `holder[key]` give; undefined where there is no such thing. */
export function member(holder: unknown, key: unknown): unknown {
  if (typeof key === "number" && (Array.isArray(holder) || typeof holder === "string")) {
    const items: readonly unknown[] = typeof holder === "string" ? Array.from(holder) : holder;
    return items.at(key);
  }
  return isMap(holder) && typeof key === "string" ? own(holder, key) : undefined;
}

export function isTrue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return sizeOf(value) > 0;
  return Boolean(value);
}

/** What a loop goes through: the items of a list, the keys of a map, the characters of a text. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return Array.from(value);
  if (isMap(value)) return Object.keys(value);
  throw new TemplateError(`There is nothing to go through in ${nameOf(value)}.`);
}

/** As Python writes it. */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : quoted(value);
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a === "boolean" && typeof b === "number") return Number(a) === b;
  if (typeof a === "number" && typeof b === "boolean") return a === Number(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return keys.length === sizeOf(b) && keys.every((key) => Object.hasOwn(b, key) && isEqual(own(a, key), own(b, key)));
  }
  return a === b;
}

/** Less than zero: `a` comes first. Only numbers, or texts, have an order. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  return numberOf(a) - numberOf(b);
}

export function numberOf(value: unknown): number {
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  throw new TemplateError(`${nameOf(value)} is not a number.`);
}

export function contains(holder: unknown, item: unknown): boolean {
  if (typeof holder === "string") return holder.includes(textOf(item));
  return itemsOf(holder).some((one) => isEqual(one, item));
}

type Filter = (value: unknown, args: Readonly<Record<string, unknown>>) => unknown;

interface FilterKind {
  /** Names of its arguments, in their order. */
  readonly takes: readonly string[];
  readonly apply: Filter;
}

const length: FilterKind = { takes: [], apply: sizeOf };
const fallback: FilterKind = {
  takes: ["default_value", "boolean"],
  apply: (value, { default_value = "", boolean }) =>
    value === undefined || (isTrue(boolean) && !isTrue(value)) ? default_value : value,
};

/** All there are: a template calls nothing else. */
export const filters: ReadonlyMap<string, FilterKind> = new Map([
  ["upper", { takes: [], apply: (value: unknown) => textOf(value).toUpperCase() }],
  ["lower", { takes: [], apply: (value: unknown) => textOf(value).toLowerCase() }],
  ["trim", { takes: ["chars"], apply: (value: unknown, { chars }) => trim(textOf(value), chars) }],
  ["join", { takes: ["d", "attribute"], apply: join }],
  ["length", length],
  ["count", length],
  ["default", fallback],
  ["d", fallback],
] satisfies [string, FilterKind][]);

function join(value: unknown, { d = "", attribute }: Readonly<Record<string, unknown>>): string {
  const parts = itemsOf(value).map((item) => textOf(attribute === undefined ? item : member(item, attribute)));
  const separator = textOf(d);
  checkLength(parts.reduce((sum, part) => sum + part.length + separator.length, 0));
  return parts.join(separator);
}

function trim(text: string, chars: unknown): string {
  if (chars === undefined || chars === null) return text.trim();
  const outer = textOf(chars);
  let [start, end] = [0, text.length];
  while (start < end && outer.includes(text.charAt(start))) start++;
  while (end > start && outer.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string") return Array.from(value).length;
  if (isMap(value)) return Object.keys(value).length;
  throw new TemplateError(`${nameOf(value)} has no length.`);
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  return value === undefined ? "What is not there" : quoted(value);
}

/** As Python shows a value inside another. */
function quoted(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return numeral(value);
  if (typeof value === "string") return quotedText(value);
  if (Array.isArray(value)) return `[${value.map(quoted).join(", ")}]`;
  const entries = Object.entries(value);
  return `{${entries.map(([key, item]) => `${quotedText(key)}: ${quoted(item)}`).join(", ")}}`;
}

function numeral(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  const text = size > 0 && size < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function quotedText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replaceAll(/[\\'\p{Cc}]/gu, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : char;
    return escapes.get(char) ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return quote + inner + quote;
}
