// The system prompt's text: identity, scope, tools, project, memory, and last the date, so that caches stay warm (C-09). Pure.
import type { AgentDefinition } from "../protocol/agents.ts";
import type { Tool } from "./ports.ts";

export interface PromptParts {
  readonly agent: AgentDefinition;
  readonly tools: readonly Tool[];
  readonly project: string;
  readonly memory: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

const scope = `# Scope
You work in one folder, the workspace. Paths are relative to it. Tools refuse what lies outside it and files that hold secrets; do not try to get around a refusal.
A person sees every call. What changes files or runs commands waits until the person approves it. They may change a call before it runs, or reject it with a reason: the result then says so, and what it says is what happened. Never repeat a rejected call unchanged.`;

const calling = `# Calls
Put independent calls into one reply: they run at the same time. Calls on the same file, and commands after edits, keep the order in which you write them, so you may edit and then test in one reply.
A call can keep its result for others: give \`_outputPath\`, such as "†state.config". A later call may then have "†state.config" as the whole of a parameter, or "†state.a || †state.b" for the first that exists: it waits until the value is there, and fails if the call that should write it fails. So one reply can read, combine and write.
Give \`_reasoningForCall\`, a few words on why, with every call that changes something: the person reads it before deciding.`;

/** Builds the system prompt (BRAIN-CTX-4). */
export function systemPrompt(parts: PromptParts): string {
  const names = parts.tools.map((tool) => tool.name).join(", ");
  const sections = [
    parts.agent.identity.trim(),
    scope,
    parts.tools.length > 0 ? `${calling}\nYour tools: ${names}.` : "# Calls\nYou have no tools: answer in words.",
    `# Project\n${parts.project.trim()}`,
  ];
  if (parts.memory.trim() !== "")
    sections.push(`# Memory\nNotes kept in MEMORY.md from earlier work:\n${parts.memory.trim()}`);
  sections.push(`Today is ${parts.date}.`);
  return sections.join("\n\n");
}

const reasonProperty = {
  type: "string",
  description: "Why this call, in a few words, for the person who approves it.",
} as const;

const outputProperty = { type: "string", description: "Keeps the result, such as at †state.config." } as const;

/** A tool as the model is told of it: with where its result may go, and the reason of a call that is asked about (DIGEST 1.4). */
export function toolSpec(tool: Tool): { name: string; description: string; parameters: Record<string, unknown> } {
  const { name, description, parameters } = tool;
  const own = parameters["properties"];
  const properties = {
    ...(typeof own === "object" ? own : {}),
    ...(tool.effect !== "read" && { _reasoningForCall: reasonProperty }),
    _outputPath: outputProperty,
  };
  return { name, description, parameters: { ...parameters, properties } };
}
