// What each palette command does. The compiler completes the table: a command without a handler does not build.
import * as vscode from "vscode";
import type { CommandName } from "../protocol/commands.ts";
import { masksOf } from "../protocol/view.ts";
import { runThisAgent, type createPreviews, type GivenInputs } from "./agentRuns.ts";
import type { Chat } from "./chat.ts";
import { createDecisions, focusPanel, type DecisionParts } from "./decisions.ts";
import { mayLeave } from "./leave.ts";
import { mentionsOf } from "./mentioned.ts";
import type { Models } from "./models.ts";
import type { PanelPlaces } from "./panelPlaces.ts";
import { pickAgent } from "./pick.ts";
import { askAbout, type ProblemTask } from "./problemActions.ts";
import type { Revealing } from "./revealing.ts";
import type { createChangesCommands } from "./changesCommands.ts";
import type { createReviewCommands } from "./reviewCommands.ts";
import type { ServerAllowances } from "./serverAllowances.ts";
import { showServers } from "./servers.ts";
import { createSessionCommands } from "./sessionCommands.ts";
import { selectedIn } from "./selection.ts";
import { mentionOf } from "../tools/mentions.ts";
import type { Terminals } from "./terminal.ts";
import { undoLastRun } from "./undoing.ts";
import type { WorkspaceAccess } from "./workspace.ts";

export type CommandHandlers = {
  readonly [C in CommandName]: (argument?: unknown, ...more: readonly unknown[]) => unknown;
};

export interface CommandParts extends DecisionParts {
  readonly chat: Chat;
  readonly workspace: WorkspaceAccess;
  readonly models: Models;
  readonly terminals: Terminals;
  readonly revealing: Revealing;
  readonly showLog: () => void;
  /** Where the panel is. */
  readonly places: PanelPlaces;
  readonly review: ReturnType<typeof createReviewCommands>;
  readonly changes: ReturnType<typeof createChangesCommands>;
  readonly given: GivenInputs;
  readonly previews: ReturnType<typeof createPreviews>;
  readonly allowances: ServerAllowances;
}

export function createCommands(parts: CommandParts): CommandHandlers {
  const { chat, workspace, models } = parts;
  return {
    runAgent: (argument) => runAgent(parts, argument),
    newSession: async () => {
      if (!(await mayLeave(chat))) return;
      await chat.newSession();
      await focusPanel();
      parts.ask({ type: "composer:focus" });
    },
    addToChat: async (...given) => {
      const text = addedOf(given);
      if (text === "") return;
      await focusPanel();
      parts.ask({ type: "composer:insert", text });
    },
    fixProblem: (given) => writeAbout(parts, "fix", given),
    explainProblem: (given) => writeAbout(parts, "explain", given),
    focusChat: async (id) => {
      await parts.places.focus();
      if (typeof id === "string") parts.ask({ type: "call:focus", toolCallId: id, part: "row" });
    },
    openInEditor: () => parts.places.openInEditor(),
    ...createSessionCommands(parts),
    stop: () => chat.stop(),
    steerRun: (argument) => steerRun(chat, argument),
    ...createDecisions(parts),
    ...parts.review,
    ...parts.changes,
    showInTerminal: () => showInTerminal(parts),
    revealMasked: () => revealMasked(parts),
    undoRun: (argument) => undoLastRun(parts, argument),
    showTrace: () => showTrace(parts),
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
    mcpServers: () => showServers(parts),
    setUpModel: () => models.setUp(),
    selectModel: () => models.pick(),
    setApiKey: async () => {
      if (await models.enterKey()) await chat.refresh();
    },
    removeApiKey: async () => {
      await models.removeKey();
      await chat.refresh();
    },
    openSettings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:brain-agent.brain-agent"),
    showLog: () => parts.showLog(),
  };
}

/** Begins a message about problems of a file. */
async function writeAbout({ ask }: CommandParts, task: ProblemTask, given: unknown): Promise<void> {
  const text = askAbout(task, given);
  if (text === null) return;
  await focusPanel();
  ask({ type: "composer:insert", text });
}

