// What each palette command does. The compiler completes the table: a command without a handler does not build.
import * as vscode from "vscode";
import type { CommandName } from "../protocol/commands.ts";
import { runThisAgent, type createPreviews, type GivenInputs } from "./agentRuns.ts";
import type { Chat } from "./chat.ts";
import { createDecisions, focusPanel, type DecisionParts } from "./decisions.ts";
import { mayLeave } from "./leave.ts";
import { enterKey, pickAgent, pickModel } from "./pick.ts";
import type { createReviewCommands } from "./reviewCommands.ts";
import type { Keys } from "./secrets.ts";
import { createSessionCommands } from "./sessionCommands.ts";
import { readEndpoint } from "./settings.ts";
import type { Terminals } from "./terminal.ts";
import { undoLastRun } from "./undoing.ts";
import type { WorkspaceAccess } from "./workspace.ts";

export type CommandHandlers = { readonly [C in CommandName]: (argument?: unknown) => unknown };

export interface CommandParts extends DecisionParts {
  readonly chat: Chat;
  readonly workspace: WorkspaceAccess;
  readonly keys: Keys;
  readonly terminals: Terminals;
  readonly showLog: () => void;
  readonly review: ReturnType<typeof createReviewCommands>;
  readonly given: GivenInputs;
  readonly previews: ReturnType<typeof createPreviews>;
}

export function createCommands(parts: CommandParts): CommandHandlers {
  const { chat, workspace, keys } = parts;
  return {
    runAgent: (argument) => runAgent(parts, argument),
    newSession: async () => {
      if (!(await mayLeave(chat))) return;
      await chat.newSession();
      await focusPanel();
      parts.ask({ type: "composer:focus" });
    },
    ...createSessionCommands(parts),
    stop: () => chat.stop(),
    steerRun: (argument) => steerRun(chat, argument),
    ...createDecisions(parts),
    ...parts.review,
    showInTerminal: () => showInTerminal(parts),
    undoRun: (argument) => undoLastRun(parts, argument),
    compactConversation: () => compactConversation(chat),
    openMemory: () => openMemory(workspace),
    createAgent: () => createAgent(workspace),
    runThisAgent: (argument) =>
      runThisAgent({ ...parts, run: (agent, value) => runNamed(parts, agent, value) }, argument),
    previewAgent: (argument) => parts.previews.show(argument),
    selectAgent: async () => {
      const name = await pickAgent(workspace.open(), chat.agent());
      if (name !== undefined) await chat.pickAgent(name);
    },
    selectModel: () => pickModel(keys),
    setApiKey: async () => {
      if (await enterKey(keys)) await chat.refresh();
    },
    removeApiKey: async () => {
      await keys.remove(readEndpoint());
      await chat.refresh();
      void vscode.window.showInformationMessage("The key for this endpoint was removed.");
    },
    openSettings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:brain-agent.brain-agent"),
    showLog: () => parts.showLog(),
  };
}

/** `{ agent, message }` from a key binding or a task runs at once; without them a person is asked. */
async function runAgent({ chat, workspace }: CommandParts, argument: unknown): Promise<unknown> {
  const given = requestOf(argument);
  const agent =
    given.agent ?? (given.message === undefined ? await pickAgent(workspace.open(), chat.agent()) : chat.agent());
  if (agent === undefined) return undefined;
  return given.message === undefined ? runNamed({ chat }, agent, "") : submitTo(chat, agent, given.message);
}

/** @param value what the message may be */
async function runNamed({ chat }: Pick<CommandParts, "chat">, agent: string, value: string): Promise<unknown> {
  const options = { title: `Run ${agent}`, prompt: "What should it do?", value, ignoreFocusOut: value !== "" };
  const message = await vscode.window.showInputBox(options);
  return message === undefined ? undefined : submitTo(chat, agent, message);
}

async function submitTo(chat: Chat, agent: string, message: string): Promise<unknown> {
  if (message.trim() === "") return undefined;
  if (agent !== chat.agent()) await chat.pickAgent(agent);
  await focusPanel();
  return chat.submit(message);
}

function requestOf(argument: unknown): { agent?: string; message?: string } {
  if (typeof argument !== "object" || argument === null) return {};
  const agent = "agent" in argument && typeof argument.agent === "string" ? argument.agent : undefined;
  const message = "message" in argument && typeof argument.message === "string" ? argument.message : undefined;
  return { ...(agent !== undefined && { agent }), ...(message !== undefined && { message }) };
}

/** `{ message }` from a key binding goes into the run at once; without it a person is asked. */
async function steerRun(chat: Chat, argument: unknown): Promise<void> {
  if (!chat.running()) return void vscode.window.showInformationMessage("No run is going on.");
  const options = { title: "Steer Run", prompt: "The agent reads it before it goes on.", ignoreFocusOut: true };
  const message = requestOf(argument).message ?? (await vscode.window.showInputBox(options));
  if (message !== undefined && message.trim() !== "") await chat.submit(message, "steer");
}

/** The command that was started last. */
function showInTerminal({ fold, terminals }: CommandParts): void {
  const items = fold.view().turns.flatMap((turn) => turn.items);
  const last = items.findLast((item) => item.kind === "call" && item.preview?.kind === "command");
  if (last) terminals.show(last.id);
  else void vscode.window.showInformationMessage("No command has run in this session.");
}

async function compactConversation(chat: Chat): Promise<void> {
  const busy = "A run is going on here. The conversation can be compacted when it has ended.";
  if (chat.running()) return void vscode.window.showInformationMessage(busy);
  const prompt = "What should the summary pay attention to? May be left empty.";
  const instructions = await vscode.window.showInputBox({ title: "Compact Conversation", prompt });
  if (instructions === undefined) return;
  await focusPanel();
  await chat.compact(instructions);
}

async function openMemory(workspace: WorkspaceAccess): Promise<void> {
  const { composition, trusted } = workspace.open();
  const file = vscode.Uri.file(composition.memory.path);
  const exists = await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (exists) return void (await vscode.window.showTextDocument(file));
  const hint = trusted
    ? "Ask Brain to remember something, and it will be kept in .brain/MEMORY.md."
    : "In Restricted Mode Brain keeps none.";
  void vscode.window.showInformationMessage(`There is no memory yet. ${hint}`);
}

const agentForms = [
  { label: "AGENT.md", as: "agent", detail: "In plain words: who it is, what it may use, its limits." },
  { label: ".prompty", as: "prompty", detail: "A template with inputs, and prompts as tools." },
] as const;

async function createAgent(workspace: WorkspaceAccess): Promise<void> {
  const { composition, trusted } = workspace.open();
  if (!trusted) return void vscode.window.showWarningMessage("Trust this folder to create agents in it.");
  const name = await vscode.window.showInputBox({ title: "Create Agent", prompt: "Its name", placeHolder: "reviewer" });
  if (name === undefined || name.trim() === "") return;
  const form = await vscode.window.showQuickPick(agentForms, { title: "Create Agent", placeHolder: "Written as" });
  if (!form) return;
  const file = await composition.agents.create(name.trim(), form.as);
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}
