// delete_file: one file, as it was seen.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { missingFile } from "./missingFile.ts";
import { createPatch } from "./patch.ts";
import { defineTool, failed, outOfScope, refused, succeeded, touching } from "./tool.ts";
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
      const difference = createPatch(scoped.relative, before.text, "");
      return {
        preview: { kind: "diff", path: scoped.relative, ...difference, created: false },
        run: async () => {
          const again = await scope.at(scoped.real, "write");
          if ("denied" in again) return failed(again.denied);
          const outcome = await files.remove(scoped, before.hash);
          if (outcome.kind === "removed") return succeeded(`Deleted ${scoped.relative}.`);
          const changed = `“${scoped.relative}” changed after this was proposed, so it was not deleted. Read it again.`;
          return failed(outcome.kind === "stale" ? changed : `Nothing was deleted. ${outcome.message}`);
        },
      };
    },
  });
}
