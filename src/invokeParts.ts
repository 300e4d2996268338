// What an invocation is made of: the agent from a path or an object, the tools beside it, guardrails, and a model that is held to its tools.
import { realpath } from "node:fs/promises";
import { readPrompty, type Library } from "./agents/promptyChild.ts";
import type { ToolHandler } from "./agents/promptyDispatch.ts";
import { readObject } from "./agents/promptyFile.ts";
import type { PromptMessage } from "./agents/promptyMessages.ts";
import type { Prompty } from "./agents/promptyShape.ts";
import type { Model, ModelEvent, Tool } from "./engine/ports.ts";
import { LoopError, toFailure } from "./protocol/errors.ts";
import type { Params } from "./protocol/messages.ts";

/** An agent as an object: the keys of a .prompty's front matter, and its text. */
export interface AgentObject extends Readonly<Record<string, unknown>> {
  readonly name?: string;
  readonly instructions: string;
  /** Where it was read: files that it names are found from there. */
  readonly path?: string;
  /** Environment variables that its front matter has read. */
  readonly variables?: readonly string[];
}

/** A .prompty that was read: can be invoked as it is, and is never changed by that. */
export interface LoadedAgent extends Prompty {
  readonly path: string;
  readonly variables: readonly string[];
}

/** A tool and the function that does its work. Keys as in a .prompty; parameters may be a JSON Schema. */
export interface InvokeTool extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
  readonly handler: ToolHandler;
}

/** Handlers by the name of their tool; or tools with their handlers, which take the place of declared ones of the same name. */
export type InvokeTools = Readonly<Record<string, ToolHandler>> | readonly InvokeTool[];

/** An agent that is ready to be run. */
export interface Opened {
  readonly prompty: Prompty;
  /** Real path; null: it has no file. */
  readonly file: string | null;
  readonly variables: readonly string[];
  readonly names: Readonly<Record<string, ToolHandler>>;
}

/** Reads a .prompty. @throws LoopError `agent_invalid` with every problem and its line */
export async function readAgent(path: string, library: Library): Promise<LoadedAgent> {
  const file = await realpath(path).catch(() => path);
  const { prompty, variables } = await readPrompty(file, library);
  return { ...prompty, path: file, variables };
}

/** Reads the agent and puts the tools beside it; what was given is not changed (PROMPTY-9.2-1). @throws LoopError `agent_invalid` */
export async function openAgent(
  pathOrAgent: string | AgentObject | Prompty,
  tools: InvokeTools,
  library: Library,
): Promise<Opened> {
  const given = typeof pathOrAgent === "string" ? await readAgent(pathOrAgent, library) : pathOrAgent;
  const list = isList(tools) ? tools : [];
  const more = list.map(({ handler: _handler, ...tool }) => tool);
  const own = Array.isArray(given["tools"]) ? given["tools"] : [];
  const { path, variables } = given;
  const read = await readObject(more.length > 0 ? { ...given, tools: [...own, ...more] } : given);
  const names = isList(tools) ? Object.fromEntries(list.map(({ name, handler }) => [name, handler])) : tools;
  const known = Array.isArray(variables) ? variables.map(String) : [];
  return { prompty: read, file: typeof path === "string" ? path : null, variables: known, names };
}

function isList(tools: InvokeTools): tools is readonly InvokeTool[] {
  return Array.isArray(tools);
}

/** A model that calls a tool it was not offered ends the run, as the specification has it (C-17). */
export function strict(model: Model): Model {
  return {
    ...model,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const names = request.tools.map(({ name }) => name);
      for await (const event of model.stream(request, signal)) {
        if (event.type !== "call" || names.includes(event.call.name)) {
          yield event;
          continue;
        }
        const known = names.length === 0 ? "none" : names.join(", ");
        const message = `Tool not registered: ${event.call.name}. The tools are: ${known}.`;
        yield { type: "error", failure: toFailure(new LoopError("tool_unknown", message)), retryable: false };
        return;
      }
    },
  };
}

type Verdict = string | null | undefined;

/** Each says why it refuses; nothing, when it does not. */
export interface Guardrails {
  /** Asked once, before the first request. */
  readonly input?: (messages: readonly PromptMessage[]) => Verdict | Promise<Verdict>;
  /** Asked about the final answer. */
  readonly output?: (answer: string) => Verdict | Promise<Verdict>;
  /** Asked before each call, of prompts that are tools too. A refusal is what the model reads in place of a result. */
  readonly tool?: (name: string, args: Params) => Verdict | Promise<Verdict>;
}

export function guardedTool(tool: Tool, ask: Guardrails["tool"]): Tool {
  if (!ask) return tool;
  return {
    ...tool,
    async prepare(...asked) {
      const why = (await ask(tool.name, asked[0])) ?? null;
      if (why === null) return tool.prepare(...asked);
      return { kind: "refused", status: "denied", content: `Tool denied by guardrail: ${why}` };
    },
  };
}
