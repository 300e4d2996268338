// What a .prompty declares of inputs and parameters, as the JSON Schema that a model is told. Pure.
import type { JsonSchema } from "../engine/ports.ts";
import type { Property } from "./promptyShape.ts";

/** A model cannot write a conversation; the other rich kinds are an address or data. */
const types: Readonly<Record<string, string>> = {
  string: "string",
  integer: "integer",
  float: "number",
  number: "number",
  boolean: "boolean",
  array: "array",
  object: "object",
  image: "string",
  file: "string",
  audio: "string",
};

/** @param hidden names that the model is not told of (PROMPTY-9.5-4) */
export function parametersOf(properties: readonly Property[], hidden: ReadonlySet<string>): JsonSchema {
  return objectOf(properties.filter(({ name, kind }) => !hidden.has(name) && kind !== "thread"));
}

function objectOf(properties: readonly Property[]): JsonSchema {
  const required = properties.filter((property) => property["required"] === true).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties.map((property) => [property.name, schemaOf(property)])),
    ...(required.length > 0 && { required }),
  };
}

function schemaOf(property: Readonly<Record<string, unknown>>): JsonSchema {
  const { kind, description, enumValues, items, properties } = property;
  const type = typeof kind === "string" ? types[kind] : undefined;
  return {
    ...(type !== undefined && { type }),
    ...(typeof description === "string" && { description }),
    ...(Array.isArray(enumValues) && { enum: enumValues }),
    ...(isGroup(items) && { items: schemaOf(items) }),
    ...(Array.isArray(properties) && objectOf(properties)),
  };
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same for parameters that are a JSON Schema already. */
export function schemaWithout(schema: JsonSchema, hidden: ReadonlySet<string>): JsonSchema {
  const { properties, required } = schema;
  const shown = Object.entries(isGroup(properties) ? properties : {}).filter(([name]) => !hidden.has(name));
  const left: unknown[] = Array.isArray(required) ? required.filter((name) => !hidden.has(String(name))) : [];
  const { required: _all, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(shown), ...(left.length > 0 && { required: left }) };
}
