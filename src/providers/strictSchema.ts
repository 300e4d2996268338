// JSON Schemas in the strict form that endpoints can hold a model to: closed objects, every property required. Pure.
import { isRecord, listOf, recordOf, type WireRecord } from "./wireValue.ts";

/** What is kept of a schema; other members only narrow, and Brain checks them itself. */
const kept = ["type", "description", "title", "enum", "const", "$ref"] as const;

/** Members that strict schemas cannot say and that change what a value may be. */
const beyond = ["oneOf", "allOf", "not", "if", "patternProperties", "unevaluatedProperties", "prefixItems"];

/**
 * Properties that are optional become nullable, because strict schemas have none that may be left out.
 * @returns null for a schema that cannot be said strictly, or is not of an object
 */
export function strictSchema(schema: unknown): WireRecord | null {
  const strict = recordOf(schema)["type"] === "object" ? strictly(schema) : null;
  if (strict === null) return null;
  const names = ["$defs", "definitions"] as const;
  const groups: [string, WireRecord][] = [];
  for (const name of names) {
    const group = recordOf(schema)[name];
    if (group === undefined) continue;
    const members = each(recordOf(group));
    if (members === null) return null;
    groups.push([name, members]);
  }
  return { ...strict, ...Object.fromEntries(groups) };
}

function strictly(schema: unknown): WireRecord | null {
  if (!isRecord(schema) || beyond.some((name) => name in schema)) return null;
  const said = Object.fromEntries(kept.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])));
  const options = schema["anyOf"];
  if (options !== undefined) {
    const all = allOf(listOf(options));
    return all && { ...said, anyOf: all };
  }
  if (schema["type"] === "object") return closed(schema, said);
  if (schema["type"] === "array") {
    const items = strictly(schema["items"]);
    return items && { ...said, items };
  }
  return Object.keys(said).some((name) => name !== "description" && name !== "title") ? said : null;
}

function closed(schema: WireRecord, said: WireRecord): WireRecord | null {
  // An object with members of any name cannot be closed.
  const open = schema["additionalProperties"];
  if (open === true || isRecord(open) || !isRecord(schema["properties"])) return null;
  const properties = each(schema["properties"]);
  if (properties === null) return null;
  const required = new Set(listOf(schema["required"]));
  const all = Object.entries(properties).map(([name, one]) => [name, required.has(name) ? one : orNull(recordOf(one))]);
  return {
    ...said,
    properties: Object.fromEntries(all),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function orNull(schema: WireRecord): WireRecord {
  const { type } = schema;
  if (typeof type === "string" && !("enum" in schema) && !("const" in schema) && type !== "null")
    return { ...schema, type: [type, "null"] };
  if (Array.isArray(type) && type.includes("null")) return schema;
  return { anyOf: [schema, { type: "null" }] };
}

function each(group: WireRecord): WireRecord | null {
  const members = Object.entries(group).map(([name, one]) => [name, strictly(one)] as const);
  return members.some(([, one]) => one === null) ? null : Object.fromEntries(members);
}

function allOf(schemas: readonly unknown[]): readonly WireRecord[] | null {
  const all = schemas.map(strictly);
  return all.every((one) => one !== null) ? all : null;
}
