// What the panel may ask for, and who does it: one line each.
import * as vscode from "vscode";
import { systemClock as clock } from "../compose.ts";
import type { CommandName } from "../protocol/commands.ts";
import type { SessionAct } from "../protocol/sessions.ts";
import type { Trace } from "../protocol/trace.ts";
import type { ToWebview } from "../protocol/wire.ts";
import { nameRoots, rootNamed } from "../scope/roots.ts";
import type { Allowing } from "./allowing.ts";
import type { Approvals } from "./approvals.ts";
import type { Handlers } from "./bridge.ts";
import type { Chat } from "./chat.ts";
import type { Fold } from "./fold.ts";
import { createFinding } from "./finding.ts";
import type { FollowedDraft } from "./leftDrafts.ts";
import { createForking } from "./forking.ts";
import type { Revealing } from "./revealing.ts";
import type { Reviews } from "./reviews.ts";
import { mentionsOf } from "./mentioned.ts";
import { applyCode, type ApplyParts } from "./applyCode.ts";
import { insertCode, openCode } from "./code.ts";
import { sendAgain } from "./sendAgain.ts";
import type { SessionsPage } from "./sessionsPage.ts";
import type { Selection } from "./selection.ts";
import { createSuggestions } from "./suggestions.ts";
import type { Terminals } from "./terminal.ts";
import { readTrace } from "./traces.ts";
import { undoChanges } from "./undoing.ts";
import type { WorkspaceAccess } from "./workspace.ts";

export interface IntentionParts extends ApplyParts {
  readonly chat: Chat;
  readonly fold: Fold;
  readonly workspace: WorkspaceAccess;
  readonly approvals: Approvals;
  readonly reviews: Reviews;
  readonly terminals: Terminals;
  readonly revealing: Revealing;
  readonly allowing: Allowing;
  readonly page: SessionsPage;
  readonly draft: FollowedDraft;
  readonly selection: Selection;
  readonly ask: (message: ToWebview) => void;
}

export function createIntentions(parts: IntentionParts): Handlers {
  const { chat, fold, workspace, approvals, reviews, terminals, allowing, ask } = parts;
  const suggestions = createSuggestions(workspace);
  const forking = createForking(chat, ask);
  const sessions = () => workspace.open().composition.sessions;
  return {
    "panel:ready": () => beginPage(parts),
    "prompt:submit": async ({ text, how, parts }) => void (await chat.submit(text, how, parts)),
    "panel:draft": (draft) => parts.draft.keep(draft),
    "session:earlier": () => chat.showEarlier(),
    "session:takeOver": () => chat.takeOver(),
    "sessions:find": ({ type: _type, ...asked }) => parts.page.find(asked),
    "sessions:close": () => parts.page.close(),
    "session:do": async ({ type: _type, act, ...about }) => {
      const { command, ...given } = sessionActs[act];
      await vscode.commands.executeCommand(`brain.${command}`, { from: "page", ...about, ...given });
      await parts.page.look();
    },
    "session:pin": async ({ session, pinned }) => {
      await fold.guard(() => sessions().pin(session, pinned));
      await parts.page.look();
    },
    ...createFinding({ sessions, view: fold.view, reach: (runId) => chat.showRun(runId), clock, ask }),
    "queue:remove": ({ id }) => chat.removeQueued(id),
    "queue:edit": ({ id, text }) => chat.editQueued(id, text),
    "queue:move": ({ id, by }) => chat.moveQueued(id, by),
    "queue:send": ({ id, how }) => chat.sendQueued(id, how),
    "message:edit": ({ messageId }) => forking.edit(messageId),
    "message:fork": ({ messageId }) => forking.fork(messageId),
    "message:again": (message) => sendAgain({ chat, fold, sessions }, message),
    "call:decide": ({ toolCallId, decision }) => void approvals.decide(toolCallId, decision),
    "hunk:decide": ({ toolCallId, hunkId, state }) => reviews.decide(toolCallId, hunkId, state),
    "call:review": ({ toolCallId }) => reviewCall(toolCallId),
    "call:input": ({ toolCallId, text }) => void approvals.type(toolCallId, text === null ? null : `${text}\n`),
    "call:terminal": ({ toolCallId }) => terminals.show(toolCallId),
    "call:reveal": ({ toolCallId }) => parts.revealing.reveal(toolCallId),
    "call:release": ({ toolCallId }) => workspace.open().composition.commands.release(toolCallId),
    "command:stop": async ({ id }) => void (await workspace.open().composition.commands.stop(id)),
    "call:allow": async ({ toolCallId, offer, scope }) => void (await allowing.allow(toolCallId, offer, scope)),
    "plan:decide": ({ planId, decision }) => void approvals.decidePlan(planId, decision),
    "pause:choose": ({ choice }) => void approvals.choosePause(choice),
    "context:edit": ({ compactionId, summary }) => chat.reviseCompaction(compactionId, summary),
    "context:undo": ({ compactionId }) => chat.reviseCompaction(compactionId, null),
    "todos:edit": ({ edit }) => chat.editTodos(edit),
    "changes:undo": async ({ type: _type, ...target }) => void (await undoChanges({ chat, fold, workspace }, target)),
    "run:stop": () => chat.stop(),
    "trace:read": async ({ runId }) => ask({ type: "trace", runId, trace: await traced(parts, runId) }),
    "file:open": ({ path, line }) => openFile(workspace, path, line),
    "link:open": async ({ url }) => openLink(url),
    "text:copy": async ({ text }) => vscode.env.clipboard.writeText(text),
    "code:use": ({ how, use, ...code }) =>
      codeUses[how](code, parts, (state) => ask({ type: "code:used", use, state })),
    suggest: async ({ sigil, text, number }) =>
      ask({ type: "suggested", number, found: await suggestions.find(sigil, text) }),
    "files:drop": ({ uris }) =>
      ask({ type: "composer:insert", text: mentionsOf(uris.map((uri) => vscode.Uri.parse(uri))) }),
    "command:run": async ({ command }) =>
      void (await vscode.commands.executeCommand(otherCommands[command] ?? `brain.${command}`)),
  };
}

