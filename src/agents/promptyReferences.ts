// `${env:NAME}`, `${env:NAME:default}` and `${file:path}` in the front matter of a .prompty: what may be read, and what it gives.
import { readFile, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { parseDocument } from "yaml";
import { codeOf, realInside } from "./disk.ts";

export interface ReferenceOptions {
  /** Where environment variables come from; absent: there are none to be had, as in a folder that is not trusted. */
  readonly env?: (name: string) => string | undefined;
  /** Folders that files may be in, beside the one of the .prompty itself. */
  readonly roots?: readonly string[];
  /** Has the last word about a file. @param path its real path */
  readonly mayRead?: (path: string) => boolean;
}

interface ReferenceProblem {
  /** Keys and indexes to the value in the front matter. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const limits = { files: 100, bytes: 1_000_000, depth: 5 };
const reference = /\$\{(env|file):([^}\n]{0,1000})\}/g;

/**
 * Replaces every reference in the values of front matter, at any depth. A value that is nothing but a file becomes what the
 * file holds: JSON and YAML are read, and their own references replaced; anything else is text.
 * @param folder the real path of the .prompty's folder
 * @returns the value, or every reference that cannot be followed (PROMPTY-2-4 … 2-6)
 */
export async function resolveReferences(
  value: unknown,
  folder: string,
  options: ReferenceOptions,
): Promise<{ readonly value: unknown } | { readonly problems: readonly ReferenceProblem[] }> {
  const problems: ReferenceProblem[] = [];
  const sources: Sources = {
    variable: (words) => variable(words, options),
    contents: fileReader(folder, options),
    refuse: (path, message) => {
      problems.push({ path, message });
      return null;
    },
  };
  const whole = await resolved(value, { path: [], folder, depth: 0 }, sources);
  return problems.length > 0 ? { problems } : { value: whole };
}

interface Place {
  readonly path: readonly PropertyKey[];
  /** Folder that a file's path starts from. */
  readonly folder: string;
  /** Files around this one. */
  readonly depth: number;
}

/** A text, or why there is none. */
type Found = { readonly text: string } | { readonly why: string };

interface Sources {
  variable(words: string): Found;
  contents(name: string, place: Place): Promise<Found>;
  refuse(path: readonly PropertyKey[], message: string): null;
}

async function resolved(value: unknown, place: Place, sources: Sources): Promise<unknown> {
  if (typeof value === "string") return resolvedText(value, place, sources);
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    // Inside of a file the place to correct is the one that names the file.
    const path = place.depth > 0 ? place.path : [...place.path, key];
    entries.push([key, await resolved(item, { ...place, path }, sources)]);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

async function resolvedText(text: string, place: Place, sources: Sources): Promise<unknown> {
  const found = [...text.matchAll(reference)];
  const [whole, kind, name = ""] = found[0] ?? [];
  if (kind === "file" && whole === text.trim()) return resolvedFile(name, place, sources);
  let result = "";
  let end = 0;
  for (const match of found) {
    const [whole, kind, name = ""] = match;
    const part = kind === "env" ? sources.variable(name) : await sources.contents(name, place);
    if ("why" in part) sources.refuse(place.path, part.why);
    else result += text.slice(end, match.index) + part.text;
    end = match.index + whole.length;
  }
  return result + text.slice(end);
}

async function resolvedFile(name: string, place: Place, sources: Sources): Promise<unknown> {
  const found = await sources.contents(name, place);
  if ("why" in found) return sources.refuse(place.path, found.why);
  const extension = extname(name).toLowerCase();
  if (![".json", ".yaml", ".yml"].includes(extension)) return found.text;
  const parsed = read(found.text, extension);
  if (parsed === null)
    return sources.refuse(place.path, `the file “${name}” is not valid ${extension.slice(1).toUpperCase()}`);
  const folder = dirname(resolve(place.folder, name));
  return resolved(parsed.value, { path: place.path, folder, depth: place.depth + 1 }, sources);
}

function variable(words: string, { env }: ReferenceOptions): Found {
  const colon = words.indexOf(":");
  const name = colon === -1 ? words : words.slice(0, colon);
  const text = env?.(name) ?? (colon === -1 ? undefined : words.slice(colon + 1));
  if (text !== undefined) return { text };
  const why = env ? "is not set, and has no default" : "is not read: this folder is not trusted";
  return { why: `the environment variable “${name}” ${why}` };
}

function fileReader(own: string, { roots = [], mayRead }: ReferenceOptions): Sources["contents"] {
  let files = 0;
  const problemOf = async (real: string): Promise<string | null> => {
    if (mayRead?.(real) === false) return "may not be read";
    const found = await stat(real);
    if (!found.isFile()) return "is not a file";
    return found.size > limits.bytes ? "is larger than a megabyte" : null;
  };
  return async (name, { folder, depth }) => {
    const because = (why: string): Found => ({ why: `the file “${name}” ${why}` });
    if (++files > limits.files || depth > limits.depth) return because("is not read: files name too many files");
    try {
      const real = await realInside(resolve(folder, name), own, roots);
      if (real === null) return because("is outside of the folder of the prompt");
      const problem = await problemOf(real);
      return problem === null ? { text: await readFile(real, "utf8") } : because(problem);
    } catch (error) {
      return because(
        codeOf(error) === "ENOENT" ? "is not there" : `cannot be read (${codeOf(error) || String(error)})`,
      );
    }
  };
}

/** Null when it is not what its name says. */
function read(text: string, extension: string): { readonly value: unknown } | null {
  try {
    if (extension === ".json") return { value: JSON.parse(text) };
    const document = parseDocument(text, { prettyErrors: false });
    const value: unknown = document.toJS();
    // Throws when the value is part of itself.
    JSON.stringify(value);
    return document.errors.length > 0 ? null : { value };
  } catch {
    return null;
  }
}
