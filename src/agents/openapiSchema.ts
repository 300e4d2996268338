// Schemas of an OpenAPI document as JSON Schema by itself: references put in their places, within limits, and nothing that a checker could be hurt with. Pure.
import type { JsonSchema } from "../engine/ports.ts";
import { groupOf, isGroup, listOf, referred, textOf, type Group } from "./openapiDocument.ts";

/** How much may still be told, in characters. Shared by all schemas of an operation. */
export interface Room {
  left: number;
}

const deepest = 12;
const longestDescription = 1_000;
const mostValues = 200;

const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
const numbers = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

/** What is too deep, too much, part of itself or described elsewhere may be anything. */
export function schemaFrom(part: unknown, document: Group, room: Room): JsonSchema {
  return walk(part, { document, room, within: [] });
}

interface Place {
  readonly document: Group;
  readonly room: Room;
  /** What it is part of. */
  readonly within: readonly Group[];
}

function walk(part: unknown, place: Place): JsonSchema {
  const { document, room, within } = place;
  const found = referred(part, document);
  room.left -= 20;
  if (!found || room.left <= 0 || within.length >= deepest || within.includes(found)) return {};
  const below = { ...place, within: [...within, found] };
  const told = descriptionOf(groupOf(part), found);
  room.left -= told.length;
  return {
    ...typeOf(found),
    ...(told !== "" && { description: told }),
    ...valuesOf(found, room),
    ...limitsOf(found),
    ...membersOf(found, below),
    ...partsOf(found, below),
  };
}

/** A pattern is told in words: one that never ends could be written to hold up whoever checks by it. */
function descriptionOf(referring: Group, found: Group): string {
  const said = textOf(referring["description"]) || textOf(found["description"]);
  const pattern = textOf(found["pattern"]);
  const form = textOf(found["format"]);
  const more = [...(form === "" ? [] : [`Format: ${form}.`]), ...(pattern === "" ? [] : [`It matches ${pattern}`])];
  return [said.trim(), ...more].filter(Boolean).join(" ").slice(0, longestDescription);
}

function typeOf({ type, nullable }: Group): JsonSchema {
  const named = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string" && types.has(one));
  const all = nullable === true && named.length > 0 ? [...new Set([...named, "null"])] : named;
  if (all.length === 0) return {};
  return { type: all.length === 1 ? all[0] : all };
}

function valuesOf(found: Group, room: Room): JsonSchema {
  const { enum: values, const: only, default: usual } = found;
  const few = Array.isArray(values) && values.length > 0 && values.length <= mostValues;
  const told = {
    ...(few && { enum: found["nullable"] === true ? [...new Set([...listOf(values), null])] : values }),
    ...(only !== undefined && { const: only }),
    ...(usual !== undefined && { default: usual }),
  };
  const size = JSON.stringify(told).length;
  if (size > room.left) return {};
  room.left -= size;
  return told;
}

function limitsOf(found: Group): JsonSchema {
  const given = numbers.flatMap((name): [string, number][] => {
    const value = found[name];
    return typeof value === "number" ? [[name, value]] : [];
  });
  const limits = Object.fromEntries(given);
  const { minimum, maximum, ...rest } = limits;
  // OpenAPI 3.0 has a limit and a word that says whether the limit itself is outside.
  const low = found["exclusiveMinimum"] === true ? { exclusiveMinimum: minimum } : { minimum };
  const high = found["exclusiveMaximum"] === true ? { exclusiveMaximum: maximum } : { maximum };
  const unique = found["uniqueItems"] === true ? { uniqueItems: true } : {};
  return { ...rest, ...(minimum !== undefined && low), ...(maximum !== undefined && high), ...unique };
}

/** Without what only answers have. */
function membersOf({ properties, required, additionalProperties: others }: Group, place: Place): JsonSchema {
  const given = Object.entries(groupOf(properties)).filter(
    ([, part]) => referred(part, place.document)?.["readOnly"] !== true,
  );
  const shown = given.slice(0, mostValues).map(([name, part]) => [name, walk(part, place)] as const);
  const names = new Set(shown.map(([name]) => name));
  const needed = listOf(required).filter(
    (name) => typeof name === "string" && (names.has(name) || !isGroup(properties)),
  );
  return {
    ...(isGroup(properties) && { properties: Object.fromEntries(shown) }),
    ...(needed.length > 0 && { required: needed }),
    ...(typeof others === "boolean" && { additionalProperties: others }),
    ...(isGroup(others) && { additionalProperties: walk(others, place) }),
  };
}

function partsOf(found: Group, place: Place): JsonSchema {
  const lists = (["allOf", "anyOf", "oneOf"] as const).flatMap((name): [string, unknown][] => {
    const parts = listOf(found[name]).slice(0, mostValues);
    return parts.length > 0 ? [[name, parts.map((part) => walk(part, place))]] : [];
  });
  const { items } = found;
  return { ...Object.fromEntries(lists), ...(isGroup(items) && { items: walk(items, place) }) };
}
