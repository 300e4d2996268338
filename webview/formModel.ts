// A form made from a JSON Schema: its fields, what is typed in them as text, and the parameters that come of it.
import type { Params } from "../src/protocol/messages.ts";
import { isRecord } from "./ui.ts";
import type { FormDraft } from "./ui.ts";
import { t } from "./l10n.ts";

export type Control = "line" | "text" | "number" | "choice" | "switch" | "json";

export interface Field {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly control: Control;
  readonly required: boolean;
  readonly schema: Params;
  /** What the model proposed; undefined when it gave nothing. */
  readonly proposed: unknown;
}

/** What a form says at a moment. `params` holds every field that could be read. */
export interface Reading {
  readonly params: Params;
  /** What is wrong, by field; the whole text's problem is under "". */
  readonly problems: Readonly<Record<string, string>>;
}

type Value = { readonly value: unknown } | { readonly problem: string };

/** What a form is made from. */
export interface Proposal {
  readonly schema: Params;
  readonly params: Params;
}

/**
 * The fields of a schema in its order, then parameters that it does not know.
 * @param added parameters that a person has written in besides those of the proposal
 */
export function fieldsOf({ schema, params }: Proposal, added: readonly string[] = []): readonly Field[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const keys = [...new Set([...Object.keys(properties), ...Object.keys(params), ...added])];
  return keys.map((key) => {
    const property = properties[key];
    const fieldSchema = isRecord(property) ? property : {};
    const description = fieldSchema["description"];
    return {
      key,
      label: wordsOf(key),
      description: typeof description === "string" ? description : "",
      control: controlOf(key, fieldSchema, params[key]),
      required: required.includes(key),
      schema: fieldSchema,
      proposed: params[key],
    };
  });
}

const longNames =
  /(?:^|_|\b)(?:content|contents|text|body|patch|code|script|command|find|replace|note|old|new|search)(?:$|_|\b)/i;

function controlOf(key: string, schema: Params, proposed: unknown): Control {
  if (Array.isArray(schema["enum"])) return "choice";
  switch (schema["type"]) {
    case "boolean":
      return "switch";
    case "number":
    case "integer":
      return "number";
    case "string":
      return isLong(key, proposed) ? "text" : "line";
    default: {
      const isText = typeof proposed === "string" || (proposed === undefined && mayBeText(schema));
      return isText && schema["type"] === undefined ? "text" : "json";
    }
  }
}

function mayBeText(schema: Params): boolean {
  const kinds: unknown = schema["anyOf"];
  return Array.isArray(kinds) && kinds.some((kind: unknown) => isRecord(kind) && kind["type"] === "string");
}

function isLong(key: string, proposed: unknown): boolean {
  if (typeof proposed === "string" && (proposed.includes("\n") || proposed.length > 60)) return true;
  return longNames.test(key.replace(/([a-z])([A-Z])/g, "$1_$2"));
}

/** The form as the model proposed it. */
export function firstDraft(proposal: Proposal): FormDraft {
  const { params } = proposal;
  return { raw: false, texts: textsOf(fieldsOf(proposal), params), json: pretty(params) };
}

/** What a call says that a tool with this schema can use too: so a person need not type it again. */
export function carriedOver(schema: Params, params: Params): Params {
  const fields = fieldsOf({ schema, params: {} });
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = params[field.key];
      return value === undefined || checkValue(field, value) !== null ? [] : [[field.key, value]];
    }),
  );
}

function textsOf(fields: readonly Field[], params: Params): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.key, textOf(field, params[field.key])]));
}

/** A value as the text of its field. */
export function textOf(field: Field, value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string" && field.control !== "json") return value;
  return field.control === "json" ? pretty(value) : JSON.stringify(value);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Reads the form, field by field or as one JSON text. */
export function readForm(fields: readonly Field[], draft: FormDraft): Reading {
  if (draft.raw) return readWhole(fields, draft.json);
  const params: Params = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const read = readField(field, draft.texts[field.key] ?? "");
    if ("problem" in read) problems[field.key] = read.problem;
    else if (read.value !== undefined) params[field.key] = read.value;
  }
  return { params, problems };
}

function readWhole(fields: readonly Field[], json: string): Reading {
  const read = parseJson(json);
  if ("problem" in read) return { params: {}, problems: { "": read.problem } };
  const { value } = read;
  if (!isRecord(value)) return { params: {}, problems: { "": t("This must be an object: { … }.") } };
  const wrong = fields.flatMap((field) => {
    const problem = checkValue(field, value[field.key]);
    return problem === null ? [] : [`${field.key}: ${problem}`];
  });
  return { params: value, problems: wrong.length === 0 ? {} : { "": wrong.join(" ") } };
}

