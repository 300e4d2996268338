// CONTEXT: everything the model needs to answer: system prompt, history, tools, and how much of its window they fill.
import type { AgentDefinition } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { AgentLoopConfig } from "../protocol/config.ts";
import type { Message, UserEntry } from "../protocol/messages.ts";
import { conversation } from "./conversation.ts";
import { estimateTokens } from "./estimate.ts";
import { renderData } from "./data.ts";
import { outputTool } from "./output.ts";
import type { Model, Ports, SessionHandle, Tool } from "./ports.ts";
import { systemPrompt, toolSpec } from "./prompt.ts";
import { timestamp } from "./running.ts";
import type { DataMessage } from "./state.ts";

export interface ContextInput {
  readonly agentDef: AgentDefinition;
  readonly session: SessionHandle;
  readonly message: UserEntry;
  readonly model: Model;
  readonly config: AgentLoopConfig;
  readonly data: readonly DataMessage[];
}

export interface ContextOutput {
  readonly systemPrompt: string;
  /** With the new message as its last. */
  readonly history: readonly Message[];
  readonly tools: readonly Tool[];
  readonly tokenEstimate: number;
  readonly memoryContext: string;
}

/** The stage of the specification. Throws LoopError `context_overflow` when the request cannot fit. */
export async function context(input: ContextInput, ports: Ports): Promise<ContextOutput> {
  const { agentDef, session, message, model, config, data } = input;
  const [memoryContext, project, offered] = await Promise.all([
    ports.memory.read(),
    ports.project(),
    ports.tools(agentDef),
  ]);
  const tools = toolsFor(agentDef, offered, ports);
  const date = timestamp(ports).slice(0, "YYYY-MM-DD".length);
  const prompt = systemPrompt({
    agent: agentDef,
    tools,
    project,
    memory: memoryContext,
    data: renderData(data),
    date,
    config,
  });
  const history = conversation([...session.history, message]);
  const tokenEstimate = estimateTokens({
    system: prompt,
    messages: history,
    tools: tools.map((tool) => toolSpec(tool, config)),
  });
  const room = model.contextWindow - config.reserveFloor;
  if (tokenEstimate > room) throw overflow(tokenEstimate, room);
  return { systemPrompt: prompt, history, tools, tokenEstimate, memoryContext };
}

/** Of two tools with one name the last counts (LOOP-SCHEMA-4). */
function toolsFor({ tools, output }: AgentDefinition, offered: readonly Tool[], { validate }: Ports): readonly Tool[] {
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const allowed = [...byName.values()].filter(({ name }) => tools?.includes(name) ?? true);
  return output ? [...allowed, outputTool(output, validate)] : allowed;
}

function overflow(estimate: number, room: number): LoopError {
  const numbers = `about ${estimate.toLocaleString("en")} tokens, and this model takes ${room.toLocaleString("en")}`;
  return new LoopError("context_overflow", `This session has grown too long for the model: ${numbers}.`);
}
