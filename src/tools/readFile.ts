// read_file: the lines of a text file, or an image.
import * as z from "zod";
import type { Tool, ToolResult } from "../engine/ports.ts";
import { missingFile } from "./missingFile.ts";
import { readImage } from "./readImage.ts";
import { isNotebookName, parseNotebook, shownNotebook } from "./notebook.ts";
import { defineTool, failed, outOfScope, succeeded, touching } from "./tool.ts";
import type { FileContent, Workspace } from "./workspace.ts";

const usualLines = 2_000;
const largestNumber = 10_000_000;
const cells = " · the cells of a notebook, which edit_notebook changes";
const image = /\.(?:png|jpe?g|gif|webp|bmp|ico|avif|heic|tiff?)$/i;

export function readFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a text file of the workspace, unsaved changes in the editor included; of a notebook (.ipynb) its cells; or shows an image. The first line of the result names the lines shown, how many there are, and the file's hash; then come the lines as they are.",
    effect: "read",
    schema: z.strictObject({
      path: z.string().min(1).describe("The file, relative to the workspace"),
      offset: z.number().int().min(1).max(largestNumber).optional().describe("First line to read, counted from 1"),
      limit: z
        .number()
        .int()
        .min(1)
        .max(largestNumber)
        .optional()
        .describe(`How many lines to read; ${usualLines} if left out`),
    }),
    label: (text) => ({ verb: "Read", subject: text("path") }),
    touches: (text) => touching({ reads: [text("path")] }),
    prepare: async ({ path, offset = 1, limit = usualLines }) => {
      const scoped = await workspace.scope.resolve(path, "read");
      if ("denied" in scoped) return outOfScope(scoped);
      return {
        run: async ({ signal }) => {
          if (image.test(scoped.relative))
            return (await readImage(scoped)) ?? failed(await missingFile(workspace, scoped, signal));
          const file = await workspace.files.read(scoped);
          if (!file) return failed(await missingFile(workspace, scoped, signal));
          return showFile(scoped.relative, file, { offset, limit });
        },
      };
    },
  });
}

interface Shown {
  readonly offset: number;
  readonly limit: number;
  /** Its cells are shown, not its text. */
  readonly notebook: boolean;
}

/** Lines of a file, or of a notebook's cells, as the model reads them, under a line that says which they are. */
export function showFile(path: string, file: FileContent, lines: Pick<Shown, "offset" | "limit">): ToolResult {
  const notebook = isNotebookName(path) ? parseNotebook(file.text) : null;
  const shown = notebook ? { ...file, text: shownNotebook(notebook) } : file;
  return showLines(path, shown, { ...lines, notebook: notebook !== null });
}

function showLines(path: string, file: FileContent, { offset, limit, notebook }: Shown): ToolResult {
  const lines = file.text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (offset > Math.max(lines.length, 1))
    return failed(`“${path}” has ${lines.length} lines; there is no line ${offset}.`);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const first = Math.min(offset, lines.length);
  const unsaved = file.unsaved ? " · unsaved changes in the editor" : "";
  const encoding = file.encoding === undefined ? "" : ` · ${file.encoding}`;
  const head = `${path} · lines ${first}–${offset - 1 + shown.length} of ${lines.length} · hash ${file.hash}${encoding}${unsaved}${notebook ? cells : ""}`;
  const all = shown.length === lines.length;
  return { ...succeeded(`${head}\n\n${shown.join("\n")}`), value: all ? file.text : `${shown.join("\n")}\n` };
}
