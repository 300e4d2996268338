// The list of tools.
import type { Prepared, Refusal, Tool, ToolResult } from "../engine/ports.ts";
import { loopDefaults } from "../protocol/config.ts";
import { settings } from "../protocol/settings.ts";
import { cutAfter, cutBefore } from "./cuts.ts";
import { applyPatchTool } from "./applyPatch.ts";
import { deleteFileTool } from "./deleteFile.ts";
import { editFileTool } from "./editFile.ts";
import { editNotebookTool } from "./editNotebook.ts";
import { listFilesTool } from "./listFiles.ts";
import { moveFileTool } from "./moveFile.ts";
import { readFileTool } from "./readFile.ts";
import { readOutputTool } from "./readOutput.ts";
import { runAgentTool, type AgentName } from "./runAgent.ts";
import { runCommandTool, type CommandLimits } from "./runCommand.ts";
import { searchTextTool } from "./searchText.ts";
import { stopCommandTool } from "./stopCommand.ts";
import { updateMemoryTool } from "./updateMemory.ts";
import { updateTodosTool } from "./updateTodos.ts";
import type { Workspace } from "./workspace.ts";
import { writeFileTool } from "./writeFile.ts";

/** Characters of one result that the model reads; more would push the conversation out of its window. */
const mostCharacters = 60_000;
const headCharacters = 40_000;

interface ToolOptions extends Partial<CommandLimits> {
  /** Who can be given a part of the task; nobody: there is no tool for it. */
  readonly agents?: readonly AgentName[];
}

/** All tools of a workspace. */
export function createTools(
  workspace: Workspace,
  {
    commandTimeout = loopDefaults.toolTimeout,
    idleTimeout = settings.commandIdleTimeout.default,
    agents = [],
  }: ToolOptions = {},
): readonly Tool[] {
  return [
    readFileTool,
    writeFileTool,
    editFileTool,
    applyPatchTool,
    editNotebookTool,
    deleteFileTool,
    moveFileTool,
    listFilesTool,
    searchTextTool,
    (place: Workspace) => runCommandTool(place, { commandTimeout, idleTimeout }),
    readOutputTool,
    stopCommandTool,
    updateMemoryTool,
    updateTodosTool,
    ...(agents.length > 0 ? [() => runAgentTool(agents)] : []),
  ].map((make) => inPlace(make, workspace));
}

function inPlace(make: (place: Workspace) => Tool, place: Workspace): Tool {
  return {
    ...withShortResults(make(place)),
    narrowed: (rules) => inPlace(make, { ...place, scope: place.scope.narrowed(rules) }),
  };
}

/** The same tool, with results that leave room in the conversation. */
export function withShortResults(tool: Tool): Tool {
  const short = (ready: Prepared | Refusal): Prepared | Refusal => {
    if (ready.kind === "refused") return { ...ready, content: shortened(ready.content) };
    const { revised } = ready;
    return {
      ...ready,
      run: async (context) => shortResult(await ready.run(context)),
      ...(revised && { revised: (texts) => short(revised(texts)) }),
    };
  };
  return { ...tool, prepare: async (...asked) => short(await tool.prepare(...asked)) };
}

function shortResult(result: ToolResult): ToolResult {
  return { ...result, content: shortened(result.content) };
}

function shortened(content: string): string {
  if (content.length <= mostCharacters) return content;
  const head = content.slice(0, cutBefore(content, headCharacters));
  const tail = content.slice(cutAfter(content, content.length - mostCharacters + headCharacters));
  const left = content.length - head.length - tail.length;
  const rest =
    "to read it, ask for less at once: read_file takes offset and limit, a command can end in | head, | tail or | grep";
  // A cut may fall between the two halves of a character.
  return `${head}\n[… ${left} characters left out here; ${rest} …]\n${tail}`.replaceAll(/\p{Cs}/gu, "");
}
