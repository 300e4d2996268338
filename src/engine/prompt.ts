// The system prompt's text: identity, scope, tools, project, rules, memory, and last the date, so that caches stay warm (C-09). Pure.
import type { AgentDefinition } from "../protocol/agents.ts";
import type { AgentLoopConfig } from "../protocol/config.ts";
import { finalOutput } from "./output.ts";
import type { Params } from "../protocol/messages.ts";
import type { Model, Tool, ToolFields, ToolSpec } from "./ports.ts";

export interface PromptParts {
  readonly agent: AgentDefinition;
  readonly tools: readonly Tool[];
  readonly project: string;
  /** Of the project; `""`: none. */
  readonly rules: string;
  readonly memory: string;
  /** Blocks of structured context. */
  readonly data: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly config: Pick<AgentLoopConfig, "dataFlow" | "plan">;
  /** Tokens of the model. */
  readonly window: number;
}

/** Below so many tokens what is said before the conversation is said shortly, and references are left out: they need room to be used. */
export const smallWindow = 16_000;

const scope = `# Scope
You work in one folder, the workspace. Paths are relative to it. Tools refuse what lies outside it and files that hold secrets; do not try to get around a refusal.
A person sees every call. What changes files or runs commands waits until the person approves it. They may change a call before it runs, or reject it with a reason: the result then says so, and what it says is what happened. Never repeat a rejected call unchanged.`;

const shortScope = `# Scope
You work in one folder. Paths are relative to it. A person may change or reject a call; the result says so. Never repeat a rejected call unchanged.`;

const shortCalling = "# Calls\nPut independent calls into one reply.";

const calling = `# Calls
Put independent calls into one reply: they run at the same time. Calls on the same file, and commands after edits, keep the order in which you write them, so you may edit and then test in one reply.`;

const dataFlow = `A call can keep its result for others: give \`_outputPath\`, such as "†state.config". Another call may then have "†state.config" as the whole of a parameter, or "†state.a || †state.b" for the first that exists: it waits until the value is there, and fails if the call that should write it fails. So one reply can read, combine and write. A text that itself begins with † is written \\†.`;

const giveReasons = `Give \`_reasoningForCall\`, a few words on why, with every call that changes something: the person reads it before deciding.`;

const planFirst =
  "The person approves the calls of a reply as one plan before any of them starts: look around first, then write the whole plan into one reply.";

const rulesHold =
  "The rules of this project, from its files. Keep to them; where the person asks for something else in this conversation, that counts. An AGENTS.md in a folder below holds for the files in that folder: read it before you change them.";

/** Builds the system prompt (BRAIN-CTX-4). */
export function systemPrompt(parts: PromptParts): string {
  if (parts.agent.bare) return parts.agent.identity;
  const names = parts.tools.map((tool) => tool.name).join(", ");
  const small = parts.window < smallWindow;
  const lines = [
    small ? shortCalling : calling,
    ...(parts.config.dataFlow && !small ? [dataFlow] : []),
    ...(small ? [] : [giveReasons]),
    ...(parts.config.plan === "lazy" ? [planFirst] : []),
    ...(parts.tools.some(({ name }) => name === finalOutput)
      ? [`End with a call of ${finalOutput}, and with no other answer.`]
      : []),
    `Your tools: ${names}.`,
  ];
  const sections = [
    parts.agent.identity.trim(),
    small ? shortScope : scope,
    parts.tools.length > 0 ? lines.join("\n") : "# Calls\nYou have no tools: answer in words.",
    `# Project\n${parts.project.trim()}`,
  ];
  if (parts.rules.trim() !== "") sections.push(`${headings.rules}${parts.rules.trim()}`);
  if (parts.memory.trim() !== "") sections.push(`${headings.memory}${parts.memory.trim()}`);
  sections.push(...parts.data, `${headings.end}${parts.date}.`);
  return sections.join("\n\n");
}