/** What the explorer hands over: the file that was clicked, and all that are selected; else what is selected in the editor. */
function addedOf([clicked, selected]: readonly unknown[]): string {
  const given = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  const uris = given.filter((one) => one instanceof vscode.Uri);
  const lines = selectedIn(vscode.window.activeTextEditor);
  if (lines && uris.length <= 1) return mentionOf({ name: lines.path, lines });
  const { document } = vscode.window.activeTextEditor ?? {};
  return mentionsOf(uris.length > 0 || !document ? uris : [document.uri]);
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
  const options = {
    title: vscode.l10n.t("Run {0}", agent),
    prompt: vscode.l10n.t("What should it do?"),
    value,
    ignoreFocusOut: value !== "",
  };
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
  if (!chat.running()) return void vscode.window.showInformationMessage(vscode.l10n.t("No run is going on."));
  const options = {
    title: vscode.l10n.t("Steer Run"),
    prompt: vscode.l10n.t("The agent reads it before it goes on."),
    ignoreFocusOut: true,
  };
  const message = requestOf(argument).message ?? (await vscode.window.showInputBox(options));
  if (message !== undefined && message.trim() !== "") await chat.submit(message, "steer");
}

/** The command that was started last. */
function showInTerminal({ fold, terminals }: CommandParts): void {
  const items = fold.view().turns.flatMap((turn) => turn.items);
  const last = items.findLast((item) => item.kind === "call" && item.preview?.kind === "command");
  if (last) terminals.show(last.id);
  else void vscode.window.showInformationMessage(vscode.l10n.t("No command has run in this session."));
}

/** Opens the trace of the run that began last. */
async function showTrace({ fold, ask }: CommandParts): Promise<void> {
  const last = fold.view().turns.at(-1);
  if (!last) return void vscode.window.showInformationMessage(vscode.l10n.t("Nothing has run in this session."));
  await focusPanel();
  ask({ type: "trace:show", runId: last.runId });
}

/** The masked result that came last. */
async function revealMasked({ fold, revealing }: CommandParts): Promise<void> {
  const items = fold.view().turns.flatMap((turn) => turn.items);
  const last = items.findLast((item) => item.kind === "call" && masksOf(item).length > 0);
  if (last) await revealing.reveal(last.id);
  else void vscode.window.showInformationMessage(vscode.l10n.t("Nothing is masked in the results of this session."));
}

async function compactConversation(chat: Chat): Promise<void> {
  const busy = vscode.l10n.t("A run is going on here. The conversation can be compacted when it has ended.");
  if (chat.running()) return void vscode.window.showInformationMessage(busy);
  const prompt = vscode.l10n.t("What should the summary pay attention to? May be left empty.");
  const instructions = await vscode.window.showInputBox({ title: vscode.l10n.t("Compact Conversation"), prompt });
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
  void vscode.window.showInformationMessage(
    trusted
      ? vscode.l10n.t(
          "There is no memory yet. Ask Brain to remember something, and it will be kept in .brain/MEMORY.md.",
        )
      : vscode.l10n.t("There is no memory yet. In Restricted Mode Brain keeps none."),
  );
}

const agentForms = [
  { label: "AGENT.md", as: "agent", detail: vscode.l10n.t("In plain words: who it is, what it may use, its limits.") },
  { label: ".prompty", as: "prompty", detail: vscode.l10n.t("A template with inputs, and prompts as tools.") },
] as const;

async function createAgent(workspace: WorkspaceAccess): Promise<void> {
  const { composition, trusted } = workspace.open();
  if (!trusted)
    return void vscode.window.showWarningMessage(vscode.l10n.t("Trust this folder to create agents in it."));
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t("Create Agent"),
    prompt: vscode.l10n.t("Its name"),
    placeHolder: "reviewer",
  });
  if (name === undefined || name.trim() === "") return;
  const form = await vscode.window.showQuickPick(agentForms, {
    title: vscode.l10n.t("Create Agent"),
    placeHolder: vscode.l10n.t("Written as"),
  });
  if (!form) return;
  const file = await composition.agents.create(name.trim(), form.as);
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}
