// An OpenAPI document as text: read inside limits, and looked into by references of its own. Whoever wrote it is not trusted. Pure.
import { Lexer, parseDocument } from "yaml";

export type Group = Readonly<Record<string, unknown>>;

/** Longest documents, in characters: YAML takes a hundred times as long to read. */
export const longestDocument = 5_000_000;
const longestYaml = 500_000;
const mostSteps = 20;

/** @returns the document, or why it cannot be used, as the end of a sentence */
export function readDocument(text: string): { readonly document: Group } | { readonly why: string } {
  if (text.length > longestDocument) return { why: "is larger than five megabytes" };
  const isJson = text.trimStart().startsWith("{");
  if (!isJson && text.length > longestYaml) return { why: "is YAML of more than half a megabyte: write it as JSON" };
  const value = parsed(text, isJson);
  return value === undefined ? { why: `is not valid ${isJson ? "JSON" : "YAML"}` } : checkDocument(value);
}

/** The same for one that was read already. */
export function checkDocument(value: unknown): { readonly document: Group } | { readonly why: string } {
  const document = groupOf(value);
  const { openapi, swagger, paths } = document;
  if (swagger !== undefined) return { why: "is written in Swagger 2: convert it to OpenAPI 3" };
  if (typeof openapi !== "string" && typeof openapi !== "number") return { why: "is no OpenAPI document" };
  if (!/^3(?:\.[0-2](?:\.|$)|$)/.test(String(openapi)))
    return { why: `is written in OpenAPI ${String(openapi).slice(0, 20)}: 3.0, 3.1 and 3.2 can be used` };
  return isGroup(paths) ? { document } : { why: "has no paths, so it describes no operation" };
}

function parsed(text: string, isJson: boolean): unknown {
  try {
    if (isJson) return JSON.parse(text);
    if (isTangled(text)) return undefined;
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
    const value: unknown = document.toJS();
    // Throws when the value is part of itself.
    JSON.stringify(value);
    return document.errors.length > 0 ? undefined : value;
  } catch {
    return undefined;
  }
}

const most = { aliases: 1_000, keys: 20, depth: 60, onOneLine: 100 };

/** What no person writes: nested, or full of aliases, so that reading it alone would take minutes. */
function isTangled(text: string): boolean {
  const count = { aliases: 0, keys: 0, depth: 0, onOneLine: 0 };
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith("*")) count.aliases++;
    else if (token === "[" || token === "{") count.depth++;
    else if (token === "]" || token === "}") count.depth--;
    else if (token === "?") count.keys++;
    if (token.endsWith("\n")) count.onOneLine = 0;
    else if (/^(?:-$|:$|,$|&)/.test(token)) count.onOneLine++;
    if (names.some((name) => count[name] > most[name])) return true;
  }
  return false;
}

const names = ["aliases", "keys", "depth", "onOneLine"] as const;

/**
 * What a part of a document stands for: the part itself, or what its `$ref` leads to in the same document.
 * @returns null for a reference that leads elsewhere, nowhere or in a circle, and for what is no group
 */
export function referred(part: unknown, document: Group): Group | null {
  let found = part;
  for (let step = 0; step < mostSteps; step++) {
    if (!isGroup(found)) return null;
    const { $ref } = found;
    if (typeof $ref !== "string") return found;
    found = lookUp($ref, document);
  }
  return null;
}

function lookUp(pointer: string, document: Group): unknown {
  if (!pointer.startsWith("#/")) return undefined;
  const keys = decoded(pointer.slice(2)).split("/");
  return keys.reduce<unknown>((found, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof found === "object" && found !== null && Object.hasOwn(found, name)
      ? Reflect.get(found, name)
      : undefined;
  }, document);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function isGroup(value: unknown): value is Group {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without anything where it is no group. */
export function groupOf(value: unknown): Group {
  return isGroup(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
