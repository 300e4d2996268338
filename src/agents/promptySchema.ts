// JSON Schemas of what a .prompty declares: inputs, outputs and the parameters of tools (PROMPTY-7-1). Pure.
import type { JsonSchema } from "../engine/ports.ts";
import type { Property } from "./promptyShape.ts";

/** Kinds that JSON Schema names otherwise; rich inputs come as text. */
const types = new Map([
  ["float", "number"],
  ["image", "string"],
  ["file", "string"],
  ["audio", "string"],
  ["thread", "array"],
]);

/** @param without names of properties that are left out: what a binding fills in is not the model's to say */
export function schemaOf(properties: readonly Property[], without: ReadonlySet<string> = new Set()): JsonSchema {
  const shown = properties.filter(({ name }) => !without.has(name));
  const required = shown.filter((property) => property["required"] === true).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(shown.map((property) => [property.name, schemaOfOne(property)])),
    ...(required.length > 0 && { required }),
  };
}

function schemaOfOne(property: Property): JsonSchema {
  const { kind, description, enumValues, items, properties } = property;
  const inner = Array.isArray(properties) ? properties.filter(isProperty) : null;
  return {
    ...(kind === "object" && inner ? schemaOf(inner) : { type: types.get(kind) ?? kind }),
    ...(typeof description === "string" && description !== "" && { description }),
    ...(Array.isArray(enumValues) && enumValues.length > 0 && { enum: enumValues }),
    ...(isProperty(items) && { items: schemaOfOne(items) }),
  };
}

function isProperty(value: unknown): value is Property {
  return typeof value === "object" && value !== null && "kind" in value;
}
