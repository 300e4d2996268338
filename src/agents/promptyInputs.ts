// The inputs of a .prompty as a person gives them: as text, one after the other; and what its template makes of them.
import { messagesOf } from "./promptyMessages.ts";
import { prepare, render } from "./promptyRender.ts";
import { isRich } from "./promptyRich.ts";
import type { Prompty, Property } from "./promptyShape.ts";

type Values = Readonly<Record<string, unknown>>;

/** Inputs that can be written: a thread or an image is not asked for. */
export function askableInputs({ inputs }: Pick<Prompty, "inputs">): readonly Property[] {
  return inputs.filter((input) => !isRich(input));
}

/** The values that a person chooses among; null: any text. */
export function choicesFor({ kind, enumValues }: Property): readonly unknown[] | null {
  if (Array.isArray(enumValues) && enumValues.length > 0) return enumValues;
  return kind === "boolean" ? [true, false] : null;
}

/** A value as it is written into a box. */
export function writtenValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a text is as the value of an input; an empty one is no value. `problem` is a sentence for the person. */
export function readInput(
  { name, kind, required }: Property,
  text: string,
): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === "" && kind !== "string")
    return required === true ? { problem: `${name} must be given.` } : { value: undefined };
  if (text === "" && required === true) return { problem: `${name} must be given.` };
  if (kind === "string") return { value: text };
  const value = parsed(text);
  return fits(kind, value) ? { value } : { problem: `${name} must be ${words[kind] ?? `of the kind ${kind}`}.` };
}

const words: Readonly<Record<string, string>> = {
  integer: "a whole number",
  float: "a number",
  boolean: "true or false",
  array: "a list, such as [1, 2]",
  object: 'a group, such as {"a": 1}',
};

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

function fits(kind: string, value: unknown): boolean {
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "float") return typeof value === "number";
  if (kind === "array") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return kind !== "boolean" || typeof value === "boolean";
}

/** What the template says as the user. @throws LoopError as `prepare` */
export async function userText(prompty: Prompty, given: Values): Promise<string> {
  const said = (await prepare(prompty, given)).filter(({ role }) => role === "user");
  return said
    .flatMap(({ content }) => content.flatMap(({ kind, value }) => (kind === "text" ? [value] : [])))
    .join("\n\n");
}

/** The messages of a prompt as text; an input without a value shows as ‹its name›. @throws LoopError as `render` */
export async function previewText(prompty: Prompty, given: Values): Promise<string> {
  const values = prompty.inputs.map((input) => [input.name, valueFor(input, given)] as const);
  const { segments, rich } = await render(prompty, Object.fromEntries(values));
  const texts = messagesOf(segments, rich).map(({ role, content }) => {
    const parts = content.map(({ kind, value }) => (kind === "text" ? value : `‹${kind}›`));
    return `${role}:\n${parts.join("")}`;
  });
  return `${texts.join("\n\n")}\n`;
}

function valueFor(input: Property, given: Values): unknown {
  const { name, default: usual } = input;
  const value = given[name] ?? usual ?? undefined;
  return value === undefined && !isRich(input) ? `‹${name}›` : value;
}
