// A .prompty file: front matter that says what it needs, and below it a template of messages.
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { LoopError } from "../protocol/errors.ts";
import { codeOf } from "./disk.ts";
import { type Problem, readFrontMatter } from "./frontMatter.ts";
import { trimNewlines } from "./promptyMessages.ts";
import { type ReferenceOptions, resolveReferences } from "./promptyReferences.ts";
import { templateProblem } from "./promptyRender.ts";
import { type Prompty, PromptyFrontMatter, settingsOf } from "./promptyShape.ts";

export type LoadedPrompty = { readonly prompty: Prompty } | { readonly problems: readonly Problem[] };

/** Largest .prompty, in bytes: the library takes seconds to refuse a template that is much larger. */
const largest = 300_000;
const extension = /\.prompty$/i;

/**
 * Reads a .prompty file. Never throws: what is wrong comes back as problems with their places (PROMPTY-4-1). A template that
 * cannot be read is such a problem too.
 */
export async function loadPrompty(path: string, options: ReferenceOptions = {}): Promise<LoadedPrompty> {
  const refuse = (message: string): LoadedPrompty => ({ problems: [{ line: 1, column: 1, message }] });
  try {
    const real = await realpath(path);
    const found = await stat(real);
    if (!found.isFile()) return refuse(`${basename(path)} is not a file`);
    if (found.size > largest) return refuse(`${basename(path)} is larger than 300 kB`);
    const name = basename(path).replace(extension, "");
    return await parsePrompty(plain(await readFile(real, "utf8")), { name, folder: dirname(real), options });
  } catch (error) {
    const code = codeOf(error);
    const missing = code === "ENOENT" || code === "ENOTDIR";
    return refuse(
      missing ? `there is no file ${basename(path)}` : `${basename(path)} cannot be read (${code || String(error)})`,
    );
  }
}

/** The same of a text that need not be on the disk yet. @param path where it would be */
export function readPromptyText(text: string, path: string, options: ReferenceOptions = {}): Promise<LoadedPrompty> {
  const name = basename(path).replace(extension, "");
  return parsePrompty(plain(text), { name, folder: dirname(path), options });
}

/**
 * The same of an agent that is given as an object: front matter's keys, and its text as `instructions`.
 * @throws LoopError `agent_invalid` with what is wrong with it
 */
export async function readObject(given: Readonly<Record<string, unknown>>): Promise<Prompty> {
  const { instructions, name, ...rest } = given;
  const checked = PromptyFrontMatter.safeParse(rest);
  const refuse = (why: string): LoopError => new LoopError("agent_invalid", `The agent cannot be used: ${why}.`);
  if (!checked.success)
    throw refuse(checked.error.issues.map(({ path, message }) => [path.join("."), message].join(": ")).join("; "));
  if (typeof instructions !== "string") throw refuse("its instructions must be text");
  const called = typeof name === "string" && name !== "" ? name : "agent";
  const prompty: Prompty = { ...settingsOf(checked.data), name: called, kind: "prompt", instructions };
  const wrong = await templateProblem(prompty);
  if (wrong !== null) throw refuse(wrong.message);
  return prompty;
}

function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

interface Origin {
  /** What it is called when it does not say so itself. */
  readonly name: string;
  /** Real path of its folder. */
  readonly folder: string;
  readonly options: ReferenceOptions;
}

async function parsePrompty(text: string, { name, folder, options }: Origin): Promise<LoadedPrompty> {
  // Some readers run such front matter as a program.
  const language = /^\uFEFF?(?:---|\+\+\+)[ \t]*(\w+)[ \t]*$/m.exec(text.slice(0, text.indexOf("\n") + 1));
  if (language) {
    const message = `front matter is YAML: its first line must be --- and nothing else, not “${language[1] ?? ""}”`;
    return { problems: [{ line: 1, column: 4, message }] };
  }
  const read = readFrontMatter(text);
  if ("problems" in read) return read;
  const resolved = await resolveReferences(read.data, folder, options);
  if ("problems" in resolved)
    return { problems: resolved.problems.map(({ path, message }) => read.problemAt(path, message)) };
  const checked = PromptyFrontMatter.safeParse(resolved.value);
  if (!checked.success) return { problems: read.problemsOf(checked.error) };
  const prompty: Prompty = { name, ...settingsOf(checked.data), kind: "prompt", instructions: trimNewlines(read.body) };
  const wrong = await templateProblem(prompty);
  if (wrong === null) return { prompty };
  const above = read.body.length - read.body.replace(/^\n+/, "").length;
  return { problems: [{ line: read.bodyLine + above + wrong.line - 1, column: 1, message: wrong.message }] };
}
