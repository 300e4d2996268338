// run_agent: another agent does a part of the task, with a clean context, and answers with its result.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { defineTool, touching } from "./tool.ts";

/** An agent that can be named. */
export interface AgentName {
  readonly id: string;
  readonly description: string;
}

/** @param agents who can be asked; the description says so */
export function runAgentTool(agents: readonly AgentName[]): Tool {
  const names = agents.map(({ id, description }) => (description === "" ? id : `${id} (${description})`)).join("; ");
  return defineTool({
    name: "run_agent",
    description: `Gives a part of the task to another agent and returns its answer. It sees neither this conversation nor its results: say all it must know, and what to answer. Several can work at the same time. Agents: ${names}.`,
    effect: "read",
    fields: { scopes: { kind: "choice", keys: ["state", "input", "error"] } },
    schema: z.strictObject({
      task: z.string().min(1).describe("What to do, what to know for it, and what to answer"),
      agent: z.string().min(1).optional().describe("Who; left out: an agent without instructions of its own"),
    }),
    label: (text) => ({ verb: "Delegate", subject: text("agent") || oneLine(text("task")) }),
    touches: () => touching({}),
    prepare: ({ task, agent }) =>
      Promise.resolve({
        timeout: null,
        run: ({ delegate, data }) => delegate({ agent: agent ?? null, task, data }),
      }),
  });
}

function oneLine(text: string): string {
  return text.trim().split("\n", 1).join("");
}
