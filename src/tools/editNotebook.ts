// edit_notebook: one cell of a Jupyter notebook.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Refusal, Tool } from "../engine/ports.ts";
import { missingFile } from "./missingFile.ts";
import { cellTypes, editNotebook, isNotebookName, parseNotebook, type CellEdit } from "./notebook.ts";
import { propose } from "./proposal.ts";
import { defineTool, outOfScope, refused, touching, type Work } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function editNotebookTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_notebook",
    description:
      "Inserts, replaces or deletes one cell of a Jupyter notebook (.ipynb). All else in the file stays as it is; outputs of a cell stay until it is run again.",
    effect: "write",
    schema: z.strictObject({
      path: z.string().min(1).describe("The notebook, relative to the workspace"),
      action: z.enum(["insert", "replace", "delete"]).describe("What is done with the cell"),
      cell: z
        .string()
        .min(1)
        .optional()
        .describe(
          "The cell, by its id or its number from 0, as read_file shows them; of insert: the one before which it goes, at the end if left out",
        ),
      source: z.string().optional().describe("The source of the cell; for insert and replace"),
      type: z.enum(cellTypes).optional().describe("The type of a cell that is inserted; code if left out"),
    }),
    label: (text) => ({
      verb: labels[text("action")] ?? "Edit",
      subject: [text("path"), text("cell")].filter(Boolean).join(" · cell "),
    }),
    touches: (text) => touching({ reads: [text("path")], writes: [text("path")] }),
    prepare: async ({ path, ...asked }, signal) => {
      const scoped = await workspace.scope.resolve(path, "write");
      if ("denied" in scoped) return outOfScope(scoped);
      if (!isNotebookName(scoped.relative)) return refused(`“${scoped.relative}” is not a notebook; use edit_file.`);
      const edit = editOf(asked);
      if (typeof edit === "string") return refused(edit);
      const before = await workspace.files.read(scoped);
      if (!before) return refused(await missingFile(workspace, scoped, signal));
      // A notebook's editor has no text that could be read: what is unsaved in it is known by the look at the place only.
      if (!before.unsaved && (await workspace.files.find(scoped)) === "unsaved")
        return refused(
          `“${scoped.relative}” has unsaved changes in the editor: the person has to save or drop them first.`,
        );
      const edited = editNotebook(before.text, edit, { id: randomUUID().slice(0, 8) });
      if ("problem" in edited) return refused(`Nothing was changed in “${scoped.relative}”: ${edited.problem}`);
      return whole(propose(workspace, { path: scoped, before, after: edited.text }));
    },
  });
}

const labels: Readonly<Record<string, string>> = { insert: "Insert into", replace: "Edit", delete: "Delete from" };

interface Asked {
  readonly action: CellEdit["action"];
  readonly cell?: string | undefined;
  readonly source?: string | undefined;
  readonly type?: (typeof cellTypes)[number] | undefined;
}

function editOf({ action, cell, source, type = "code" }: Asked): CellEdit | string {
  if (action !== "insert" && cell === undefined) return `\`cell\` is missing: ${action} needs one.`;
  if (action === "delete") return { action, cell: cell ?? "" };
  if (source === undefined) return `\`source\` is missing: ${action} needs it.`;
  return action === "insert" ? { action, cell, source, type } : { action, cell: cell ?? "", source };
}

/** What a person leaves of it must still be a notebook. */
function whole(work: Work | Refusal): Work | Refusal {
  if ("kind" in work || !work.revised) return work;
  const { revised } = work;
  return {
    ...work,
    revised: (texts) =>
      texts.every((text) => text === null || parseNotebook(text))
        ? whole(revised(texts))
        : refused("Taken in part, this would not be a notebook any more. Take all of it, or refuse it."),
  };
}
