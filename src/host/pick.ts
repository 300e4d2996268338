// The lists and boxes a person picks from: agents, calls, tools.
import * as vscode from "vscode";
import type { AgentCatalog } from "../agents/catalog.ts";
import type { PendingCall } from "../engine/ports.ts";
import type { ToolInfo } from "../protocol/events.ts";
import type { Params } from "../protocol/messages.ts";
import { parseParams } from "./params.ts";
import type { OpenWorkspace } from "./workspace.ts";
import { inWords, told } from "./words.ts";

/** The picked agent's name, or undefined when the person left. */
export async function pickAgent({ composition }: OpenWorkspace, current: string): Promise<string | undefined> {
  const agents = await composition.agents.list();
  const items = agents.map((agent) => ({
    label: agent.name,
    id: agent.id,
    description: agent.id === current ? vscode.l10n.t("current") : "",
    detail: detailOf(agent),
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Agent"), matchOnDetail: true });
  return picked?.id;
}

function detailOf({ problems, warnings = [], description }: Awaited<ReturnType<AgentCatalog["list"]>>[number]): string {
  if (problems.length > 0) return `$(error) ${problems.map(told).join(" ")}`;
  return [told(description), ...warnings.map((warning) => `$(warning) ${told(warning)}`)].filter(Boolean).join(" ");
}

/** The picked call, or undefined when the person left. */
export async function pickCall(waiting: readonly PendingCall[]): Promise<PendingCall | undefined> {
  const items = waiting.map((call) => ({
    label: inWords(call.label),
    detail: told(call.why),
    call,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Waiting for you"),
    placeHolder: vscode.l10n.t("Which call?"),
  });
  return picked?.call;
}

/** The picked tool, or undefined when the person left. */
export async function pickTool(tools: readonly ToolInfo[], current: string): Promise<ToolInfo | undefined> {
  const items = tools.map((tool) => ({
    label: tool.name,
    description: tool.name === current ? vscode.l10n.t("the call’s own") : "",
    detail: tool.description,
    tool,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Replace by"),
    placeHolder: vscode.l10n.t("Which tool instead?"),
  });
  return picked?.tool;
}

/**
 * Asks for the parameters of a call, as JSON.
 * @param problem why the last ones were refused; `""` for the first
 * @returns undefined when the person left
 */
export async function enterParams(tool: ToolInfo, params: Params, problem: string): Promise<Params | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Replace by {0}", tool.name),
    prompt:
      problem === "" ? vscode.l10n.t("Its parameters, as JSON. It runs as soon as you confirm them.") : told(problem),
    value: JSON.stringify(params),
    ignoreFocusOut: true,
    validateInput: (entered) => {
      const parsed = parseParams(entered);
      return typeof parsed === "string" ? told(parsed) : null;
    },
  });
  const parsed = text === undefined ? undefined : parseParams(text);
  return typeof parsed === "string" ? undefined : parsed;
}
