// What is sent for one call of an operation: no value leads to another host or path, and none brings a header of its own. Pure.
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import type { KeyPlace, Operation, Parameter } from "./openapiOperations.ts";

export interface WebRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** `why`: a sentence for whoever gave the values. */
type Made = { readonly request: WebRequest } | { readonly why: string };

/**
 * The address that the paths of a document start from.
 * @param from what a relative one is relative to; null: nothing
 * @returns null for anything but http and https without user and password
 */
export function baseOf(server: string, from: URL | null): URL | null {
  const url = from ? URL.parse(server, from.href) : URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  url.hash = "";
  url.search = "";
  return url.hostname === "" ? null : url;
}

/** @param values by the names that the model knows */
export function toRequest(operation: Operation, base: URL, values: Params): Made {
  try {
    return { request: requestOf(operation, base, values) };
  } catch (error) {
    if (error instanceof LoopError) return { why: error.message };
    throw error;
  }
}

function requestOf({ method, path, parameters, body }: Operation, base: URL, values: Params): WebRequest {
  const given = parameters.flatMap((parameter): Given[] => {
    const value = values[parameter.property];
    return value === undefined || value === null ? [] : [{ ...parameter, value }];
  });
  const missing = parameters.find(
    ({ required, property }) => required && !given.some((one) => one.property === property),
  );
  if (missing) throw unfit(`${missing.property} is missing.`);
  const at = (place: Parameter["in"]): readonly Given[] => given.filter((one) => one.in === place);
  const url = urlOf(path, base, { inPath: at("path"), query: at("query") });
  const content = body ? values[body.property] : undefined;
  if (body?.required === true && content === undefined) throw unfit(`${body.property} is missing.`);
  const written = body && content !== undefined ? { type: body.type, text: bodyText(body.form, content) } : null;
  const headers = at("header").map((one) => header(one.name, plain(one)));
  const cookies = at("cookie").map((one) => `${token(one.name)}=${encodeURIComponent(plain(one))}`);
  return {
    method,
    url,
    headers: {
      accept: "application/json, text/*;q=0.9, */*;q=0.5",
      ...Object.fromEntries(headers),
      ...(cookies.length > 0 && { cookie: cookies.join("; ") }),
      ...(written && { "content-type": written.type }),
    },
    body: written?.text ?? null,
  };
}

interface Given extends Parameter {
  readonly value: unknown;
}

interface InUrl {
  readonly inPath: readonly Given[];
  readonly query: readonly Given[];
}

function urlOf(path: string, base: URL, { inPath, query }: InUrl): URL {
  const segments = path.split("/").map((segment) => segmentOf(segment, inPath));
  const start = base.pathname.replace(/\/+$/, "");
  const search = query.flatMap(pairsOf).join("&");
  const url = URL.parse(`${base.origin}${start}${segments.join("/")}${search === "" ? "" : `?${search}`}`);
  // Whatever the values are: it is the server that was allowed, and the path that the document has.
  const expected = `${start}${segments.join("/")}`;
  if (!url || url.origin !== base.origin || url.pathname !== expected)
    throw unfit("These values would lead to another address than the operation has.");
  return url;
}

function segmentOf(segment: string, values: readonly Given[]): string {
  const parts = segment.split(/(\{[^{}]*\})/);
  const written = parts.map((part) => {
    const name = /^\{(.*)\}$/s.exec(part)?.[1];
    if (name === undefined) return literal(part);
    const found = values.find((one) => one.name === name);
    if (!found) throw unfit(`${name} is missing.`);
    const text = pathText(found);
    if (text === "") throw unfit(`${found.property} is empty, and has a place in the path.`);
    return text;
  });
  const whole = written.join("");
  if (written.length > 1 && /^(?:\.|%2e){1,2}$/i.test(whole)) throw unfit(`A part of the path cannot be “${whole}”.`);
  return whole;
}

/** What a document has encoded already is not encoded again. */
function literal(text: string): string {
  return text
    .split(/(%[\da-f]{2})/i)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .split(/([!-,/:;=@~])/)
            .map(orEncoded)
            .join(""),
    )
    .join("");
}

/** Characters that a path may have stay; so does nothing that would end it. */
function orEncoded(part: string): string {
  return /^[!$&-,/:;=@~]$/.test(part) ? part : encoded(part);
}

/** A value with a place in the path, in the three ways that documents know. */
function pathText(given: Given): string {
  const { name, style, explode } = given;
  const all = listed(given);
  const words = all.map(([key, text]) => (key === null ? text : explode ? `${key}=${text}` : `${key},${text}`));
  if (style === "label") return `.${words.join(explode ? "." : ",")}`;
  if (style !== "matrix") return words.join(",");
  if (explode) return all.map(([key, text]) => `;${key ?? encoded(name)}=${text}`).join("");
  return `;${encoded(name)}=${words.join(",")}`;
}

