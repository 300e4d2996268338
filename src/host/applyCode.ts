// Code of an answer as a change to a file: where it goes is found or asked, and nothing is written that was not reviewed.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Composition } from "../compose.ts";
import type { PendingCall } from "../engine/ports.ts";
import { toFailure } from "../protocol/errors.ts";
import type { FilesInScope } from "../tools/workspace.ts";
import { carryOut, misfit, type Change } from "../tools/writing.ts";
import { insertCode, openCode } from "./code.ts";
import type { ShownCode } from "./codeNames.ts";
import { changesOf, isDiff } from "./codeChanges.ts";
import type { ReviewAnswer } from "./reviews.ts";
import { told } from "./words.ts";

export interface ApplyParts {
  readonly workspace: {
    open(): { readonly trusted: boolean; readonly composition: Pick<Composition, "ownFiles"> };
  };
  /** Puts changes of no run before a person. */
  readonly propose: (call: PendingCall) => Promise<ReviewAnswer>;
}

/** Proposes the code as a change, opens the review, and writes what the person leaves of it. Never rejects. */
export async function applyCode(code: ShownCode, { workspace, propose }: ApplyParts): Promise<void> {
  try {
    const { trusted, composition } = workspace.open();
    if (!trusted)
      return void vscode.window.showWarningMessage(vscode.l10n.t("Trust this folder to apply code to its files."));
    const files = await composition.ownFiles();
    const changes = await changesOf(files, code);
    if (changes === null) return undefined;
    if (typeof changes === "string") return void offerOthers(changes, code);
    const written = await write(files, await reviewed(propose, changes));
    const [first] = written;
    if (!first) return undefined;
    void offerUndo(files, written);
    await vscode.window.showTextDocument(vscode.Uri.file(first.path.real), { preview: false });
  } catch (error) {
    const { message, next } = toFailure(error);
    void vscode.window.showErrorMessage(`${told(message)} ${told(next)}`);
  }
}

/** What can be done with code that has no certain place. */
async function offerOthers(why: string, code: ShownCode): Promise<void> {
  const insert = vscode.l10n.t("Insert at the Cursor");
  const open = vscode.l10n.t("Open in a New Editor");
  // Lines with signs before them are no code to put in.
  const chosen = await vscode.window.showWarningMessage(why, ...(isDiff(code) ? [] : [insert]), open);
  if (chosen === insert) await insertCode(code);
  if (chosen === open) await openCode(code);
}

/** The changes as the person has left them; those of which they want nothing are not among them. */
async function reviewed(propose: ApplyParts["propose"], changes: readonly Change[]): Promise<readonly Change[]> {
  const toolCallId = `applied-${randomUUID()}`;
  const answer = propose({
    runId: "",
    toolCallId,
    toolName: "write_file",
    params: {},
    label: { verb: "", subject: changes.map(({ path }) => path.relative).join(", ") },
    why: "",
    proposals: changes.map(({ path, before, after }) => ({
      file: path.real,
      path: path.relative,
      before: before?.text ?? null,
      after,
    })),
  });
  await vscode.commands.executeCommand("brain.reviewCall", toolCallId);
  const { decision, texts } = await answer;
  if (decision.kind !== "approve") return [];
  return changes.flatMap((change, index) => {
    const after = texts ? (texts[index] ?? null) : change.after;
    return after === null ? [] : [{ ...change, after }];
  });
}

/** All of them or, where one does not fit any more, none. @returns for each that was written how to take it back */
async function write(files: FilesInScope, changes: readonly Change[]): Promise<readonly Change[]> {
  for (const change of changes) {
    if ((await misfit(files, change)) === null) continue;
    const why = vscode.l10n.t(
      "“{0}” has changed since you were shown this, so nothing was written. Apply the code again; what you left of it is kept in an editor if you open it now.",
      change.path.relative,
    );
    void offerText(why, changes);
    return [];
  }
  const back: Change[] = [];
  for (const change of changes) {
    const { path, before } = change;
    // Through its editor, so that the editor can undo it; what no editor opens is written all the same.
    if (before) await vscode.workspace.openTextDocument(vscode.Uri.file(path.real)).then(undefined, () => undefined);
    const result = await carryOut(files, change);
    if (result.status === "failed") void offerText(told(result.content), [change]);
    else back.push({ path, before: await files.files.read(path), after: before?.text ?? null });
  }
  return back;
}

/** What could not be written may hold what the person has typed. */
async function offerText(why: string, changes: readonly Change[]): Promise<void> {
  const open = vscode.l10n.t("Open in a New Editor");
  if ((await vscode.window.showErrorMessage(why, open)) !== open) return;
  for (const { after } of changes) {
    const document = await vscode.workspace.openTextDocument({ content: after ?? "" });
    await vscode.window.showTextDocument(document, { preview: false });
  }
}

async function offerUndo(files: FilesInScope, back: readonly Change[]): Promise<void> {
  const names = back.map(({ path }) => `“${path.relative}”`).join(", ");
  const undo = vscode.l10n.t("Undo");
  const done = vscode.l10n.t("The code was applied to {0}.", names);
  if ((await vscode.window.showInformationMessage(done, undo)) !== undo) return;
  for (const change of back) {
    const result = await carryOut(files, change);
    if (result.status === "failed") void vscode.window.showErrorMessage(told(result.content));
  }
}
