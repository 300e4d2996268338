// read_output: what a command has printed, while it runs in the background or when it was too much for its result.
import * as z from "zod";
import type { CallContext, Tool, ToolResult } from "../engine/ports.ts";
import type { Commands } from "./commands.ts";
import { plainText } from "./keptOutput.ts";
import { mostLogged, type LogPart } from "./outputLog.ts";
import type { CommandEnd } from "./process.ts";
import { defineTool, failed, succeeded, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

export function readOutputTool({ commands }: Workspace): Tool {
  return defineTool({
    name: "read_output",
    description:
      "Reads what a command has printed, by the id that run_command gave: what is new since it was last read, or from an offset on. Says whether the command still runs.",
    effect: "read",
    schema: z.strictObject({
      id: z.string().min(1).describe("Id that run_command gave, such as cmd-1a2b3c4d"),
      offset: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe("Byte to begin with; where the last reading ended if left out"),
    }),
    label: (text) => ({ verb: "Read output of", subject: text("id") }),
    touches: (text) => touching({ reads: [`command:${text("id")}`] }),
    prepare: ({ id, offset }) => Promise.resolve({ run: (context) => readOutput(commands, { id, offset }, context) }),
  });
}

interface Asked {
  readonly id: string;
  readonly offset: number | undefined;
}

async function readOutput(commands: Commands, { id, offset }: Asked, { sessionId }: CallContext): Promise<ToolResult> {
  const part = await commands.read(id, sessionId, offset);
  if (part === null) return failed(`There is no output of a command ${id} in this session.`);
  return succeeded(`${textOf(part)}\n\n${placeOf(part)} ${standing(commands.endOf(id))}`);
}

function textOf({ text, from, to }: LogPart): string {
  if (text.includes("\0")) return `(binary output, ${to - from} bytes)`;
  const plain = plainText(text).trimEnd();
  return plain === "" ? "(nothing new)" : plain;
}

function placeOf({ from, to, size }: LogPart): string {
  const more = to < size ? ` Pass offset ${to} for what follows.` : "";
  const full = size >= mostLogged ? " More than that was not kept." : "";
  return `Bytes ${from} to ${to} of ${size}.${more}${full}`;
}

function standing(end: CommandEnd | null | undefined): string {
  if (end === null) return "The command is still running.";
  if (end?.kind === "exited") return `The command has ended with exit code ${end.code}.`;
  if (end?.kind === "killed") return `The command was ended by ${end.signal}.`;
  return end?.kind === "stopped" ? "The command was stopped." : "The command has ended.";
}
