// write_file: a whole file, new or replaced.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { lineEndings } from "./lineEndings.ts";
import { propose } from "./proposal.ts";
import { defineTool, outOfScope, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function writeFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "write_file",
    description:
      "Creates a file, or replaces its whole text; folders are made as needed. To change a part of an existing file use edit_file.",
    effect: "write",
    schema: z.strictObject({
      path: z.string().min(1).describe("The file, relative to the workspace"),
      content: z
        .union([z.string(), z.array(z.string())])
        .describe("The whole text of the file; a list of texts is joined, so that results can be combined"),
    }),
    label: (text) => ({ verb: "Write", subject: text("path") }),
    touches: (text) => touching({ writes: [text("path")] }),
    prepare: async ({ path, content: given }) => {
      const content = typeof given === "string" ? given : given.join("");
      const scoped = await workspace.scope.resolve(path, "write");
      if ("denied" in scoped) return outOfScope(scoped);
      const before = await workspace.files.read(scoped);
      const after = before && lineEndings(before.text) === "\r\n" ? content.replaceAll(/\r?\n/g, "\r\n") : content;
      return propose(workspace, { path: scoped, before, after });
    },
  });
}
