// A .prompty that is a tool of another (PROMPTY 9.6): found beside its parent, told to the model by its inputs, run inside the parent's run.
import { dirname, resolve } from "node:path";
import type { CallContext, Tool, ToolResult, ToolSpec } from "../engine/ports.ts";
import type { DeclaredTool } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import { boundOf, withBound, withoutBound, withoutValues } from "./promptyBindings.ts";
import { beginningOf } from "./promptyConversation.ts";
import { answerOf, definitionOf } from "./promptyDefinition.ts";
import { codeOf, realInside } from "./disk.ts";
import { loadPrompty } from "./promptyFile.ts";
import { fillInputs, prepare } from "./promptyRender.ts";
import type { ReferenceOptions } from "./promptyReferences.ts";
import { schemaOf } from "./promptySchema.ts";
import type { Prompty } from "./promptyShape.ts";

/** Where prompts may be, and what they may read. */
export interface Library extends ReferenceOptions {
  readonly roots: readonly string[];
}

/** The prompts that are at work, each as the tool of the one before it. */
export interface Chain {
  /** Real paths; the last is that of the prompt whose tools are made. Empty: it has no file. */
  readonly files: readonly string[];
  /** Environment variables that the last of them has read. */
  readonly variables: readonly string[];
}

export interface Child {
  readonly prompty: Prompty;
  /** Real path. */
  readonly file: string;
  readonly variables: readonly string[];
}

/** For who reads no variables: a reference to one stays as it is written. */
export function asWritten(name: string): string {
  return `\${env:${name}}`;
}

/** Reads a .prompty, and keeps which environment variables it has asked for. @throws LoopError `agent_invalid` with every problem */
export async function readPrompty(file: string, library: ReferenceOptions): Promise<Child> {
  const variables = new Set<string>();
  const { env } = library;
  const counting = env && {
    env: (name: string) => {
      const value = env(name);
      if (value !== undefined && value !== asWritten(name)) variables.add(name);
      return value;
    },
  };
  const loaded = await loadPrompty(file, { ...library, ...counting });
  if ("prompty" in loaded) return { prompty: loaded.prompty, file, variables: [...variables] };
  const problems = loaded.problems.map(({ line, message }) => `${file}:${line}: ${message}`);
  throw new LoopError("agent_invalid", problems.join("\n"), { details: problems });
}

/**
 * The prompt that a tool names.
 * @throws LoopError `tool_invalid` for a path that leads out, or to no .prompty; `agent_invalid` when it cannot be used
 */
export async function findChild(
  { name, path }: DeclaredTool,
  { files }: Pick<Chain, "files">,
  library: Library,
): Promise<Child> {
  const refuse = (why: string): LoopError => new LoopError("tool_invalid", `The tool ${name} cannot be used: ${why}.`);
  if (typeof path !== "string" || !/\.prompty$/i.test(path)) throw refuse("its path must be that of a .prompty file");
  const parent = files.at(-1);
  if (parent === undefined) throw refuse("a prompt without a file has nothing that its path could start from");
  const real = await realInside(resolve(dirname(parent), path), dirname(parent), library.roots).catch(
    (error: unknown) => {
      throw refuse(codeOf(error) === "ENOENT" ? `there is no file “${path}”` : `“${path}” cannot be read`);
    },
  );
  if (real === null) throw refuse(`“${path}” is outside of the folder of the prompt`);
  if (!/\.prompty$/i.test(real)) throw refuse("its path must be that of a .prompty file");
  return readPrompty(real, library);
}

/** What the model is told of a prompt that is a tool (PROMPTY-9.6-6). */
export function childSpec(tool: DeclaredTool, { prompty }: Child): ToolSpec {
  const description = typeof tool["description"] === "string" ? tool["description"] : (prompty.description ?? "");
  return { name: tool.name, description, parameters: schemaOf(prompty.inputs, boundOf(tool)) };
}

interface Asking {
  readonly tool: DeclaredTool;
  /** Of the parent. */
  readonly inputs: Params;
  readonly chain: Chain;
  /** Makes the child's own tools. */
  readonly toolsOf: (child: Prompty, inputs: Params, chain: Chain) => Promise<readonly Tool[]>;
}

/** Runs it for one call. Its answer is the result. Never throws. */
export async function askChild(
  { prompty, file, variables }: Child,
  args: Params,
  { tool, inputs, chain, toolsOf }: Asking,
  context: CallContext,
): Promise<ToolResult> {
  if (chain.files.includes(file))
    return failed(`${tool.name} did not run: it is at work already, and a prompt cannot be its own tool.`);
  try {
    const given = withBound(tool, args, inputs);
    const { system, messages } = beginningOf(await prepare(prompty, given));
    const single = tool["mode"] !== "agentic";
    const next = { files: [...chain.files, file], variables };
    const tools = single ? [] : await toolsOf(prompty, fillInputs(prompty.inputs, given), next);
    const prompt = definitionOf(prompty, { file, variables, system, single });
    const result = await context.delegate({ prompt, messages, tools, asked: JSON.stringify(withoutBound(tool, args)) });
    return result.status === "succeeded" ? { ...result, value: answerOf(prompty, result.content) } : result;
  } catch (error) {
    if (error instanceof LoopError)
      return failed(`${tool.name} did not run. ${withoutValues(error.message, tool, inputs)}`);
    throw error;
  }
}

function failed(content: string): ToolResult {
  return { status: "failed", content };
}
