// A .prompty with tools of its own, in the chat: the tools that it declares become the run's, and no others.
import { dirname, join } from "node:path";
import type { AgentFolder } from "./agents/catalog.ts";
import type { Outside } from "./agents/openapiTools.ts";
import { asWritten, readPrompty } from "./agents/promptyChild.ts";
import { promptyTools, type Workshop } from "./agents/promptyTools.ts";
import type { ComposeOptions } from "./compose.ts";
import type { Tool } from "./engine/ports.ts";
import { validateJson } from "./tools/jsonSchema.ts";

interface PromptTools {
  readonly outside: Outside;
  readonly mcp: Workshop["mcp"];
  /** The same tool, without secrets in its results. */
  readonly finished: (tool: Tool) => Tool;
}

/**
 * @param path of the .prompty
 * @param own the tools of the workspace: a function that it declares by the name of one is this one
 * @throws LoopError `agent_invalid`, or `tool_invalid` for a tool that nobody does the work of
 */
export async function declaredTools(
  path: string,
  own: readonly Tool[],
  { agentInputs, trusted }: Pick<ComposeOptions, "agentInputs" | "trusted">,
  { outside, mcp, finished }: PromptTools,
): Promise<readonly Tool[]> {
  const library = { env: asWritten, roots: [dirname(path)] };
  const { prompty, variables } = await readPrompty(path, library);
  const usual = prompty.inputs.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  const standing = {
    agent: prompty,
    inputs: { ...Object.fromEntries(usual), ...agentInputs?.(path) },
    chain: { files: [path], variables },
  };
  const handlers = { names: {}, kinds: {} };
  // The workspace's own are finished already, and what prompts answer was made from such results.
  const guard = (tool: Tool): Tool => (tool.effect === "read" || own.includes(tool) ? tool : finished(tool));
  const workshop = { handlers, library, own, mcp, validate: validateJson, guard, sequential: false };
  return promptyTools(standing, { ...workshop, ...(trusted && { outside }) });
}

/** Where agents are beside the `.brain` folder: first what the workspace has for other tools, then the person's own. */
export function agentFolders({
  root,
  trusted,
  agentFolders: own,
}: Pick<ComposeOptions, "root" | "trusted" | "agentFolders">): readonly AgentFolder[] {
  const shared = { path: join(root, ".github", "agents"), name: ".github/agents", foreign: true };
  const folders = own?.() ?? [];
  return [...(trusted ? [shared] : []), ...folders.map((path) => ({ path, name: path, foreign: true }))];
}
