// The parameters of a call that a person puts in the place of another, without any editor: proposed, and read from JSON.
import type { ToolInfo } from "../protocol/events.ts";
import type { Params } from "../protocol/messages.ts";

/** What a new call begins with: the old call's parameters where the names are the same, and what else it must have. */
export function paramsFor({ schema }: ToolInfo, old: Params): Params {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const names = Object.keys(properties).filter((name) => name in old || required.includes(name));
  return Object.fromEntries(names.map((name) => [name, old[name] ?? emptyOf(properties[name])]));
}

function emptyOf(property: unknown): unknown {
  const type = isRecord(property) ? property["type"] : undefined;
  if (type === "array") return [];
  if (type === "object") return {};
  return type === "string" ? "" : null;
}

/** @returns the parameters, or a sentence on why the text is none */
export function parseParams(text: string): Params | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'These are no parameters: write them as {"name": value}.';
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isRecord(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
