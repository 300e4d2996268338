// stop_command: ends a command of the background.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { defineTool, failed, succeeded, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function stopCommandTool({ commands }: Workspace): Tool {
  return defineTool({
    name: "stop_command",
    description: "Ends a command that run_command left running in the background, with everything that it has started.",
    // Free like reading: it only ends what a person has let run.
    effect: "read",
    schema: z.strictObject({ id: z.string().min(1).describe("Id that run_command gave, such as cmd-1a2b3c4d") }),
    label: (text) => ({ verb: "Stop", subject: text("id") }),
    touches: (text) => touching({ writes: [`command:${text("id")}`] }),
    prepare: ({ id }) =>
      Promise.resolve({
        run: async (context) => {
          const known = await commands.stop(id, context.sessionId);
          return known ? succeeded("It has ended.") : failed(`No command ${id} runs in the background.`);
        },
      }),
  });
}
