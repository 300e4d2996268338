// search_text: the lines of the workspace's files that hold a text or fit an expression.
import { lstat } from "node:fs/promises";
import * as z from "zod";
import type { Tool, ToolResult } from "../engine/ports.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { globTest } from "./glob.ts";
import { openMatcher } from "./matcher.ts";
import { missingFile } from "./missingFile.ts";
import { defineTool, failed, outOfScope, refused, succeeded, touching } from "./tool.ts";
import { walk } from "./walk.ts";
import type { Workspace } from "./workspace.ts";

const most = 200;
const more = `[only the first ${most} are shown; name a folder, a glob or a longer pattern to see others]`;
const readTogether = 16;
const largest = 2 * 1024 * 1024;
/** Milliseconds that one file may take. */
const patience = 2_000;

export function searchTextTool(workspace: Workspace): Tool {
  return defineTool({
    name: "search_text",
    description: `Finds the lines that hold a text, as path:line: text, at most ${most}. What .gitignore or .brainignore name, binary files and files over 2 MB are left out.`,
    effect: "read",
    schema: z.strictObject({
      pattern: z.string().min(1).describe("What a line must hold; upper and lower case differ"),
      path: z
        .string()
        .min(1)
        .optional()
        .describe("File or folder to search, relative to the workspace; its root if left out"),
      glob: z.string().min(1).optional().describe("Search only files that match, for example *.ts"),
      regex: z
        .boolean()
        .optional()
        .describe("Whether the pattern is a JavaScript regular expression; (?i) in front ignores case"),
    }),
    label: (text) => ({
      verb: "Search",
      subject: [`“${text("pattern")}”`, text("path"), text("glob")].filter(Boolean).join(" "),
    }),
    touches: (text) => touching({ reads: [text("path") || "."] }),
    prepare: async ({ pattern, path = ".", glob, regex = false }) => {
      const from = await workspace.scope.resolve(path, "read");
      if ("denied" in from) return outOfScope(from);
      if (!regex && pattern.includes("\n"))
        return refused("The pattern has a line break; lines are searched one by one.");
      const expression = regex ? toExpression(pattern) : literal(pattern);
      const matches = glob === undefined ? () => true : globTest(glob, from.inRoot);
      return { run: ({ signal }) => search({ workspace, from, expression, matches, signal }) };
    },
  });
}

interface Search {
  readonly workspace: Workspace;
  readonly from: ScopedPath;
  readonly expression: RegExp;
  readonly matches: (relative: string) => boolean;
  readonly signal: AbortSignal;
}

async function search({ workspace, from, expression, matches, signal }: Search): Promise<ToolResult> {
  const found = await lstat(from.real).catch(() => null);
  if (!found) return failed(await missingFile(workspace, from, signal));
  const texts = found.isDirectory()
    ? textsOf(workspace, filesUnder({ workspace, from, matches, signal }))
    : [await onlyText(workspace, from)];
  const lines: string[] = [];
  const matcher = await openMatcher(expression, patience);
  try {
    for await (const { file, text } of texts) {
      const hits = await matcher.find(text, most + 1 - lines.length, signal);
      if (hits === "slow") return failed(slow(file, lines));
      lines.push(...hits.map((hit) => `${file}:${hit.line}: ${hit.text}`));
      if (lines.length > most) return succeeded(`${lines.slice(0, most).join("\n")}\n\n${more}`);
    }
  } finally {
    await matcher.close();
  }
  return succeeded(lines.length === 0 ? "No line was found." : lines.join("\n"));
}

/** The one file that was asked for; what cannot be read is said. */
async function onlyText(workspace: Workspace, from: ScopedPath): Promise<SearchableFile> {
  const read = await workspace.files.read(from);
  return { file: from.relative, text: read?.text ?? "" };
}

async function* filesUnder({ workspace, from, matches, signal }: Omit<Search, "expression">): AsyncGenerator<string> {
  for await (const { kind, inRoot, real } of walk(workspace.scope, from, signal))
    if (kind === "file" && matches(inRoot)) yield real;
}

interface SearchableFile {
  readonly file: string;
  readonly text: string;
}

/** The texts in the order of the files, which are real paths, several read at a time. */
async function* textsOf(workspace: Workspace, files: AsyncIterable<string>): AsyncGenerator<SearchableFile> {
  let batch: Promise<SearchableFile | null>[] = [];
  for await (const file of files) {
    batch.push(searchable(workspace, file));
    if (batch.length < readTogether) continue;
    yield* (await Promise.all(batch)).filter((read) => read !== null);
    batch = [];
  }
  yield* (await Promise.all(batch)).filter((read) => read !== null);
}

/** A file worth searching, else null. */
async function searchable(workspace: Workspace, real: string): Promise<SearchableFile | null> {
  const path = await workspace.scope.at(real, "read");
  if ("denied" in path) return null;
  try {
    if ((await lstat(path.real)).size > largest) return null;
    const read = await workspace.files.read(path);
    return read && { file: path.relative, text: read.text };
  } catch {
    return null;
  }
}

function slow(file: string, lines: readonly string[]): string {
  const before = lines.length > 0 ? `\n\nFound before that:\n${lines.join("\n")}` : "";
  return `The pattern took more than ${patience / 1_000} s on “${file}”, so the search was ended there. Use a simpler pattern, without repetition inside repetition.${before}`;
}

function literal(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
}

/** Other tools' way to ignore case, `(?i)` in front, is JavaScript's flag. */
function toExpression(pattern: string): RegExp {
  const [front = ""] = /^\(\?[ims]+\)/.exec(pattern) ?? [];
  try {
    return new RegExp(pattern.slice(front.length), front.slice(2, -1));
  } catch (cause) {
    throw new Error(`The pattern is not a regular expression of JavaScript: ${String(cause)}.`, { cause });
  }
}
