// delete_file: a file or a folder, as it was seen.
import * as z from "zod";
import type { Refusal, Tool } from "../engine/ports.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { missingFile } from "./missingFile.ts";
import { propose } from "./proposal.ts";
import { pathsOf, survey, surveyWords, type Survey } from "./survey.ts";
import { defineTool, failed, outOfScope, refused, succeeded, touching, type Work } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function deleteFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "delete_file",
    description: "Deletes one file of any kind, or a folder with all that is in it, up to 1000 files.",
    effect: "write",
    schema: z.strictObject({ path: z.string().min(1).describe("The file or folder, relative to the workspace") }),
    label: (text) => ({ verb: "Delete", subject: text("path") }),
    touches: (text) => touching({ reads: [text("path")], writes: [text("path")] }),
    prepare: async ({ path }, signal) => {
      const { scope, files } = workspace;
      const scoped = await scope.resolve(path, "write");
      if ("denied" in scoped) return outOfScope(scoped);
      if ((await files.find(scoped)) === "unsaved")
        return refused(
          `“${scoped.relative}” has unsaved changes in the editor: the person has to save or drop them first.`,
        );
      const seen = await survey(scope, scoped, signal);
      if (seen === null) return refused(await missingFile(workspace, scoped, signal));
      if (typeof seen === "string") return refused(seen);
      const text = seen.kind === "file" ? await files.read(scoped).catch(() => null) : null;
      return text ? propose(workspace, { path: scoped, before: text, after: null }) : whole(workspace, scoped, seen);
    },
  });
}

/** What has no text to show is told by its size, and a folder by what is in it. */
function whole({ scope, files }: Workspace, path: ScopedPath, seen: Survey): Work | Refusal {
  return {
    preview: { kind: "text", text: surveyWords(path, seen), paths: [...pathsOf(path, seen)] },
    run: async ({ signal }) => {
      const again = await scope.at(path.real, "write");
      if ("denied" in again) return failed(again.denied);
      const isAsSeen = async (): Promise<boolean> => {
        const now = await survey(scope, path, signal);
        return now !== null && typeof now !== "string" && now.stamp === seen.stamp;
      };
      const outcome = await files.removeWhole(path, isAsSeen);
      if (outcome.kind === "removed") {
        const what = seen.kind === "folder" ? ` with ${seen.files.length} files` : "";
        return succeeded(`Deleted ${path.relative}${what}.`);
      }
      const changed = `“${path.relative}” changed after this was proposed, so it was not deleted. Look at it again.`;
      if (outcome.kind === "stale") return failed(changed);
      // It goes file by file.
      const isTorn = seen.kind === "folder" && !(await isAsSeen().catch(() => false));
      const what = isTorn ? "Not all of it was deleted: look at what is left of it." : "Nothing was deleted.";
      return failed(`${what} ${outcome.message}`);
    },
  };
}
