// The palette's commands about whole sessions: open, rename, fork, export, delete, restore.
import * as vscode from "vscode";
import * as z from "zod";
import type { SessionStore } from "../brain/sessions.ts";
import type { CommandName } from "../protocol/commands.ts";
import { Sought } from "../protocol/sessions.ts";
import type { ToWebview } from "../protocol/wire.ts";
import type { Chat } from "./chat.ts";
import { focusPanel } from "./decisions.ts";
import type { Fold } from "./fold.ts";
import { tellOfOriginal } from "./forking.ts";
import { mayLeave } from "./leave.ts";
import { fileNameOf, titleOrNone } from "./sessionNames.ts";
import type { WorkspaceAccess } from "./workspace.ts";
import { told } from "./words.ts";

export interface SessionParts {
  readonly chat: Chat;
  readonly fold: Fold;
  readonly workspace: WorkspaceAccess;
  readonly ask: (message: ToWebview) => void;
}

type SessionCommand = Extract<
  CommandName,
  | "openSession"
  | "renameSession"
  | "forkSession"
  | "exportSession"
  | "deleteSession"
  | "restoreSession"
  | "findInSession"
>;

/** Each but the search takes `{ session }`, the id of one; without it the open session is meant, and without that a person is shown all. */
export function createSessionCommands(
  parts: SessionParts,
): Readonly<Record<SessionCommand, (argument?: unknown) => unknown>> {
  const on = (act: Act) => (argument?: unknown) => {
    const id = wordIn(argument, "session") ?? parts.fold.view().session.id;
    return id === null ? showSessions(parts, false) : act(parts, id, argument);
  };
  const named = (act: Act, deleted: boolean) => (argument?: unknown) => {
    const id = wordIn(argument, "session");
    return id === undefined ? showSessions(parts, deleted) : act(parts, id, argument);
  };
  return {
    openSession: named(open, false),
    renameSession: on(renameSession),
    forkSession: on(forkSession),
    exportSession: on(exportSession),
    deleteSession: on(deleteSession),
    restoreSession: named(restoreSession, true),
    findInSession: async () => {
      await focusPanel();
      parts.ask({ type: "find:show" });
    },
  };
}

type Act = (parts: SessionParts, id: string, argument?: unknown) => Promise<unknown>;

async function showSessions({ ask }: SessionParts, deleted: boolean): Promise<void> {
  await focusPanel();
  ask({ type: "sessions:show", deleted });
}

function sessionsOf({ workspace }: SessionParts): SessionStore {
  return workspace.open().composition.sessions;
}

async function open({ chat, fold, ask }: SessionParts, id: string, argument?: unknown): Promise<void> {
  // Whoever opens the session that is open wants to go on with it, not to end what runs there.
  if (fold.view().session.id !== id) {
    if (!(await mayLeave(chat))) return;
    await chat.openSession(id);
  }
  await focusPanel();
  const { sought } = Opening.safeParse(argument).data ?? {};
  // What was found may be gone by now.
  const isThere = sought !== undefined && (await chat.showRun(sought.runId));
  ask(isThere ? { type: "sought:show", ...sought } : { type: "composer:focus" });
}

/** Where a session is to be opened, if not at its end. */
const Opening = z.object({ sought: Sought });

/** `{ title }` is given at once; without it a person is asked. @returns the title that it has now */
async function renameSession(parts: SessionParts, id: string, argument?: unknown): Promise<string | undefined> {
  const sessions = sessionsOf(parts);
  const given = wordIn(argument, "title");
  const value = given ?? (await sessions.list()).find((session) => session.id === id)?.title ?? "";
  const asked = {
    title: vscode.l10n.t("Rename Session"),
    prompt: vscode.l10n.t("What is it called?"),
    value,
    ignoreFocusOut: true,
  };
  const validateInput = (text: string): string | null =>
    text.trim() === "" || text.length > 200 ? vscode.l10n.t("One line, up to 200 characters.") : null;
  const title = given ?? (await vscode.window.showInputBox({ ...asked, validateInput }));
  return title === undefined ? undefined : (await sessions.rename(id, title)).title;
}

/** @returns the id of the copy */
async function forkSession(parts: SessionParts, id: string): Promise<string> {
  const { summary } = await sessionsOf(parts).fork(id);
  await open(parts, summary.id);
  void tellOfOriginal(parts.chat, id);
  return summary.id;
}

/** @returns where it was written to; undefined when the person left */
async function exportSession(parts: SessionParts, id: string, argument?: unknown): Promise<string | undefined> {
  const { folder, composition } = parts.workspace.open();
  const { title, text: markdown } = await composition.sessions.export(id, "markdown");
  const given = wordIn(argument, "file");
  const lines = wordIn(argument, "format") === "json";
  const [kinds, others] = [{ Markdown: ["md"] }, { "JSON Lines": ["jsonl"] }];
  const asked = {
    title: vscode.l10n.t("Export Session"),
    defaultUri: vscode.Uri.joinPath(folder, `${fileNameOf(title)}.${lines ? "jsonl" : "md"}`),
    filters: lines ? { ...others, ...kinds } : { ...kinds, ...others },
  };
  const file = given === undefined ? await vscode.window.showSaveDialog(asked) : vscode.Uri.file(given);
  if (!file) return undefined;
  const json = file.path.endsWith(".jsonl");
  const text = json ? (await composition.sessions.export(id, "json")).text : markdown;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  void offerToShow(file);
  return file.fsPath;
}

async function offerToShow(file: vscode.Uri): Promise<void> {
  const show = vscode.l10n.t("Open File");
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t("The session was exported."), show);
  if (chosen === show) await vscode.window.showTextDocument(file);
}

async function deleteSession(parts: SessionParts, id: string, argument?: unknown): Promise<void> {
  const { chat, fold } = parts;
  const { summary } = await sessionsOf(parts).delete(id);
  const wasOpen = fold.view().session.id === id;
  if (wasOpen) await chat.newSession();
  // The page of sessions has an Undo of its own.
  if (wordIn(argument, "from") === "page") return;
  void offerUndo(parts, { id, wasOpen, title: told(titleOrNone(summary.title)) });
}

async function offerUndo(
  parts: SessionParts,
  { id, wasOpen, title }: { id: string; wasOpen: boolean; title: string },
): Promise<void> {
  const words = vscode.l10n.t("“{0}” was deleted. It can be restored for 30 days.", title);
  const undo = vscode.l10n.t("Undo");
  if ((await vscode.window.showInformationMessage(words, undo)) !== undo) return;
  await parts.fold.guard(async () => {
    const restored = await sessionsOf(parts).restore(id);
    if (wasOpen && parts.fold.view().session.id === null && !parts.chat.running())
      await parts.chat.openSession(restored);
  });
}

/** @returns the id that the session has now */
async function restoreSession(parts: SessionParts, id: string, argument?: unknown): Promise<string> {
  const restored = await sessionsOf(parts).restore(id);
  if (wordIn(argument, "from") !== "page") await open(parts, restored);
  return restored;
}

/** A word of the argument that a key binding or a task gives. */
function wordIn(argument: unknown, name: "session" | "title" | "file" | "format" | "from"): string | undefined {
  if (typeof argument !== "object" || argument === null || !(name in argument)) return undefined;
  const value: unknown = Reflect.get(argument, name);
  return typeof value === "string" ? value : undefined;
}
