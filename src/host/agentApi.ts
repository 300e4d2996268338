// What other extensions may do with Brain: run an agent with inputs and tools of their own, on the model that the person has chosen.
import * as vscode from "vscode";
import { asWritten } from "../agents/promptyChild.ts";
import { systemClock } from "../compose.ts";
import { startAgent, type AgentRun, type InvokeOptions } from "../invoke.ts";
import type { AgentObject, InvokeTools } from "../invokeParts.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import type { WorkspaceAccess } from "./workspace.ts";

/** What `activate` gives to other extensions. Stable: it only grows. */
export interface BrainApi {
  /** Runs an agent, as `invokeAgent` of the engine does. @throws AgentError */
  readonly invokeAgent: (...asked: Invocation) => Promise<unknown>;
  /** The same with events, the text as it is written, and how it ended as a value. @throws LoopError `untrusted_workspace` or `no_workspace` */
  readonly startAgent: (...asked: Invocation) => Promise<AgentRun>;
}

type Invocation = [agent: string | AgentObject, inputs?: Params, tools?: InvokeTools, options?: InvokeOptions];

/** Files stay in the workspace's folders; no variable of the environment is read. */
export function createAgentApi(workspace: Pick<WorkspaceAccess, "open">, log: (message: string) => void) {
  return (...[agent, inputs = {}, tools = {}, options = {}]: Invocation): AgentRun => {
    const { trusted, composition } = workspace.open();
    if (!trusted) throw new LoopError("untrusted_workspace", "Agents are not run in a folder that is not trusted.");
    const folders = vscode.workspace.workspaceFolders ?? [];
    const roots = folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
    const { outside, ports } = composition;
    const { model, tracer } = ports;
    const around = { model, library: { env: asWritten, roots }, outside, clock: systemClock, tracer, log };
    return startAgent(agent, inputs, tools, { around, options });
  };
}
