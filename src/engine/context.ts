// CONTEXT: everything the model needs to answer: system prompt, history, tools, and how much of its window they fill.
import type { AgentDefinition } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Message, UserEntry } from "../protocol/messages.ts";
import { conversation } from "./conversation.ts";
import { estimateTokens } from "./estimate.ts";
import type { Model, Ports, SessionHandle, Tool } from "./ports.ts";
import { systemPrompt, toolSpec } from "./prompt.ts";
import { timestamp } from "./running.ts";

export interface ContextInput {
  readonly agentDef: AgentDefinition;
  readonly session: SessionHandle;
  readonly message: UserEntry;
  readonly model: Model;
  readonly reserveFloor: number;
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
  const { agentDef, session, message, model } = input;
  const [memoryContext, project, offered] = await Promise.all([
    ports.memory.read(),
    ports.project(),
    ports.tools(agentDef),
  ]);
  const tools = offered.filter((tool) => agentDef.tools?.includes(tool.name) ?? true);
  const date = timestamp(ports).slice(0, "YYYY-MM-DD".length);
  const prompt = systemPrompt({ agent: agentDef, tools, project, memory: memoryContext, date });
  const history = conversation([...session.history, message]);
  const tokenEstimate = estimateTokens({ system: prompt, messages: history, tools: tools.map(toolSpec) });
  const room = model.contextWindow - input.reserveFloor;
  if (tokenEstimate > room) throw overflow(tokenEstimate, room);
  return { systemPrompt: prompt, history, tools, tokenEstimate, memoryContext };
}

function overflow(estimate: number, room: number): LoopError {
  const numbers = `about ${estimate.toLocaleString("en")} tokens, and this model takes ${room.toLocaleString("en")}`;
  return new LoopError("context_overflow", `This session has grown too long for the model: ${numbers}.`);
}
