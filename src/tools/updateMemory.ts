// update_memory: a note for later runs.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { maxMemoryLength } from "../protocol/config.ts";
import { defineTool, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function updateMemoryTool(workspace: Workspace): Tool {
  return defineTool({
    name: "update_memory",
    description:
      "Adds a note to MEMORY.md, which every later run reads. For what stays true: decisions, conventions, what the person prefers. Not for what is being done now, and never for secrets.",
    effect: "write",
    schema: z.strictObject({
      note: z
        .string()
        .trim()
        .min(1)
        .max(maxMemoryLength)
        .describe("The note, in a few words that will be understood later"),
    }),
    label: (text) => ({ verb: "Remember", subject: text("note").trim().split("\n", 1).join("") }),
    touches: () => touching({ writes: [".brain/MEMORY.md"] }),
    prepare: async ({ note }) => ({
      preview: { kind: "text", text: note },
      run: () => workspace.remember(note),
    }),
  });
}