const headings = {
  rules: `# Rules\n${rulesHold}\n`,
  memory: "# Memory\nNotes kept in MEMORY.md from earlier work:\n",
  end: "Today is ",
} as const;

/** How many characters of a system prompt are the project's rules, and what was remembered with what stands behind it. */
export function partsOfPrompt(prompt: string): { readonly rules: number; readonly memory: number } {
  const end = prompt.lastIndexOf(headings.end);
  const until = end === -1 ? prompt.length : end;
  const memory = prompt.lastIndexOf(headings.memory, until);
  const rules = prompt.indexOf(headings.rules);
  const rulesEnd = memory === -1 ? until : memory;
  return {
    rules: rules === -1 ? 0 : Math.max(0, rulesEnd - rules),
    memory: memory === -1 ? 0 : until - memory,
  };
}

const reasonProperty = {
  type: "string",
  description: "Why this call, in a few words, for the person who approves it.",
} as const;

/** Explained once, above all tools: said with each of them it would cost as much as the rest together. */
const outputProperty = { type: "string" } as const;

const referenceSchema = { type: "string", pattern: "^†" } as const;

/** A parameter that is no text can be a reference all the same (LOOP-SCHEMA-6). */
function orReference(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || !("type" in schema) || schema.type === "string") return schema;
  return { anyOf: [schema, referenceSchema] };
}

/** The tools as a model with such a window is told of them. */
export function toolSpecs(
  tools: readonly Tool[],
  { contextWindow }: Pick<Model, "contextWindow">,
  config: Pick<AgentLoopConfig, "dataFlow">,
): readonly ToolSpec[] {
  const small = contextWindow < smallWindow;
  return tools.map((tool) => (small ? shortSpec(tool) : toolSpec(tool, config)));
}

/** One sentence for the tool and one for each parameter, and no reason: the call itself has to do. */
function shortSpec(tool: Tool): ToolSpec {
  const { description, parameters, ...spec } = toolSpec(tool, { dataFlow: false });
  const own = Object.entries(recordOf(parameters["properties"])).filter(([name]) => name !== "_reasoningForCall");
  const properties = Object.fromEntries(own.map(([name, schema]) => [name, short(schema)]));
  return { ...spec, description: firstSentence(description), parameters: { ...parameters, properties } };
}

function short(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || !("description" in schema)) return schema;
  const { description } = schema;
  return typeof description === "string" ? { ...schema, description: firstSentence(description) } : schema;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/**
 * A tool as the model is told of it: with the reason of a call that is asked about, where its result may go, and for a
 * latent one the result itself (DIGEST 1.4; LOOP-SCHEMA-1, -2).
 */
export function toolSpec(tool: Tool, { dataFlow: flows }: Pick<AgentLoopConfig, "dataFlow">): ToolSpec {
  const { name, description, parameters, fields, effect, strict } = tool;
  const own = Object.entries(recordOf(parameters["properties"]));
  const required: unknown[] = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  const properties = {
    ...Object.fromEntries(flows ? own.map(([key, schema]) => [key, orReference(schema)]) : own),
    ...(effect !== "read" && { _reasoningForCall: reasonProperty }),
    ...fieldProperties(fields),
    ...(flows && fields?.outputPath === undefined && name !== finalOutput && { _outputPath: outputProperty }),
  };
  const needed = fields?.latent ? [...required, "_output"] : required;
  return {
    name,
    description,
    parameters: { ...parameters, properties, ...(needed.length > 0 && { required: needed }) },
    ...(strict === true && { strict }),
  };
}

function fieldProperties(fields: ToolFields | undefined): Params {
  const choice = fields?.scopes?.kind === "choice" ? fields.scopes.keys : null;
  return {
    ...(choice && { _scopes: { type: "array", items: { enum: choice }, description: "The data it is shown." } }),
    ...(fields?.latent && { _output: fields.latent.output }),
  };
}

function recordOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
