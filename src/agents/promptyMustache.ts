// Mustache templates: read by the library, filled in here, so that a name reaches nothing but the inputs' own values.
import mustache from "mustache";
import { checkBlanks, type Output, type Template, TemplateError } from "./promptySegments.ts";
import { own } from "./promptyValues.ts";

/** A value, and the input that it is part of; null: of none. */
interface Found {
  readonly value: unknown;
  readonly source: string | null;
}

type Token = readonly unknown[];
/** What names are looked for in, the innermost last. */
type Stack = readonly Found[];

const nothing: Found = { value: undefined, source: null };

/** @throws TemplateError */
export function readMustache(text: string): Template {
  checkBlanks(text);
  const tokens = tokensOf(text);
  check(tokens, text);
  return {
    render: (inputs, output) => {
      write(tokens, [{ value: inputs, source: null }], output);
    },
  };
}

function tokensOf(text: string): readonly Token[] {
  try {
    // A writer of its own: the shared one would remember every template for ever.
    return listOf(new mustache.Writer().parse(text));
  } catch (error) {
    const [, words = "is not closed", place] =
      /^(.*) at (\d+)$/.exec(error instanceof Error ? error.message : "") ?? [];
    throw new TemplateError(`template: ${words}`, place === undefined ? null : lineAt(text, Number(place)));
  }
}

function check(tokens: readonly Token[], text: string): void {
  for (const token of tokens) {
    if (token[0] === ">")
      throw new TemplateError(`template: there are no partials here`, lineAt(text, Number(token[2])));
    check(listOf(token[4]), text);
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function listOf(value: unknown): readonly Token[] {
  return Array.isArray(value) ? value.filter((token) => Array.isArray(token)) : [];
}

function write(tokens: readonly Token[], stack: Stack, output: Output): void {
  for (const token of tokens) {
    output.step();
    const [type, value] = token;
    const name = String(value);
    if (type === "text") output.write(name, null);
    else if (type === "#" || type === "^") writeSection(token, stack, output);
    else if (type === "name" || type === "&") {
      const found = lookup(name, stack);
      output.write(textOf(found.value), found.source ?? rootOf(name));
    }
  }
}

function writeSection(token: Token, stack: Stack, output: Output): void {
  const [type, name] = token;
  const { value, source } = lookup(String(name), stack);
  const children = listOf(token[4]);
  const items: readonly unknown[] = Array.isArray(value) ? value : isTrue(value) ? [value] : [];
  if (type === "^") {
    if (items.length === 0) write(children, stack, output);
    return;
  }
  for (const item of items) write(children, [...stack, { value: item, source }], output);
}

function lookup(name: string, stack: Stack): Found {
  if (name === ".") return stack.at(-1) ?? nothing;
  const [first = "", ...rest] = name.split(".");
  const holder = stack.findLast(({ value }) => own(value, first) !== undefined);
  if (holder === undefined) return nothing;
  const value = rest.reduce(own, own(holder.value, first));
  return { value, source: holder.source ?? first };
}

function rootOf(name: string): string {
  return name.split(".")[0] ?? name;
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined && value !== "" && value !== 0;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isData =
    typeof value === "number" || typeof value === "boolean" || (typeof value === "object" && value !== null);
  return isData ? JSON.stringify(value) : "";
}
