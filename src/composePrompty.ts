// A .prompty with tools of its own, in the chat: the tools that it declares become the run's, and no others.
import { dirname, join } from "node:path";
import type { AgentFolder } from "./agents/catalog.ts";
import { asWritten, readPrompty } from "./agents/promptyChild.ts";
import { promptyTools, type Workshop } from "./agents/promptyTools.ts";
import type { ComposeOptions } from "./compose.ts";
import type { Tool } from "./engine/ports.ts";
import { validateJson } from "./tools/jsonSchema.ts";

/**
 * @param path of the .prompty
 * @param own the tools of the workspace: a function that it declares by the name of one is this one
 * @throws LoopError `agent_invalid`, or `tool_invalid` for a tool that nobody does the work of
 */
export async function declaredTools(
  path: string,
  own: readonly Tool[],
  { agentInputs, mcp }: Pick<ComposeOptions, "agentInputs"> & Pick<Workshop, "mcp">,
): Promise<readonly Tool[]> {
  const library = { env: asWritten, roots: [dirname(path)] };
  const { prompty } = await readPrompty(path, library);
  const usual = prompty.inputs.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  const standing = {
    agent: prompty,
    inputs: { ...Object.fromEntries(usual), ...agentInputs?.(path) },
    chain: { files: [path] },
  };
  const handlers = { names: {}, kinds: {} };
  return promptyTools(standing, { handlers, library, own, mcp, validate: validateJson, sequential: false });
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
