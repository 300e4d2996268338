// Undo as a person asks for it: first what it would do, then their word, then it is done; unsaved work in editors is never touched.
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import type { UndonePlaces } from "../brain/undo.ts";
import type { UndoPlan, UndoStep, UndoTarget } from "../brain/undoPlan.ts";
import { LoopError } from "../protocol/errors.ts";
import { undone } from "../protocol/replay.ts";
import type { View } from "../protocol/view.ts";
import type { Chat } from "./chat.ts";
import type { Fold } from "./fold.ts";
import type { WorkspaceAccess } from "./workspace.ts";
import { told } from "./words.ts";

export interface UndoingParts {
  readonly chat: Chat;
  readonly fold: Fold;
  readonly workspace: WorkspaceAccess;
}

/** Null: the person left. `quiet`: nothing is said when nothing was left to do. */
type Answer = { readonly over: boolean; readonly quiet?: boolean } | null;

/**
 * Undoes in the open session. What does not work is said in the panel.
 * @param given the person's word where it is known already; absent: they are asked
 * @returns whether anything was undone
 */
export async function undoChanges(parts: UndoingParts, target: UndoTarget, given?: Answer): Promise<boolean> {
  const { chat, fold, workspace } = parts;
  const busy = vscode.l10n.t("A run is going on here. What it changed can be undone when it has ended.");
  if (chat.running()) return onlySaid(busy);
  const did = await fold.guard(async () => {
    const { undo } = workspace.open().composition;
    const session = openSession(fold.view());
    const plan = await undo.plan(session, target, await unsavedFiles());
    if (plan.steps.length === 0) return given?.quiet ? false : onlySaid(nothingLeft(plan));
    const answer = given ?? (await ask(plan));
    const entry = answer && (await chat.change(() => undo.apply(session, plan, answer)));
    if (!entry) return false;
    fold.event(undone(entry));
    if (entry.left.length > 0)
      void vscode.window.showWarningMessage(vscode.l10n.t("Left as they are: {0}.", named(entry.left)));
    return true;
  });
  return did ?? false;
}

function onlySaid(why: string): false {
  void vscode.window.showInformationMessage(why);
  return false;
}

/** Tells the model, with what is said to it next, of places that were taken out of a file in an editor. */
export async function notePlaces({ chat, fold, workspace }: UndoingParts, places: UndonePlaces): Promise<void> {
  await fold.guard(async () => {
    const { undo } = workspace.open().composition;
    const session = openSession(fold.view());
    const entry = await chat.change(() => undo.note(session, places));
    if (entry) fold.event(undone(entry));
  });
}

/** `{ over }` from a key binding is the word already; without it a person is asked. */
export async function undoLastRun(parts: UndoingParts, argument: unknown): Promise<void> {
  const over = isGiven(argument);
  const turns = parts.fold.view().turns;
  const changed = turns.findLast(({ items }) =>
    items.some((item) => item.kind === "call" && item.changes !== null && !item.undone),
  );
  const runId = (changed ?? turns.at(-1))?.runId;
  if (runId === undefined)
    return void vscode.window.showInformationMessage(vscode.l10n.t("There is no run to undo yet."));
  await undoChanges(parts, { runId }, over === null ? undefined : { over });
}

/** What `{ over }` of a key binding says; null: a person is to be asked. */
export function isGiven(argument: unknown): boolean | null {
  const over: unknown = typeof argument === "object" && argument !== null ? Reflect.get(argument, "over") : null;
  return typeof over === "boolean" ? over : null;
}

function openSession({ session }: View): string {
  if (session.id === null) throw new LoopError("session_not_found", "There is no conversation yet.");
  return session.id;
}

/** An editor may have reached a file through a link, so real paths are compared. */
async function unsavedFiles(): Promise<ReadonlySet<string>> {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  const files = [...textDocuments, ...notebookDocuments].filter(({ isDirty, uri }) => isDirty && uri.scheme === "file");
  return new Set(await Promise.all(files.map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath))));
}

async function ask(plan: UndoPlan): Promise<Answer> {
  const { target, steps } = plan;
  const open = steps.filter(({ held }) => !held);
  const conflicts = open.filter(({ conflict }) => conflict !== null);
  const undo = target.undoId === undefined;
  const verb = undo ? vscode.l10n.t("Undo") : vscode.l10n.t("Redo");
  const all = undo ? vscode.l10n.t("Undo All, Overwriting") : vscode.l10n.t("Redo All, Overwriting");
  const safe = conflicts.length === steps.length || open.length === conflicts.length ? [] : [verb];
  const buttons = [...safe, ...(conflicts.length > 0 ? [all] : [])];
  const chosen = await vscode.window.showWarningMessage(
    question(plan),
    { modal: true, detail: detail(plan) },
    ...buttons,
  );
  if (chosen === undefined) return null;
  return { over: chosen === all };
}

function question({ target }: UndoPlan): string {
  if (target.undoId !== undefined) return vscode.l10n.t("Bring back what was undone?");
  if (target.paths)
    return target.paths.length === 1
      ? vscode.l10n.t("Undo what Brain changed in this file?")
      : vscode.l10n.t("Undo what Brain changed in these files?");
  return target.toolCallId === undefined
    ? vscode.l10n.t("Undo what this run changed?")
    : vscode.l10n.t("Undo what this call changed?");
}

/** Lines of each kind that are shown; the rest is counted. */
const shown = 12;

function detail({ steps, lost }: UndoPlan): string {
  const lines = (heading: string, items: readonly string[]): string[] =>
    items.length === 0
      ? []
      : [
          heading,
          ...items.slice(0, shown),
          ...(items.length > shown ? [vscode.l10n.t("… and {0} more", items.length - shown)] : []),
          "",
        ];
  const sure = steps.filter(({ conflict }) => conflict === null);
  const unsure = steps.filter(({ conflict }) => conflict !== null);
  const left = lost.map(({ path, why }) => `${path}: ${told(why)}`);
  return [
    ...lines(
      "",
      sure.map((step) => acts[step.act](nameOf(step))),
    ),
    ...lines(
      vscode.l10n.t("Left as they are, unless you overwrite them:"),
      unsure.map((step) => `${nameOf(step)}: ${told(step.conflict ?? "")}`),
    ),
    ...lines(vscode.l10n.t("Cannot be put back, because there is no copy:"), left),
  ]
    .join("\n")
    .trim();
}

const acts = {
  restore: (name: string) => vscode.l10n.t("Put back {0}", name),
  recreate: (name: string) => vscode.l10n.t("Bring back {0}", name),
  delete: (name: string) => vscode.l10n.t("Delete {0}", name),
} as const;

function nameOf({ path, wanted, now }: UndoStep): string {
  return (wanted ?? now)?.kind === "folder" ? `${path}/` : path;
}

function nothingLeft({ lost }: UndoPlan): string {
  if (lost.length === 0) return vscode.l10n.t("Nothing is left to undo: the files are as they were before.");
  return vscode.l10n.t("Nothing can be put back: there is no copy of {0}.", named(lost.map(({ path }) => path)));
}

function named(paths: readonly string[]): string {
  const rest = paths.length - 3;
  return rest > 0 ? vscode.l10n.t("{0} and {1} more", paths.slice(0, 3).join(", "), rest) : paths.join(", ");
}
