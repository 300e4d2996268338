// The schema of a Solution, for models that have no calls of their own: made of the tools and what the answer must be. Pure.
import type { JsonSchema, ToolSpec } from "./ports.ts";

export interface SolutionParts {
  readonly tools: readonly ToolSpec[];
  /** What the answer must be; absent: text. */
  readonly output?: JsonSchema | undefined;
  /** Whether parameters may be references such as †state.x. */
  readonly references: boolean;
  /** Schemas of what each advisor that is consulted now has to say. */
  readonly advisors?: readonly AdvisorSchema[] | undefined;
  readonly meta?: JsonSchema | undefined;
}

export interface AdvisorSchema {
  readonly schema: JsonSchema;
  /** Must speak in every reply; otherwise only when the reply has an output. */
  readonly always: boolean;
}

const reference: JsonSchema = {
  type: "string",
  pattern: "^\\s*†",
  description: "A reference to data instead of the value, such as †state.config.",
};
const toReference: JsonSchema = { $ref: "#/$defs/reference" };
const reason: JsonSchema = { type: "string", description: "Why this call, in a few words." };
const answer: JsonSchema = {
  type: ["string", "null"],
  description: "The final answer, or null while it is not known.",
};

/** Composes the schema (LOOP-SCHEMA-1…6). The order of its properties is the order in which a model should write them. */
export function solutionSchema(parts: SolutionParts): JsonSchema {
  const { meta, advisors = [], output } = parts;
  const properties = {
    ...(meta && { meta: rebase(meta, "#/properties/meta") }),
    ...(advisors.length > 0 && { advisors: advisorsSchema(advisors) }),
    calls: callsSchema(parts),
    output: output ? { anyOf: [rebase(output, "#/properties/output/anyOf/0"), { type: "null" }] } : answer,
  };
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...(parts.references && { $defs: { reference } }),
  };
}

function advisorsSchema(advisors: readonly AdvisorSchema[]): JsonSchema {
  const union = advisors.map(({ schema }, index) => rebase(schema, `#/properties/advisors/items/anyOf/${index}`));
  return {
    type: "array",
    description: "Advice, before anything is decided.",
    minItems: advisors.filter(({ always }) => always).length,
    items: { anyOf: union },
  };
}

function callsSchema({ tools, references }: SolutionParts): JsonSchema {
  // The last definition of a name counts (LOOP-SCHEMA-4).
  const known = tools.filter((tool, index) => !tools.slice(index + 1).some(({ name }) => name === tool.name));
  if (known.length === 0) return { type: "array", maxItems: 0 };
  const union = known.map((tool, index) => callSchema(tool, `#/properties/calls/items/anyOf/${index}`, references));
  return { type: "array", description: "What to do now, in order.", items: { anyOf: union } };
}

/** `_tool` comes first, so that it is known early which tool a call is for. Fields of the tool's own schema stay, `_output` too. */
function callSchema({ name, description, parameters }: ToolSpec, base: string, references: boolean): JsonSchema {
  const schema = rebase(parameters, base);
  const own = Object.entries(objectOf(schema["properties"])).filter(([key]) => key !== "_tool");
  const accepting = references
    ? own.map(([key, value]) => [key, key.startsWith("_") ? value : acceptReference(value)] as const)
    : own;
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((key) => key !== "_tool") : [];
  return {
    ...(references ? within(schema, acceptReference, definitions) : schema),
    type: "object",
    description,
    properties: { _tool: { const: name }, _reasoningForCall: reason, ...Object.fromEntries(accepting) },
    required: ["_tool", ...required],
  };
}

/** Words that make a string schema refuse a reference. */
const stringLimits = ["enum", "const", "pattern", "format", "minLength", "maxLength"];

/** Lets a parameter, and whatever is inside of it, be a reference as well (LOOP-SCHEMA-6). */
function acceptReference(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const inside = within(schema, acceptReference);
  const { type } = schema;
  const takesText = (type === "string" || (Array.isArray(type) && type.includes("string"))) && isFree(schema);
  const takesAll = Object.keys(schema).every((key) => key === "description" || key === "title" || key === "default");
  if (takesText || takesAll) return inside;
  // Beside the union, so that the parameter's words are read first.
  const { description, ...rest } = inside;
  return { ...(description !== undefined && { description }), anyOf: [rest, toReference] };
}

function isFree(schema: JsonSchema): boolean {
  return stringLimits.every((word) => !(word in schema)) && !("anyOf" in schema) && !("oneOf" in schema);
}

const holders = ["properties", "items", "additionalProperties", "anyOf", "oneOf"];
const definitions = ["$defs", "definitions"];

/** Changes the schemas of what an object or a list holds; alternatives and definitions only inside, they are not values yet. */
function within(
  schema: JsonSchema,
  change: (schema: unknown) => unknown,
  keys: readonly string[] = holders,
): Record<string, unknown> {
  const inside = (one: unknown): unknown => (isObject(one) ? within(one, change) : one);
  const changed = Object.entries(schema).map(([key, value]) => {
    if (!keys.includes(key)) return [key, value] as const;
    if (key === "properties") return [key, mapValues(value, change)] as const;
    if (definitions.includes(key)) return [key, mapValues(value, inside)] as const;
    return [key, Array.isArray(value) ? value.map(inside) : change(value)] as const;
  });
  return Object.fromEntries(changed);
}

/** Keys under which schema words are data, or names and not words. */
const verbatim: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);
const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** A schema keeps pointing at its own parts when it moves into another one. */
function rebase(schema: JsonSchema, base: string): JsonSchema {
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    return isObject(value) ? rebase(value, base) : value;
  };
  const moved = Object.entries(schema).map(([key, value]) => {
    if (key === "$ref" && typeof value === "string" && value.startsWith("#"))
      return [key, `${base}${value.slice(1)}`] as const;
    if (verbatim.has(key)) return [key, value] as const;
    return [key, named.has(key) ? mapValues(value, move) : move(value)] as const;
  });
  return Object.fromEntries(moved.filter(([key]) => key !== "$schema"));
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
}

function objectOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