/** Name and value of each member, encoded; the members of a list and a single value have no name. */
function listed({ value, json }: Given): readonly (readonly [string | null, string])[] {
  if (json) return [[null, encoded(JSON.stringify(value))]];
  if (Array.isArray(value)) return value.map((one) => [null, encoded(word(one))]);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).map(([key, one]) => [encoded(key), encoded(word(one))]);
  return [[null, encoded(word(value))]];
}

const between: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

function pairsOf(given: Given): readonly string[] {
  const { style, explode } = given;
  const name = encoded(given.name);
  const all = listed(given);
  if (style === "deepObject") return all.map(([key, text]) => `${key === null ? name : `${name}%5B${key}%5D`}=${text}`);
  if (explode) return all.map(([key, text]) => `${key ?? name}=${text}`);
  const words = all.flatMap(([key, text]) => (key === null ? [text] : [key, text]));
  return [`${name}=${words.join(Object.hasOwn(between, style) ? between[style] : ",")}`];
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw unfit("A value has half a character, which cannot be sent.");
  }
}

function word(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}

/** A value as it stands in a header or a cookie. */
function plain({ value, json }: Given): string {
  if (json || typeof value !== "object" || value === null) return json ? JSON.stringify(value) : word(value);
  if (Array.isArray(value)) return value.map(word).join(",");
  return Object.entries(value)
    .flatMap(([key, one]) => [key, word(one)])
    .join(",");
}

function bodyText(form: NonNullable<Operation["body"]>["form"], content: unknown): string {
  if (form === "json") return JSON.stringify(content);
  if (form === "text") return word(content);
  const fields = typeof content === "object" && content !== null ? Object.entries(content) : [];
  return fields
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => `${encoded(name)}=${encoded(word(one))}`),
    )
    .join("&");
}

/** Headers that say where and how something is sent: they are nobody's to choose. */
const reserved =
  /^(?:host|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|expect|keep-alive|authorization|cookie|accept-encoding|proxy-.*|sec-.*)$/;

function header(name: string, value: string): readonly [string, string] {
  const lower = token(name).toLowerCase();
  if (reserved.test(lower)) throw unfit(`The header ${name} cannot be chosen.`);
  return [lower, fieldValue(lower, value)];
}

function token(name: string): string {
  if (/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(name)) return name;
  throw unfit(`“${name.slice(0, 100)}” cannot be the name of a header or a cookie.`);
}

/** Visible characters and spaces: nothing that could end the line. */
function fieldValue(name: string, value: string): string {
  if (/^[\t\u0020-\u007e\u00a0-\u00ff]*$/.test(value)) return value;
  throw unfit(`The value of ${name} has characters that a header cannot have.`);
}

/**
 * The same request with a key.
 * @returns why it cannot have one, where the document names a place that is not for keys
 */
export function withKey(request: WebRequest, place: KeyPlace, key: string): Made {
  try {
    return { request: keyed(request, place, key) };
  } catch (error) {
    if (error instanceof LoopError) return { why: error.message };
    throw error;
  }
}

function keyed(request: WebRequest, place: KeyPlace, key: string): WebRequest {
  const { headers } = request;
  const also = (name: string, value: string): WebRequest => ({ ...request, headers: { ...headers, [name]: value } });
  if (place.kind === "bearer") return also("authorization", `Bearer ${fieldValue("the key", key)}`);
  if (place.kind === "basic") return also("authorization", `Basic ${Buffer.from(key).toString("base64")}`);
  if (place.in === "cookie") {
    const own = `${token(place.name)}=${encodeURIComponent(key)}`;
    return also("cookie", [headers["cookie"], own].filter(Boolean).join("; "));
  }
  if (place.in === "header") {
    if (place.name.toLowerCase() === "authorization") return also("authorization", fieldValue("the key", key));
    const [name, value] = header(place.name, fieldValue("the key", key));
    return also(name, value);
  }
  const url = new URL(request.url);
  url.search = [url.search.replace(/^\?/, ""), `${encoded(place.name)}=${encoded(key)}`].filter(Boolean).join("&");
  return { ...request, url };
}

/** The request as it goes out, to be read before it does. */
export function shownRequest({ method, url, headers, body }: WebRequest): string {
  const { accept: _accept, ...said } = headers;
  const lines = [`${method} ${url.href}`, ...Object.entries(said).map(([name, value]) => `${name}: ${value}`)];
  return [lines.join("\n"), ...(body === null || body === "" ? [] : [readable(body, headers)])].join("\n\n");
}

function readable(body: string, headers: WebRequest["headers"]): string {
  try {
    return /json/.test(headers["content-type"] ?? "") ? JSON.stringify(JSON.parse(body), null, 2) : body;
  } catch {
    return body;
  }
}

function unfit(why: string): LoopError {
  return new LoopError("input_invalid", why);
}