/** What a page that has just been loaded does not know of, beside the snapshot. */
function beginPage({ page, selection, chat, draft }: IntentionParts): Promise<void> {
  page.close();
  draft.offer();
  selection.again();
  return chat.refresh();
}

const codeUses = { insert: insertCode, open: openCode, apply: applyCode } as const;

async function reviewCall(toolCallId: string): Promise<void> {
  await vscode.commands.executeCommand("brain.reviewCall", toolCallId);
}

/** Null also where it cannot be read: then the panel says why. */
async function traced({ fold, workspace }: IntentionParts, runId: string): Promise<Trace | null> {
  const { sessions, ports } = workspace.open().composition;
  return fold.guard(() => readTrace({ sessions, view: fold.view(), clock: ports.clock }, runId));
}

/** What the page of sessions does by a command. */
const sessionActs: Readonly<Record<SessionAct, { readonly command: CommandName; readonly format?: "json" }>> = {
  open: { command: "openSession" },
  rename: { command: "renameSession" },
  fork: { command: "forkSession" },
  markdown: { command: "exportSession" },
  json: { command: "exportSession", format: "json" },
  delete: { command: "deleteSession" },
  restore: { command: "restoreSession" },
};

/** Actions whose command is the editor's own. */
const otherCommands: Readonly<Record<string, string>> = {
  openFolder: "workbench.action.files.openFolder",
  trust: "workbench.trust.manage",
  openAgent: "brain.selectAgent",
};

/** Opens a file of the workspace beside nothing else: what lies outside is not opened on the panel's word. */
async function openFile(workspace: WorkspaceAccess, path: string, line: number | undefined): Promise<void> {
  const others = (vscode.workspace.workspaceFolders ?? []).slice(1).map(({ uri }) => uri.fsPath);
  const { root, rest } = rootNamed(nameRoots(workspace.open().folder.fsPath, others), path);
  const folder = vscode.Uri.file(root.path);
  const file = vscode.Uri.joinPath(folder, rest);
  if (!file.path.startsWith(`${folder.path}/`)) return;
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const options = { preview: true, ...(line !== undefined && { selection: new vscode.Range(at, at) }) };
  await vscode.window.showTextDocument(file, options).then(undefined, () => {
    void vscode.window.showInformationMessage(vscode.l10n.t("There is no file {0} in this folder.", path));
  });
}

async function openLink(url: string): Promise<void> {
  if (/^https?:\/\//i.test(url)) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
