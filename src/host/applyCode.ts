// Code of an answer as a change to a file: where it goes is found or asked, and nothing is written that was not reviewed.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Composition } from "../compose.ts";
import type { PendingCall } from "../engine/ports.ts";
import { toFailure } from "../protocol/errors.ts";
import type { ApplyState } from "../protocol/wire.ts";
import type { Journal } from "../tools/writeTogether.ts";
import type { Change } from "../tools/writing.ts";
import { insertCode, openCode } from "./code.ts";
import type { ShownCode } from "./codeNames.ts";
import { changesOf, isDiff } from "./codeChanges.ts";
import { asOpened } from "./openFiles.ts";
import type { ReviewAnswer } from "./reviews.ts";
import { told } from "./words.ts";
import { writeApplied } from "./writeApplied.ts";

export interface ApplyParts {
  readonly workspace: {
    open(): { readonly trusted: boolean; readonly composition: Pick<Composition, "ownFiles"> };
  };
  /** Puts changes of no run before a person. */
  readonly propose: (call: PendingCall) => Promise<ReviewAnswer>;
  readonly journal: Journal;
}

/**
 * Proposes the code as a change, opens the review, and writes what the person leaves of it. Never rejects.
 * @param tell told how far it has come
 */
export async function applyCode(code: ShownCode, parts: ApplyParts, tell: (state: ApplyState) => void): Promise<void> {
  try {
    if (!(await apply(code, parts, tell))) tell("left");
  } catch (error) {
    tell("left");
    const { message, next } = toFailure(error);
    void vscode.window.showErrorMessage(`${told(message)} ${told(next)}`);
  }
}

/** False: nothing is written. */
async function apply(
  code: ShownCode,
  { workspace, propose, journal }: ApplyParts,
  tell: (state: ApplyState) => void,
): Promise<boolean> {
  const { trusted, composition } = workspace.open();
  if (!trusted) {
    void vscode.window.showWarningMessage(vscode.l10n.t("Trust this folder to apply code to its files."));
    return false;
  }
  const files = await composition.ownFiles();
  const changes = await changesOf(files, code);
  if (typeof changes === "string") void offerOthers(changes, code);
  if (changes === null || typeof changes === "string") return false;
  tell("reviewed");
  const [first] = await writeApplied(files, await reviewed(propose, changes), {
    journal,
    undone: () => tell("undone"),
  });
  if (!first) return false;
  tell("applied");
  await vscode.window.showTextDocument(asOpened(first.real), { preview: false });
  return true;
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
