// delete_file: one file, as it was seen.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { missingFile } from "./missingFile.ts";
import { propose } from "./proposal.ts";
import { defineTool, outOfScope, refused, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function deleteFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "delete_file",
    description: "Deletes one text file. Folders and other files: run_command with rm.",
    effect: "write",
    schema: z.strictObject({ path: z.string().min(1).describe("The file, relative to the workspace") }),
    label: (text) => ({ verb: "Delete", subject: text("path") }),
    touches: (text) => touching({ reads: [text("path")], writes: [text("path")] }),
    prepare: async ({ path }, signal) => {
      const { scope, files } = workspace;
      const scoped = await scope.resolve(path, "write");
      if ("denied" in scoped) return outOfScope(scoped);
      const before = await files.read(scoped);
      if (!before) return refused(await missingFile(workspace, scoped, signal));
      if (before.unsaved)
        return refused(
          `“${scoped.relative}” has unsaved changes in the editor: the person has to save or drop them first.`,
        );
      return propose(workspace, { path: scoped, before, after: null });
    },
  });
}
