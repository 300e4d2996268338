// The operations of an OpenAPI document: where each goes, what it takes, and how a key is shown to it. Pure.
import type { JsonSchema } from "../engine/ports.ts";
import { groupOf, isGroup, listOf, referred, textOf, type Group } from "./openapiDocument.ts";
import { schemaFrom, type Room } from "./openapiSchema.ts";
import { wireName } from "./wireNames.ts";

const places = ["path", "query", "header", "cookie"] as const;
type In = (typeof places)[number];

export interface Parameter {
  /** As the server knows it. */
  readonly name: string;
  /** As the model knows it. */
  readonly property: string;
  readonly in: In;
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** Its value is written as JSON. */
  readonly json: boolean;
}

export interface Body {
  readonly type: string;
  readonly form: "json" | "fields" | "text";
  readonly property: string;
  readonly required: boolean;
}

/** How a key goes along. */
export type KeyPlace =
  | { readonly kind: "bearer" }
  | { readonly kind: "basic" }
  | { readonly kind: "named"; readonly in: "header" | "query" | "cookie"; readonly name: string };

export interface Operation {
  /** As the document calls it; else its method and path. */
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly description: string;
  /** As the document names it; null: it names none. */
  readonly server: string | null;
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  /** Null: it takes no key. */
  readonly key: KeyPlace | null;
  /** Of the properties that the model gives. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
const longestDescription = 1_000;
/** Characters that the schemas of one operation may take. */
const roomOfOperation = 40_000;

/** Every tool is told to the model with each request: more than this are no help to it. */
export const mostOperations = 100;

/**
 * Without those that could not be called: their parameters stand elsewhere, or they need a body in a form that is not known here.
 * Of those beyond the most it is told that they are there, and not what they take.
 * @param named ids of those that are wanted; empty: all
 */
export function operationsOf(document: Group, named: ReadonlySet<string> = new Set()): readonly Operation[] {
  let known = 0;
  const roomNow = (): Room => ({ left: known < mostOperations ? roomOfOperation : 0 });
  return Object.entries(groupOf(document["paths"])).flatMap(([path, part]) => {
    const item = referred(part, document);
    if (!item || !path.startsWith("/")) return [];
    return methods.flatMap((method) => {
      const operation = referred(item[method], document);
      if (!operation || (named.size > 0 && !named.has(idOf(operation, method, path)))) return [];
      const made = operationFrom(operation, { method, path, item, document, room: roomNow() });
      if (made) known++;
      return made ?? [];
    });
  });
}

interface Around {
  readonly method: string;
  readonly path: string;
  readonly item: Group;
  readonly document: Group;
  readonly room: Room;
}

function idOf({ operationId }: Group, method: string, path: string): string {
  return textOf(operationId) || `${method}${path.replaceAll(/[{}]/g, "").replaceAll(/\/+/g, "_")}`;
}

function operationFrom(operation: Group, { method, path, item, document, room }: Around): Operation | null {
  const taken = new Set<string>();
  const given = parametersOf(operation, item, document);
  if (!given) return null;
  const parameters = given.map((one) => parameterFrom(one, path, taken));
  if (parameters.some((one) => one === null)) return null;
  const body = bodyOf(operation["requestBody"], document, { taken, room });
  if (body === undefined) return null;
  const known = parameters.filter((one) => one !== null);
  const schemas = known.map((one, index) => [one.property, schemaOfOne(given[index] ?? {}, document, room)] as const);
  const { summary, description } = operation;
  return {
    id: idOf(operation, method, path),
    method: method.toUpperCase(),
    path,
    description: describe(textOf(summary), textOf(description), `${method.toUpperCase()} ${path}`),
    server: serverOf([operation, item, document], document),
    parameters: known,
    body: body?.body ?? null,
    key: keyOf(operation["security"] ?? document["security"], document),
    properties: { ...Object.fromEntries(schemas), ...(body && { [body.body.property]: body.schema }) },
  };
}

function describe(summary: string, description: string, where: string): string {
  const said = [summary.trim(), description.trim() === summary.trim() ? "" : description.trim()].filter(Boolean);
  return [said.join("\n").slice(0, longestDescription), `(${where})`].filter(Boolean).join(" ");
}

/** Those of the operation take the place of those of its path. Null: some of them cannot be known. */
function parametersOf(operation: Group, item: Group, document: Group): readonly Group[] | null {
  const all = [...listOf(item["parameters"]), ...listOf(operation["parameters"])].map((one) => referred(one, document));
  if (all.some((one) => one === null)) return null;
  const known = all.filter((one) => one !== null);
  return [...new Map(known.map((one) => [`${textOf(one["in"])} ${textOf(one["name"])}`, one])).values()].filter(
    ({ in: place, name }) => !(place === "header" && ownHeaders.has(textOf(name).toLowerCase())),
  );
}

/** Headers that the document has other words for. */
const ownHeaders = new Set(["accept", "content-type", "authorization"]);

function parameterFrom(one: Group, path: string, taken: Set<string>): Parameter | null {
  const place = places.find((name) => name === one["in"]);
  const name = textOf(one["name"]);
  if (place === undefined || name === "") return null;
  if (place === "path" && !path.includes(`{${name}}`)) return null;
  const style = textOf(one["style"]) || (place === "query" || place === "cookie" ? "form" : "simple");
  const property = wireName(name, taken);
  taken.add(property);
  return {
    name,
    property,
    in: place,
    required: place === "path" || one["required"] === true,
    style,
    explode: typeof one["explode"] === "boolean" ? one["explode"] : style === "form",
    json: isGroup(one["content"]),
  };
}

function schemaOfOne(one: Group, document: Group, room: Room): JsonSchema {
  const content = Object.values(groupOf(one["content"]))[0];
  const schema = schemaFrom(one["schema"] ?? groupOf(content)["schema"], document, room);
  const description = textOf(one["description"]).trim().slice(0, longestDescription);
  return description === "" ? schema : { ...schema, description };
}

interface BodyFound {
  readonly body: Body;
  readonly schema: JsonSchema;
}

/** Null: it takes none. Undefined: it needs one that cannot be written here. */
function bodyOf(
  part: unknown,
  document: Group,
  { taken, room }: { readonly taken: ReadonlySet<string>; readonly room: Room },
): BodyFound | null | undefined {
  if (part === undefined || part === null) return null;
  const found = referred(part, document);
  if (!found) return undefined;
  const required = found["required"] === true;
  const known = Object.entries(groupOf(found["content"])).flatMap(([type, media]) => {
    const form = formOf(type);
    return form === null ? [] : [{ type, form, media: groupOf(media) }];
  });
  const best = known.find(({ form }) => form === "json") ?? known[0];
  if (!best) return required ? undefined : null;
  const { form, media } = best;
  const type = best.type === "*/*" ? "application/json" : best.type;
  const schema = schemaFrom(media["schema"], document, room);
  const description = textOf(schema["description"]) || textOf(found["description"]).slice(0, longestDescription);
  const body = { type, form, property: wireName("body", taken), required };
  return { body, schema: description === "" ? schema : { ...schema, description } };
}

function formOf(type: string): Body["form"] | null {
  if (!/^[\w.+-]+\/[\w.+-]+(?:;[ \w=.+"-]*)?$/.test(type)) return type === "*/*" ? "json" : null;
  if (/^[^;]*[/+]json(?:;|$)/i.test(type)) return "json";
  if (/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) return "fields";
  return /^text\/plain(?:;|$)/i.test(type) ? "text" : null;
}

/** The first server of the nearest that names some, with the usual values of its variables. */
function serverOf(levels: readonly Group[], document: Group): string | null {
  const server = levels.map(({ servers }) => referred(listOf(servers)[0], document)).find((one) => one !== null);
  if (!server) return null;
  const variables = groupOf(server["variables"]);
  return textOf(server["url"]).replaceAll(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const usual = groupOf(Object.hasOwn(variables, name) ? variables[name] : undefined)["default"];
    return typeof usual === "string" || typeof usual === "number" ? String(usual) : whole;
  });
}

/** Where nothing is said of keys, one goes where most servers look for it. */
function keyOf(security: unknown, document: Group): KeyPlace | null {
  const schemes = groupOf(groupOf(document["components"])["securitySchemes"]);
  if (security === undefined && Object.keys(schemes).length === 0) return { kind: "bearer" };
  const groups = security === undefined ? [schemes] : listOf(security);
  const names = groups.flatMap((one) => Object.keys(groupOf(one)));
  const known = names.flatMap((name) => {
    const scheme = Object.hasOwn(schemes, name) ? referred(schemes[name], document) : null;
    return (scheme && placeOfKey(scheme)) ?? [];
  });
  return known[0] ?? null;
}

function placeOfKey({ type, scheme, in: place, name }: Group): KeyPlace | null {
  if (type === "oauth2" || type === "openIdConnect") return { kind: "bearer" };
  if (type === "http") return { kind: textOf(scheme).toLowerCase() === "basic" ? "basic" : "bearer" };
  if (type !== "apiKey" || (place !== "header" && place !== "query" && place !== "cookie")) return null;
  return textOf(name) === "" ? null : { kind: "named", in: place, name: textOf(name) };
}
