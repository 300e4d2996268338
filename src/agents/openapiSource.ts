// Where the document of an openapi tool is: a file beside the agent, an address, or what the front matter itself holds.
import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { DeclaredTool } from "../protocol/agents.ts";
import { codeOf, realInside } from "./disk.ts";
import { checkDocument, isGroup, longestDocument, readDocument, type Group } from "./openapiDocument.ts";

/** `why`: the end of a sentence that begins with the document. */
type Found = { readonly document: Group; readonly from: URL | null } | { readonly why: string };

interface Reading {
  /** Of the agent; null: it has no file. */
  readonly file: string | null;
  readonly roots: readonly string[];
  readonly mayRead?: ((path: string) => boolean) | undefined;
  /** Text of a document; or why there is none, as the end of a sentence. */
  readonly fetchText: (url: URL) => Promise<{ readonly text: string } | { readonly why: string }>;
}

/** How the document is called in sentences. */
export function documentName({ specification }: DeclaredTool): string {
  return typeof specification === "string" ? `“${specification.slice(0, 200)}”` : "its specification";
}

/** Reads it anew each time. `from` is where it was fetched: servers are named relative to that. Never throws. */
export async function findDocument({ specification }: DeclaredTool, reading: Reading): Promise<Found> {
  if (isGroup(specification)) return withFrom(checkDocument(specification), null);
  if (typeof specification !== "string" || specification === "")
    return { why: "must be the path or the address of an OpenAPI document" };
  if (!/^[a-z][a-z\d+.-]+:/i.test(specification)) return fromFile(specification, reading);
  const url = URL.parse(specification);
  if (!url || !isSafe(url)) return { why: "must be an address that starts with https://, without user and password" };
  const found = await reading.fetchText(url);
  return "why" in found ? found : withFrom(readDocument(found.text), url);
}

/** A document decides where requests go: nobody on the way may change it, but on this machine nobody is on the way. */
function isSafe({ protocol, hostname, username, password }: URL): boolean {
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
  return (protocol === "https:" || (protocol === "http:" && isHere)) && username === "" && password === "";
}

function withFrom(read: ReturnType<typeof readDocument>, from: URL | null): Found {
  return "why" in read ? read : { ...read, from };
}

async function fromFile(path: string, { file, roots, mayRead }: Reading): Promise<Found> {
  if (file === null)
    return { why: "cannot be found: an agent without a file has nothing that its path could start from" };
  const folder = dirname(file);
  try {
    const real = await realInside(resolve(folder, path), folder, roots);
    if (real === null) return { why: "is outside of the folder of the agent" };
    if (mayRead?.(real) === false) return { why: "may not be read" };
    const about = await stat(real);
    if (!about.isFile()) return { why: "is not a file" };
    if (about.size > longestDocument) return { why: "is larger than five megabytes" };
    return withFrom(readDocument(await readFile(real, "utf8")), null);
  } catch (error) {
    return { why: codeOf(error) === "ENOENT" ? "is not there" : `cannot be read (${codeOf(error) || String(error)})` };
  }
}
