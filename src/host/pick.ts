// The lists and boxes a person picks from: agents, models, calls, tools, keys.
import * as vscode from "vscode";
import type { AgentCatalog } from "../agents/catalog.ts";
import type { PendingCall } from "../engine/ports.ts";
import { LoopError } from "../protocol/errors.ts";
import type { ToolInfo } from "../protocol/events.ts";
import type { Params } from "../protocol/messages.ts";
import { listModels } from "../providers/listModels.ts";
import { parseParams } from "./params.ts";
import type { Keys } from "./secrets.ts";
import { originOf } from "./secrets.ts";
import { readEndpoint, readSetting, writeSetting } from "./settings.ts";
import type { OpenWorkspace } from "./workspace.ts";

/** The picked agent's name, or undefined when the person left. */
export async function pickAgent({ composition }: OpenWorkspace, current: string): Promise<string | undefined> {
  const agents = await composition.agents.list();
  const items = agents.map((agent) => ({
    label: agent.name,
    id: agent.id,
    description: agent.id === current ? "current" : "",
    detail: detailOf(agent),
  }));
  const picked = await vscode.window.showQuickPick(items, { title: "Agent", matchOnDetail: true });
  return picked?.id;
}

function detailOf({ problems, warnings = [], description }: Awaited<ReturnType<AgentCatalog["list"]>>[number]): string {
  if (problems.length > 0) return `$(error) ${problems.join(" ")}`;
  return [description, ...warnings.map((warning) => `$(warning) ${warning}`)].filter(Boolean).join(" ");
}

/** The picked call, or undefined when the person left. */
export async function pickCall(waiting: readonly PendingCall[]): Promise<PendingCall | undefined> {
  const items = waiting.map((call) => ({
    label: `${call.label.verb} ${call.label.subject}`,
    detail: call.why,
    call,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: "Waiting for you", placeHolder: "Which call?" });
  return picked?.call;
}

/** The picked tool, or undefined when the person left. */
export async function pickTool(tools: readonly ToolInfo[], current: string): Promise<ToolInfo | undefined> {
  const items = tools.map((tool) => ({
    label: tool.name,
    description: tool.name === current ? "the call’s own" : "",
    detail: tool.description,
    tool,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: "Replace by", placeHolder: "Which tool instead?" });
  return picked?.tool;
}

/**
 * Asks for the parameters of a call, as JSON.
 * @param problem why the last ones were refused; `""` for the first
 * @returns undefined when the person left
 */
export async function enterParams(tool: ToolInfo, params: Params, problem: string): Promise<Params | undefined> {
  const text = await vscode.window.showInputBox({
    title: `Replace by ${tool.name}`,
    prompt: problem === "" ? "Its parameters, as JSON. It runs as soon as you confirm them." : problem,
    value: JSON.stringify(params),
    ignoreFocusOut: true,
    validateInput: (entered) => {
      const parsed = parseParams(entered);
      return typeof parsed === "string" ? parsed : null;
    },
  });
  const parsed = text === undefined ? undefined : parseParams(text);
  return typeof parsed === "string" ? undefined : parsed;
}

/** Lets a person choose the scripted model or one of the endpoint's, or name another endpoint. */
export async function pickModel(keys: Keys): Promise<void> {
  const baseUrl = readEndpoint();
  const demo = {
    label: "Demo",
    description: "scripted: no key, no network",
    run: () => writeSetting("provider", "demo"),
  };
  const other = {
    label: "$(link) Another address…",
    description: "any server that speaks OpenAI Chat Completions",
    run: () => enterBaseUrl(keys),
  };
  const byName = { label: "$(edit) Enter a model name…", description: originOf(baseUrl), run: enterModel };
  const picker = vscode.window.createQuickPick<{ label: string; description: string; run: () => Promise<void> }>();
  picker.title = "Model";
  picker.placeholder = `Asking ${originOf(baseUrl)} for its models…`;
  picker.busy = true;
  picker.items = [demo, byName, other];
  const leaving = new AbortController();
  picker.onDidHide(() => leaving.abort());
  picker.show();
  const chosen = new Promise<(() => Promise<void>) | undefined>((resolve) => {
    picker.onDidAccept(() => resolve(picker.selectedItems[0]?.run));
    leaving.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  try {
    const names = await listModels({ baseUrl, apiKey: await keys.get(baseUrl) }, leaving.signal);
    const models = names.map((name) => ({ label: name, description: originOf(baseUrl), run: () => useModel(name) }));
    picker.items = [demo, ...models, byName, other];
    picker.placeholder = "Which model?";
  } catch (error) {
    picker.placeholder = error instanceof LoopError ? error.message : "The endpoint did not list its models.";
  }
  picker.busy = false;
  const run = await chosen;
  picker.dispose();
  await run?.();
}

async function useModel(name: string): Promise<void> {
  await writeSetting("model", name);
  if (readSetting("provider") === "demo") await writeSetting("provider", "openai-chat");
}

async function enterModel(): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: "Model",
    prompt: "The model's name, as its endpoint knows it",
  });
  if (name !== undefined && name.trim() !== "") await useModel(name.trim());
}

async function enterBaseUrl(keys: Keys): Promise<void> {
  const value = await vscode.window.showInputBox({
    title: "Address",
    prompt: "Address of the endpoint, usually ending in /v1",
    placeHolder: "http://127.0.0.1:11434/v1",
    validateInput: (text) => (URL.canParse(text) && /^https?:/.test(text) ? null : "This is no web address."),
  });
  if (value === undefined) return;
  await writeSetting("baseUrl", value.trim());
  await pickModel(keys);
}

/** Asks for a key and keeps it for the endpoint of the settings. True when one was given. */
export async function enterKey(keys: Keys): Promise<boolean> {
  const baseUrl = readEndpoint();
  const key = await vscode.window.showInputBox({
    title: "API Key",
    prompt: `Key for ${originOf(baseUrl)}. It is kept in the editor's secret storage and sent nowhere else.`,
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === "") return false;
  await keys.set(baseUrl, key.trim());
  return true;
}
