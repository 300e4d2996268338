// Help for who writes an agent's file: what could stand here, what a key is for, what is wrong, and what was probably meant.
import { AgentFrontMatter } from "../protocol/agents.ts";
import { item, keyPlaces, writingPlace } from "./authoringOutline.ts";
import { type AgentFile, keysOf, type KeySchema } from "./authoringKeys.ts";
import { parseFrontMatter, type Problem } from "./frontMatter.ts";
import { asWritten } from "./promptyChild.ts";
import { readPromptyText } from "./promptyFile.ts";
import type { Prompty } from "./promptyShape.ts";

/** What could stand at a place. */
export interface Completion {
  readonly name: string;
  readonly kind: "key" | "value";
  readonly description: string;
  /** What is put in its place: of a key also what follows it. */
  readonly text: string;
  /** Column, from 1, of the beginning of what it takes the place of. */
  readonly column: number;
}

/** Both count from 1. Never throws, whatever the text. */
export function completionsAt(file: AgentFile, text: string, line: number, column: number): readonly Completion[] {
  const place = writingPlace(text, line, column);
  if (!place) return [];
  const schemas = within(keysOf(file), place.path);
  const values = [...new Set(schemas.flatMap(valuesOf))];
  const offered = values.map((name) => ({
    name,
    kind: "value" as const,
    description: "",
    text: name,
    column: place.column,
  }));
  if (place.kind === "value") return offered;
  const keys = [...membersOf(schemas)].filter(([name]) => !place.beside.includes(name));
  const members = keys.map(([name, schema]) => ({
    name,
    kind: "key" as const,
    description: wordsFor(schema),
    text: `${name}:${isGroup(schema) ? "" : " "}`,
    column: place.column,
  }));
  return [...members, ...offered];
}

/** What the key at a place is for; null where there is none, or nothing to say. */
export function describedAt(file: AgentFile, text: string, line: number, column: number): string | null {
  const key = keyPlaces(text).find(
    (one) => one.line === line && one.column <= column && column <= one.column + one.name.length,
  );
  if (!key) return null;
  const schema = membersOf(within(keysOf(file), key.path)).get(key.name);
  const words = schema ? wordsFor(schema) : "";
  return words === "" ? null : words;
}

export interface Misspelled extends Problem {
  readonly name: string;
  readonly meant: string;
}

/** Keys that are nearly one that there is. Others are kept as they are, and nobody complains. */
export function misspelledKeys(file: AgentFile, text: string): readonly Misspelled[] {
  const whole = keysOf(file);
  return keyPlaces(text).flatMap(({ line, column, name, path }) => {
    const schemas = within(whole, path);
    const known = membersOf(schemas);
    if (known.has(name) || schemas.some(namesFreely)) return [];
    const meant = [...known.keys()].find((key) => isNear(name, key));
    if (meant === undefined) return [];
    return [{ line, column, name, meant, message: `there is no setting “${name}”: is “${meant}” meant?` }];
  });
}

export interface FileProblem extends Problem {
  /** It can be used as it is. */
  readonly hint?: true;
}

/** What is wrong with the text of a file. @param path where it is: what it names is looked for from there */
export async function problemsOf(file: AgentFile, text: string, path: string): Promise<readonly FileProblem[]> {
  if (file === "agent") {
    const parsed = parseFrontMatter(text, AgentFrontMatter);
    return "problems" in parsed ? parsed.problems : [];
  }
  const read = await readPromptyText(text, path, { env: asWritten });
  return "problems" in read ? read.problems : emptyNames(read.prompty, text);
}

/** Names in a template that no input has: they render to nothing (C-41). */
async function emptyNames({ template, inputs, instructions }: Prompty, text: string): Promise<readonly FileProblem[]> {
  if (template.format.kind !== "jinja2") return [];
  const { undeclaredNames } = await import("./promptyNames.ts");
  const declared = inputs.map(({ name }) => name);
  const bodyAt = text.length - text.replace(/^---[^]*?\n---[ \t]*\r?\n/, "").length;
  return undeclaredNames(instructions, declared).map((name) => {
    const found = text.slice(bodyAt).search(new RegExp(String.raw`(?<![\w.])${name}(?!\w)`));
    const above = text.slice(0, bodyAt + Math.max(0, found)).split("\n");
    const message = `no input is called “${name}”: what the template has of it is empty`;
    return { line: above.length, column: (above.at(-1) ?? "").length + 1, message, hint: true };
  });
}

function within(whole: KeySchema, path: readonly string[]): readonly KeySchema[] {
  let schemas = choicesOf(whole);
  for (const step of path) schemas = schemas.flatMap((schema) => memberOf(schema, step)).flatMap(choicesOf);
  return schemas;
}

function memberOf(schema: KeySchema, step: string): readonly KeySchema[] {
  const { properties, items, additionalProperties: rest } = schema;
  if (step === item) return typeof items === "object" && !Array.isArray(items) ? [items] : [];
  const member = properties?.[step] ?? rest;
  return typeof member === "object" ? [member] : [];
}

function choicesOf(schema: KeySchema): readonly KeySchema[] {
  const { anyOf = [] } = schema;
  return anyOf.length === 0 ? [schema] : anyOf.flatMap((one) => (typeof one === "object" ? choicesOf(one) : []));
}

function membersOf(schemas: readonly KeySchema[]): ReadonlyMap<string, KeySchema> {
  const all = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
  return new Map(all.flatMap(([name, schema]) => (typeof schema === "object" ? [[name, schema] as const] : [])));
}

/** Its keys are names of the person's own. */
function namesFreely({ additionalProperties: rest, properties }: KeySchema): boolean {
  return properties === undefined && typeof rest === "object";
}

function valuesOf({ enum: values = [], type }: KeySchema): readonly string[] {
  return type === "boolean" ? ["true", "false"] : values.map(String);
}

function isGroup(schema: KeySchema): boolean {
  return choicesOf(schema).every(({ type }) => type === "object" || type === "array");
}

function wordsFor(schema: KeySchema): string {
  const values = choicesOf(schema).flatMap(valuesOf);
  const { description = "" } = schema;
  const choices = values.length === 0 ? "" : `One of: ${values.map((value) => `\`${value}\``).join(", ")}.`;
  return [description, choices].filter(Boolean).join(" ");
}

/** One or two letters apart, or the same letters in another order. */
function isNear(a: string, b: string): boolean {
  if (lettersOf(a) === lettersOf(b)) return true;
  return b.length > 3 && distance(a, b) <= (b.length > 5 ? 2 : 1);
}

function lettersOf(text: string): string {
  return text.toLowerCase().split("").toSorted().join("");
}

/** Letters to change, add or take away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split("").entries()) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
