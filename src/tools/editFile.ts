// edit_file: pieces of a file replaced by others.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { applyEdits } from "./applyEdits.ts";
import { missingFile } from "./missingFile.ts";
import { propose } from "./proposal.ts";
import { defineTool, outOfScope, refused, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function editFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Replaces pieces of an existing file. Each old_text must be in the file exactly once, as it stands after the earlier edits of the same call.",
    effect: "write",
    schema: z.strictObject({
      path: z.string().min(1).describe("The file, relative to the workspace"),
      edits: z
        .array(
          z.strictObject({
            old_text: z.string().describe("Text to replace, with enough around it to fit one place only"),
            new_text: z.string().describe("Text to put there; empty to delete"),
          }),
        )
        .min(1)
        .max(100)
        .describe("The replacements, made in this order; all or none"),
    }),
    label: (text) => ({ verb: "Edit", subject: text("path") }),
    touches: (text) => touching({ reads: [text("path")], writes: [text("path")] }),
    prepare: async ({ path, edits }, signal) => {
      const scoped = await workspace.scope.resolve(path, "write");
      if ("denied" in scoped) return outOfScope(scoped);
      const before = await workspace.files.read(scoped);
      if (!before) return refused(`${await missingFile(workspace, scoped, signal)} To create a file use write_file.`);
      const edited = applyEdits(before.text, edits);
      if ("problem" in edited) return refused(`Nothing was changed in “${scoped.relative}”: ${edited.problem}`);
      return propose(workspace, { path: scoped, before, after: edited.text, ...(edited.how && { how: edited.how }) });
    },
  });
}
