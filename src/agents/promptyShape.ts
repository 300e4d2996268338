// The front matter of a .prompty as people may write it, and the one form that it is used in: shorthands are spelled out.
import * as z from "zod";
import type { DeclaredTool } from "../protocol/agents.ts";

type Settings = Readonly<Record<string, unknown>>;

/** An input, an output, or a parameter of a tool. What else was written about it is kept. */
export interface Property extends Settings {
  readonly name: string;
  /** `string`, `integer`, `float`, `boolean`, `array`, `object`; of inputs also `thread`, `image`, `file`, `audio`. */
  readonly kind: string;
  /** Its text may not look as if it began a message. */
  readonly strict?: boolean;
}

interface PromptySettings extends Settings {
  readonly name?: string;
  readonly description?: string;
  readonly model?: Settings;
  readonly inputs: readonly Property[];
  readonly outputs: readonly Property[];
  readonly tools: readonly DeclaredTool[];
  readonly template: { readonly format: Kind; readonly parser: Kind };
}

export interface Prompty extends PromptySettings {
  readonly kind: "prompt";
  /** From the front matter, else from the file's name. */
  readonly name: string;
  /** The template: all below the front matter, with plain newlines. */
  readonly instructions: string;
}

interface Kind extends Settings {
  readonly kind: string;
}

const settings = z.record(z.string(), z.unknown());
const named = z.looseObject({ name: z.string().min(1, "must not be empty") });
const properties = z.union([z.array(named), settings], "must be a list with names, or a group by name").nullish();
const oneOf = (...values: string[]): z.ZodType<string | Settings> =>
  z.union([z.enum(values), z.looseObject({ kind: z.enum(values) })], `must be one of: ${values.join(", ")}`);

/** What is checked of front matter; every other key is kept as it is (PROMPTY-2-2). */
export const PromptyFrontMatter = z.looseObject({
  name: z.string().nullish(),
  displayName: z.string().nullish(),
  description: z.string().nullish(),
  metadata: settings.nullish(),
  model: z
    .union(
      [
        z.string(),
        z.looseObject({
          id: z.string().nullish(),
          provider: z.string().nullish(),
          apiType: z.string().nullish(),
          connection: z.looseObject({ kind: z.string().nullish() }).nullish(),
          options: settings.nullish(),
        }),
      ],
      "must be the name of a model, or a group with id, provider, apiType, connection and options",
    )
    .nullish(),
  inputs: properties,
  outputs: properties,
  tools: properties,
  template: z
    .union(
      [
        z.enum(["jinja2", "mustache"]),
        z.looseObject({
          format: oneOf("jinja2", "mustache").nullish(),
          parser: oneOf("prompty").nullish(),
        }),
      ],
      "must be jinja2 or mustache, or a group with format and parser",
    )
    .nullish(),
});

/** Spells the shorthands out (PROMPTY-2-3, PROMPTY-2-7). */
export function settingsOf(data: z.infer<typeof PromptyFrontMatter>): PromptySettings {
  const { model, inputs, outputs, tools, template, ...rest } = data;
  const declared = propertiesOf(inputs);
  const others = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    ...others,
    ...(model !== undefined && model !== null && { model: typeof model === "string" ? { id: model } : filled(model) }),
    inputs: declared,
    outputs: propertiesOf(outputs),
    tools: listOf(tools).map((tool) => toolOf(tool, declared)),
    template: templateOf(template),
  };
}

function templateOf(template: unknown): PromptySettings["template"] {
  const { format, parser, ...rest } = typeof template === "string" ? { format: template } : groupOf(template);
  return { ...rest, format: kindOf(format, "jinja2"), parser: kindOf(parser, "prompty") };
}

function kindOf(value: unknown, usual: string): Kind {
  return typeof value === "string" ? { kind: value } : { kind: usual, ...groupOf(value) };
}

function groupOf(value: unknown): Settings {
  const group = settings.safeParse(value);
  return group.success ? group.data : {};
}

/** Without its empty values: `options:` with nothing below says nothing. */
function filled(group: Settings): Settings {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null));
}

/** A list; or a group by name, itself or below `properties`. What is not a group is the value of the key `default`. */
function listOf(value: unknown): readonly (Settings & { readonly name: string })[] {
  if (Array.isArray(value)) return value.map((item) => ({ name: "", ...groupOf(item) }));
  const group = groupOf(value);
  const inner = group["properties"];
  if (Array.isArray(inner) || (isGroup(inner) && !("kind" in inner))) return listOf(inner);
  return Object.entries(group).map(([name, item]) => ({ ...(isGroup(item) ? item : { default: item }), name }));
}

function isGroup(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function propertiesOf(value: unknown): readonly Property[] {
  return listOf(value).map(propertyOf);
}

function propertyOf(written: Settings & { readonly name: string }): Property {
  const { properties } = written;
  const usual = written["default"] === undefined || written["default"] === null ? "string" : kindOfValue(written);
  return {
    ...written,
    kind: typeof written["kind"] === "string" ? written["kind"] : usual,
    ...((isGroup(properties) || Array.isArray(properties)) && { properties: propertiesOf(properties) }),
  };
}

/** Parameters that are written as a JSON Schema stay one. */
export function isSchema(parameters: unknown): parameters is Settings {
  return isGroup(parameters) && parameters["type"] === "object";
}

function kindOfValue({ default: value }: Settings): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return "array";
  return typeof value === "object" ? "object" : "string";
}

function toolOf(tool: Settings & { readonly name: string }, inputs: readonly Property[]): DeclaredTool {
  const { parameters, bindings, approvalMode } = tool;
  return {
    ...tool,
    kind: typeof tool["kind"] === "string" ? tool["kind"] : "function",
    ...(parameters !== undefined &&
      parameters !== null && { parameters: isSchema(parameters) ? parameters : propertiesOf(parameters) }),
    ...(isGroup(bindings) && { bindings: bindingsOf(bindings, inputs) }),
    ...(typeof approvalMode === "string" && { approvalMode: { kind: approvalMode } }),
  };
}

/** A word is the name of an input; one that is not declared is the value itself (C-15). */
function bindingsOf(bindings: Settings, inputs: readonly Property[]): Settings {
  const isInput = (value: unknown): boolean => inputs.some(({ name }) => name === value);
  const spelled = Object.entries(bindings).map(([name, value]): [string, unknown] => {
    if (isGroup(value)) return [name, value];
    return [name, isInput(value) ? { input: value } : { value }];
  });
  return Object.fromEntries(spelled);
}
