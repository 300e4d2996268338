// move_file: a file or a folder to another place or name, never over another one.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { sep } from "node:path";
import { missingFile } from "./missingFile.ts";
import { pathsOf, survey, surveyWords } from "./survey.ts";
import { defineTool, failed, outOfScope, refused, succeeded, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function moveFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "move_file",
    description:
      "Moves or renames one file, or a folder with all that is in it; folders are made as needed, and nothing is written over. What refers to it by name is not changed.",
    effect: "write",
    schema: z.strictObject({
      path: z.string().min(1).describe("The file or folder, relative to the workspace"),
      to: z.string().min(1).describe("Where it goes, with its name, relative to the workspace"),
    }),
    label: (text) => ({ verb: "Move", subject: `${text("path")} → ${text("to")}` }),
    touches: (text) => touching({ reads: [text("path")], writes: [text("path"), text("to")] }),
    prepare: async ({ path, to }, signal) => {
      const { scope, files } = workspace;
      const [from, target] = await Promise.all([scope.resolve(path, "write"), scope.resolve(to, "write")]);
      if ("denied" in from) return outOfScope(from);
      if ("denied" in target) return outOfScope(target);
      const found = await files.find(from);
      if (found === "nothing") return refused(await missingFile(workspace, from, signal));
      if (found === "unsaved")
        return refused(
          `“${from.relative}” has unsaved changes in the editor: the person has to save or drop them first.`,
        );
      const taken = `There is “${target.relative}” already, and nothing is written over.`;
      if ((await files.find(target)) !== "nothing") return refused(taken);
      const seen = found === "folder" ? await survey(scope, from, signal) : null;
      if (typeof seen === "string") return refused(seen);
      if (seen && target.real.startsWith(from.real + sep))
        return refused(`“${target.relative}” is inside “${from.relative}”, which cannot be moved into itself.`);
      return {
        preview: seen
          ? {
              kind: "text",
              text: `→ ${target.relative}\n${surveyWords(from, seen)}`,
              paths: [...pathsOf(from, seen), ...pathsOf(target, seen)],
            }
          : { kind: "text", text: `${from.relative} → ${target.relative}` },
        run: async () => {
          const again = await Promise.all([scope.at(from.real, "write"), scope.at(target.real, "write")]);
          for (const place of again) if ("denied" in place) return failed(place.denied);
          const outcome = await files.move(from, target);
          if (outcome.kind === "moved") return succeeded(`Moved ${from.relative} to ${target.relative}.`);
          return failed(outcome.kind === "taken" ? taken : `Nothing was moved. ${outcome.message}`);
        },
      };
    },
  });
}
