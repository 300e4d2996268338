// Prompt files: texts that a person sends often, in `.brain/prompts` and `.github/prompts`, written into the composer by `/name`.
import { readdir, readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { parseFrontMatter } from "./frontMatter.ts";

/** The real path of a name in a folder; null when it leads out of it, or may not be read. */
type Resolve = (name: string) => Promise<string | null>;

export interface PromptFile {
  readonly name: string;
  /** What its front matter says of it; `""` when it says nothing. */
  readonly description: string;
  /** Where it is, for people. */
  readonly source: string;
  readonly text: string;
}

const FrontMatter = z.looseObject({ description: z.string().optional() });

/** Bytes of a file that are still a prompt. */
const mostBytes = 100_000;

/**
 * All prompt files, by name. Of two with one name the one in `.brain` counts. What cannot be read is none. Never throws.
 * @param places the `.brain` folder and the workspace
 */
export async function readPrompts(places: {
  readonly brain: Resolve;
  readonly workspace: Resolve;
}): Promise<readonly PromptFile[]> {
  const own = await promptsIn(places.brain, "prompts", ".brain/prompts");
  const shared = await promptsIn(places.workspace, ".github/prompts", ".github/prompts");
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...shared.filter(({ name }) => !names.has(name))].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function promptsIn(resolve: Resolve, folder: string, shown: string): Promise<readonly PromptFile[]> {
  const real = await resolve(folder);
  const names = real === null ? [] : await readdir(real).catch(() => []);
  const found = names
    .filter((file) => file.endsWith(".md"))
    .map(async (file) => prompt(await resolve(`${folder}/${file}`), file, `${shown}/${file}`));
  return (await Promise.all(found)).filter((one) => one !== null);
}

async function prompt(real: string | null, file: string, source: string): Promise<PromptFile | null> {
  const read = real === null ? null : await plainText(real).catch(() => null);
  if (read === null) return null;
  const parsed = parseFrontMatter(read, FrontMatter);
  // What is wrong in its front matter is for whoever uses that: here the text counts.
  const { data, body } = "body" in parsed ? parsed : { data: {}, body: read };
  const name = file.replace(/(?:\.prompt)?\.md$/, "").replaceAll(/\s+/g, "-");
  return { name, description: data.description ?? "", source, text: body.trim() };
}

/** Only a plain file: opening a pipe would wait for ever. */
async function plainText(real: string): Promise<string | null> {
  const there = await stat(real);
  return there.isFile() && there.size <= mostBytes ? readFile(real, "utf8") : null;
}
