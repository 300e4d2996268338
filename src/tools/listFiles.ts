// list_files: the names under a folder.
import { lstat } from "node:fs/promises";
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { globTest } from "./glob.ts";
import { missingFile } from "./missingFile.ts";
import { defineTool, failed, outOfScope, succeeded, touching } from "./tool.ts";
import { walk } from "./walk.ts";
import type { Workspace } from "./workspace.ts";

const most = 1_000;
const more = `[only ${most} are listed, those of the nearest folders; name a deeper folder or a glob to see others]`;

export function listFilesTool(workspace: Workspace): Tool {
  return defineTool({
    name: "list_files",
    description: `Lists the files and folders under a folder, deeper ones too, at most ${most}. Folders end in /. What .gitignore or .brainignore name is left out.`,
    effect: "read",
    schema: z.strictObject({
      path: z.string().min(1).optional().describe("The folder, relative to the workspace; its root if left out"),
      glob: z.string().min(1).optional().describe("List only what matches, for example *.ts or src/**/test/*.py"),
    }),
    label: (text) => ({ verb: "List", subject: [text("path") || ".", text("glob")].filter(Boolean).join(" ") }),
    touches: (text) => touching({ reads: [text("path") || "."] }),
    prepare: async ({ path = ".", glob }) => {
      const folder = await workspace.scope.resolve(path, "read");
      if ("denied" in folder) return outOfScope(folder);
      const matches = glob === undefined ? () => true : globTest(glob, folder.inRoot);
      return {
        run: async ({ signal }) => {
          const found = await lstat(folder.real).catch(() => null);
          if (!found) return failed(await missingFile(workspace, folder, signal));
          if (!found.isDirectory()) return failed(`“${folder.relative}” is a file; read_file shows it.`);
          const names: string[] = [];
          for await (const entry of walk(workspace.scope, folder, signal)) {
            if (!matches(entry.inRoot)) continue;
            if (names.length === most) return succeeded(`${inOrder(names)}\n\n${more}`);
            names.push(entry.kind === "folder" ? `${entry.relative}/` : entry.relative);
          }
          return succeeded(names.length === 0 ? "Nothing was found." : inOrder(names));
        },
      };
    },
  });
}

function inOrder(names: readonly string[]): string {
  return names.toSorted().join("\n");
}