/** The same form in its other shape; null when the JSON text cannot be read. */
export function switchShape(proposal: Proposal, draft: FormDraft): FormDraft | null {
  const fields = fieldsOf(proposal, Object.keys(draft.texts));
  if (!draft.raw) return { ...draft, raw: true, json: pretty(readForm(fields, draft).params) };
  const read = parseJson(draft.json);
  if ("problem" in read || !isRecord(read.value)) return null;
  return { ...draft, raw: false, texts: textsOf(fieldsOf(proposal, Object.keys(read.value)), read.value) };
}

/** True when a field's text means something else than what was proposed. */
export function isChanged(field: Field, text: string): boolean {
  return text !== textOf(field, field.proposed);
}

/** True when two sets of parameters say the same. */
export function sameParams(a: Params, b: Params): boolean {
  const ordered = (params: Params): string =>
    JSON.stringify(Object.entries(params).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  return ordered(a) === ordered(b);
}

function readField(field: Field, text: string): Value {
  const read = valueOf(field, text);
  if ("problem" in read) return read;
  const problem = checkValue(field, read.value);
  return problem === null ? read : { problem };
}

function valueOf(field: Field, text: string): Value {
  if (field.control === "switch" && (field.required || text !== "")) return { value: text === "true" };
  const absent = text === "" && !(field.control === "text" && (field.required || field.proposed !== undefined));
  if (absent) return { value: undefined };
  switch (field.control) {
    case "line":
    case "text":
      return { value: text };
    case "number":
      return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text.trim())
        ? { value: Number(text) }
        : { problem: t("This must be a number.") };
    case "choice":
      return { value: choicesOf(field).find((choice) => choiceText(choice) === text) };
    case "switch":
      return { value: undefined };
    case "json":
      return parseJson(text);
  }
}

export function choicesOf(field: Field): readonly unknown[] {
  const choices = field.schema["enum"];
  return Array.isArray(choices) ? choices : [];
}

export function choiceText(choice: unknown): string {
  return typeof choice === "string" ? choice : JSON.stringify(choice);
}

function parseJson(text: string): Value {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/, ".*$/s, "").replace(/ in JSON.*$/s, "") : "";
    return { problem: detail === "" ? t("This is not valid JSON.") : t("This is not valid JSON: {0}.", detail) };
  }
}

/** What is wrong with a value, in one sentence; null when nothing is. The host checks it all again. */
function checkValue(field: Field, value: unknown): string | null {
  if (value === undefined) return field.required ? t("This is required.") : null;
  if (typeof value === "number") return checkNumber(field.schema, value);
  if (typeof value === "string") return checkText(field.schema, value);
  return checkType(field.schema, value);
}

function checkNumber(schema: Params, value: number): string | null {
  const { minimum, maximum, type } = schema;
  if (type !== undefined && type !== "number" && type !== "integer") return checkType(schema, value);
  if (type === "integer" && !Number.isInteger(value)) return t("This must be a whole number.");
  if (typeof minimum === "number" && value < minimum) return t("This must be at least {0}.", minimum);
  if (typeof maximum === "number" && value > maximum) return t("This must be at most {0}.", maximum);
  return null;
}

function checkText(schema: Params, value: string): string | null {
  const { minLength, maxLength } = schema;
  if (typeof minLength === "number" && value.length < minLength) {
    return value === "" ? t("This is required.") : t("This needs at least {0} characters.", minLength);
  }
  if (typeof maxLength === "number" && value.length > maxLength)
    return t("This may have at most {0} characters.", maxLength);
  return checkType(schema, value);
}

const typeNames: Readonly<Record<string, string>> = {
  string: t("This must be a text."),
  number: t("This must be a number."),
  integer: t("This must be a whole number."),
  boolean: t("This must be true or false."),
  array: t("This must be a list: [ … ]."),
  object: t("This must be an object: { … }."),
};

function checkType(schema: Params, value: unknown): string | null {
  const type = schema["type"];
  const name = typeof type === "string" ? typeNames[type] : undefined;
  if (typeof type !== "string" || name === undefined || isOfType(type, value)) return null;
  return name;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "integer") return typeof value === "number";
  return typeof value === type;
}

/** "old_text" and "oldText" → "Old text". */
export function wordsOf(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
