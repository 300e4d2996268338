// The tools that a .prompty declares, as the engine's: what the model is told of them, and who does their work.
import type { CallContext, Ports, Tool, ToolResult, ToolSpec } from "../engine/ports.ts";
import type { DeclaredTool } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import { boundOf, schemaWithoutBound, withoutBound } from "./promptyBindings.ts";
import { openapiTools, type Outside } from "./openapiTools.ts";
import { askChild, childSpec, findChild, type Chain, type Library } from "./promptyChild.ts";
import { handlerOf, noHandler, unavailable, type Handlers, type Standing } from "./promptyDispatch.ts";
import { toSpec } from "./promptyRequest.ts";
import { isSchema, type Prompty } from "./promptyShape.ts";
import { wireName } from "./wireNames.ts";

/** What the tools of a prompt, and of all prompts below it, are made with. */
export interface Workshop {
  readonly handlers: Handlers;
  readonly library: Library;
  /** Tools that the host has: a declared function of that name is this one. */
  readonly own: readonly Tool[];
  /**
   * Those of the MCP server that a tool names (PROMPTY 2.9), for the file that declares it. Absent: there are no servers.
   * @throws LoopError `tool_invalid` for a server that is not set up
   */
  readonly mcp?: ((tool: DeclaredTool, file: string) => Promise<readonly Tool[]>) | undefined;
  readonly validate: Ports["validate"];
  /** The way of openapi tools to their servers; absent: there is none. */
  readonly outside?: Outside | undefined;
  /** Has the last word about each tool; absent: none. */
  readonly guard?: (tool: Tool) => Tool;
  /** Calls run one after the other, in their order. */
  readonly sequential: boolean;
}

/**
 * Makes the tools of a prompt. Of two with one name the last counts.
 * @param inputs of the prompt, filled in: bindings take their values from them
 * @throws LoopError `tool_invalid`, before anything has been asked, for a tool that nobody does the work of (C-17)
 */
export async function promptyTools(
  standing: Standing & { readonly chain: Chain },
  workshop: Workshop,
): Promise<readonly Tool[]> {
  const byName = new Map(standing.agent.tools.map((tool) => [tool.name, tool]));
  const usable = [...byName.keys()].filter((name) => wireName(name) === name);
  const taken = new Set([...usable, ...workshop.own.map(({ name }) => name)]);
  const tools: Tool[] = [];
  // One after the other: what a tool is called must not depend on whose document came first.
  for (const tool of byName.values()) tools.push(...(await makeTools(tool, standing, { ...workshop, taken })));
  return workshop.guard ? tools.map(workshop.guard) : tools;
}

/** One; of an openapi document and of a server as many as they have, unless there is a handler for all of it. */
async function makeTools(
  tool: DeclaredTool,
  standing: Standing & { readonly chain: Chain },
  workshop: Workshop & { readonly taken: Set<string> },
): Promise<readonly Tool[]> {
  const { outside, mcp, handlers } = workshop;
  const isHandled = handlerOf(tool, handlers, standing) !== null;
  if (tool.kind === "mcp" && mcp && !isHandled) return mcp(tool, standing.chain.files.at(-1) ?? "");
  if (tool.kind !== "openapi" || !outside || isHandled)
    return [named(await makeTool(tool, standing, workshop), workshop.taken)];
  return openapiTools(tool, standing, { ...workshop, outside });
}

/** The model knows it by its own name, where endpoints take that (PROMPTY-7-5). */
function named(tool: Tool, taken: Set<string>): Tool {
  if (wireName(tool.name) === tool.name) return tool;
  const name = wireName(tool.name, taken);
  taken.add(name);
  return { ...tool, name };
}

async function makeTool(
  tool: DeclaredTool,
  { agent, inputs, chain }: Standing & { readonly chain: Chain },
  workshop: Workshop,
): Promise<Tool> {
  const handle = handlerOf(tool, workshop.handlers, { agent, inputs }) ?? unavailable(tool);
  const found = workshop.own.find(({ name }) => name === tool.name);
  if (!handle && found && tool.kind === "function") return hostTool(tool, found);
  if (!handle && tool.kind !== "prompty") throw noHandler(tool);
  const described = tool["parameters"] !== undefined || tool.kind !== "prompty";
  if (handle && described) return toolOf(tool, specOf(tool), handle, workshop);
  const child = await findChild(tool, chain, workshop.library);
  const toolsOf = (prompty: Prompty, given: Params, below: Chain): Promise<readonly Tool[]> =>
    promptyTools({ agent: prompty, inputs: given, chain: below }, workshop);
  const ask: Run = (args, context) => askChild(child, args, { tool, inputs, chain, toolsOf }, context);
  return toolOf(tool, childSpec(tool, child), handle ?? ask, workshop);
}

/** A person sees and decides what it works on: nothing of it is hidden from them. */
function hostTool(tool: DeclaredTool, found: Tool): Tool {
  if (boundOf(tool).size === 0) return found;
  throw new LoopError("tool_invalid", `${tool.name} is a tool of Brain's own: it takes no bindings.`);
}

function specOf(tool: DeclaredTool): ToolSpec {
  const { parameters } = tool;
  return isSchema(parameters) ? { ...toSpec(tool), parameters: schemaWithoutBound(tool, parameters) } : toSpec(tool);
}

type Run = (args: Params, context: CallContext) => Promise<ToolResult>;

/** Events, people and the transcript see the call as the model wrote it: bound values go in only where the work is done. */
function toolOf(
  declared: DeclaredTool,
  spec: ToolSpec,
  handle: Run,
  { validate, sequential }: Pick<Workshop, "validate" | "sequential">,
): Tool {
  const { name, kind } = declared;
  const label = kind === "prompty" ? { verb: "Delegate", subject: name } : { verb: name, subject: "" };
  return {
    ...spec,
    effect: "read",
    label: () => label,
    touches: () => ({ reads: [], writes: [], runs: sequential }),
    prepare(written) {
      const params = withoutBound(declared, written);
      const problems = validate(spec.parameters, params);
      if (problems.length > 0) {
        const content = [`The arguments of ${name} are wrong.`, ...problems].join("\n");
        return Promise.resolve({ kind: "refused", status: "failed", content });
      }
      // A prompt has limits of its own.
      const timeout = kind === "prompty" ? { timeout: null } : {};
      return Promise.resolve({
        kind: "prepared",
        params,
        label,
        ...timeout,
        run: (context) => handle(params, context),
      });
    },
  };
}
