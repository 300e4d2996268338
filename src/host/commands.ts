// What each palette command does. The compiler completes the table: a command without a handler does not build.
import * as vscode from "vscode";
import type { PendingCall } from "../engine/ports.ts";
import type { CommandName } from "../protocol/commands.ts";
import type { ToWebview } from "../protocol/wire.ts";
import type { Approvals } from "./approvals.ts";
import type { Chat } from "./chat.ts";
import { enterKey, pickAgent, pickCall, pickModel, pickSession } from "./pick.ts";
import type { Keys } from "./secrets.ts";
import { readSetting } from "./settings.ts";
import type { WorkspaceAccess } from "./workspace.ts";

export type CommandHandlers = { readonly [C in CommandName]: (argument?: unknown) => unknown };

export interface CommandParts {
  readonly chat: Chat;
  readonly workspace: WorkspaceAccess;
  readonly approvals: Approvals;
  readonly keys: Keys;
  readonly ask: (message: ToWebview) => void;
  readonly showLog: () => void;
}

export function createCommands(parts: CommandParts): CommandHandlers {
  const { chat, workspace, approvals, keys } = parts;
  return {
    runAgent: (argument) => runAgent(parts, argument),
    newSession: async () => {
      if (!(await mayLeave(chat))) return;
      await chat.newSession();
      await focusPanel();
      parts.ask({ type: "composer:focus" });
    },
    openSession: async () => {
      const id = await pickSession(workspace.open());
      if (id === undefined || !(await mayLeave(chat))) return;
      await chat.openSession(id);
      await focusPanel();
    },
    stop: () => chat.stop(),
    approveCall: (id) => withCall(approvals, id, (call) => approve(approvals, call)),
    approveAll: () => approvals.waiting().map((call) => approvals.decide(call.toolCallId, { kind: "approve" })),
    modifyCall: (id) => withCall(approvals, id, (call) => focusCall(parts, call.toolCallId, "modify")),
    rejectCall: (id) => withCall(approvals, id, (call) => reject(approvals, call)),
    openMemory: () => openMemory(workspace),
    createAgent: () => createAgent(workspace),
    selectAgent: async () => {
      const name = await pickAgent(workspace.open(), chat.agent());
      if (name !== undefined) await chat.pickAgent(name);
    },
    selectModel: () => pickModel(keys),
    setApiKey: async () => {
      if (await enterKey(keys)) await chat.refresh();
    },
    removeApiKey: async () => {
      await keys.remove(readSetting("baseUrl"));
      await chat.refresh();
      void vscode.window.showInformationMessage("The key for this endpoint was removed.");
    },
    openSettings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:brain-agent.brain-agent"),
    showLog: () => parts.showLog(),
  };
}

/** A run ends with its session's leaving the panel: that is for the person to decide. */
async function mayLeave(chat: Chat): Promise<boolean> {
  if (!chat.running()) return true;
  const stop = "Stop the Run";
  const detail = "What it has done so far is kept in its session.";
  return (await vscode.window.showWarningMessage("A run is going on here.", { modal: true, detail }, stop)) === stop;
}

function focusPanel(): Thenable<unknown> {
  return vscode.commands.executeCommand("brain.chat.focus");
}

/** `{ agent, message }` from a key binding or a task runs at once; without them a person is asked. */
async function runAgent({ chat, workspace }: CommandParts, argument: unknown): Promise<unknown> {
  const given = requestOf(argument);
  const agent =
    given.agent ?? (given.message === undefined ? await pickAgent(workspace.open(), chat.agent()) : chat.agent());
  if (agent === undefined) return undefined;
  const message =
    given.message ?? (await vscode.window.showInputBox({ title: `Run ${agent}`, prompt: "What should it do?" }));
  if (message === undefined || message.trim() === "") return undefined;
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

/** The named call, the only one that waits, or the one a person picks: nobody decides about what they have not seen. */
async function withCall<T>(
  approvals: Approvals,
  id: unknown,
  act: (call: PendingCall) => T | Promise<T>,
): Promise<T | undefined> {
  const waiting = approvals.waiting();
  if (waiting.length === 0) return void vscode.window.showInformationMessage("No call waits for you.");
  const call = typeof id === "string" ? waiting.find(({ toolCallId }) => toolCallId === id) : await theOneOf(waiting);
  return call ? act(call) : undefined;
}

async function theOneOf(waiting: readonly PendingCall[]): Promise<PendingCall | undefined> {
  return waiting.length > 1 ? pickCall(waiting) : waiting[0];
}

function approve(approvals: Approvals, { toolCallId, label }: PendingCall): boolean {
  const approved = approvals.decide(toolCallId, { kind: "approve" });
  if (approved) vscode.window.setStatusBarMessage(`Brain: approved “${label.verb} ${label.subject}”`, 5_000);
  return approved;
}

async function focusCall({ ask }: CommandParts, toolCallId: string, part: "modify" | "reject" | "row"): Promise<void> {
  await focusPanel();
  ask({ type: "call:focus", toolCallId, part });
}

async function reject(approvals: Approvals, { toolCallId, label }: PendingCall): Promise<void> {
  const reason = await vscode.window.showInputBox({
    title: `Reject: ${label.verb} ${label.subject}`,
    prompt: "Why? The agent reads it. May be left empty.",
  });
  if (reason === undefined) return;
  approvals.decide(toolCallId, { kind: "reject", ...(reason.trim() !== "" && { reason: reason.trim() }) });
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

async function createAgent(workspace: WorkspaceAccess): Promise<void> {
  const { composition, trusted } = workspace.open();
  if (!trusted) return void vscode.window.showWarningMessage("Trust this folder to create agents in it.");
  const name = await vscode.window.showInputBox({ title: "Create Agent", prompt: "Its name", placeHolder: "reviewer" });
  if (name === undefined || name.trim() === "") return;
  const file = await composition.agents.create(name.trim());
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}
