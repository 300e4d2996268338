// The commands of a review: about the hunk they are called for, or the one at the cursor.
import * as vscode from "vscode";
import type { CommandName } from "../protocol/commands.ts";
import type { ReviewEditors } from "./reviewEditors.ts";
import { callOf, proposedScheme } from "./reviewFiles.ts";
import { placeAt, placesIn, type HunkPlace } from "./reviewPlaces.ts";
import type { Reviews } from "./reviews.ts";

export type ReviewCommand = Extract<
  CommandName,
  | "reviewCall"
  | "reviewAll"
  | "acceptHunk"
  | "rejectHunk"
  | "commentHunk"
  | "nextHunk"
  | "previousHunk"
  | "acceptFile"
  | "rejectFile"
>;

interface Named {
  readonly toolCallId: string;
  readonly hunkId: string;
}

export function createReviewCommands(
  reviews: Reviews,
  editors: ReviewEditors,
): Readonly<Record<ReviewCommand, (argument?: unknown) => unknown>> {
  const decide = (state: "accepted" | "rejected") => (argument: unknown) => {
    const hunk = named(argument) ?? hunkAtCursor(reviews);
    if (!hunk) return nothing(reviews);
    reviews.decide(hunk.toolCallId, hunk.hunkId, state);
    return move(reviews, 1, true);
  };
  const decideFile = (state: "accepted" | "rejected") => (argument: unknown) => {
    const id = callNamed(argument) ?? callAtCursor(reviews);
    return id === undefined ? nothing(reviews) : reviews.decideRest(id, state);
  };
  return {
    reviewCall: (argument) => {
      const id = callNamed(argument) ?? callAtCursor(reviews);
      return id === undefined ? nothing(reviews) : editors.open(id);
    },
    reviewAll: () => (reviews.all().size === 0 ? nothing(reviews) : editors.openAll()),
    acceptHunk: decide("accepted"),
    rejectHunk: decide("rejected"),
    commentHunk: (argument) => comment(reviews, named(argument) ?? hunkAtCursor(reviews)),
    nextHunk: () => move(reviews, 1, false),
    previousHunk: () => move(reviews, -1, false),
    acceptFile: decideFile("accepted"),
    rejectFile: decideFile("rejected"),
  };
}

/** The hunk that a lens names. */
function named(argument: unknown): Named | null {
  if (typeof argument !== "object" || argument === null) return null;
  const { toolCallId, hunkId } = { toolCallId: "", hunkId: "", ...argument };
  return typeof toolCallId === "string" && typeof hunkId === "string" && hunkId !== "" ? { toolCallId, hunkId } : null;
}

function callNamed(argument: unknown): string | undefined {
  return typeof argument === "string" ? argument : named(argument)?.toolCallId;
}

function placesAtCursor(reviews: Reviews): readonly HunkPlace[] {
  reviews.catchUp();
  const document = vscode.window.activeTextEditor?.document;
  return document ? placesIn(document, reviews) : [];
}

function hunkAtCursor(reviews: Reviews): Named | null {
  const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
  const place = placeAt(placesAtCursor(reviews), line);
  return place ? { toolCallId: place.toolCallId, hunkId: place.hunk.id } : null;
}

/** The change whose editor is open, the one that the file is about, or the only one that waits. */
function callAtCursor(reviews: Reviews): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme === proposedScheme) return callOf(uri);
  const [only, ...others] = reviews.all().keys();
  return placesAtCursor(reviews)[0]?.toolCallId ?? (others.length === 0 ? only : undefined);
}

/** To the next or the last hunk of the active editor, round its ends. */
function move(reviews: Reviews, step: 1 | -1, onlyOpen: boolean): void {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const all = placesIn(editor.document, reviews);
  const places = onlyOpen ? all.filter(({ review, hunk }) => (review.states.get(hunk.id) ?? "open") === "open") : all;
  const at = editor.selection.active.line;
  const target =
    step === 1
      ? (places.find(({ line }) => line > at) ?? places[0])
      : (places.findLast(({ line }) => line < at) ?? places.at(-1));
  if (!target) return;
  const position = new vscode.Position(Math.min(target.line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function comment(reviews: Reviews, hunk: Named | null): Promise<void> {
  if (!hunk) return nothing(reviews);
  const value = reviews.get(hunk.toolCallId)?.comments.get(hunk.hunkId) ?? "";
  const prompt = vscode.l10n.t("The agent reads it with the result of the change.");
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Comment on this hunk"),
    prompt,
    value,
    ignoreFocusOut: true,
  });
  if (text !== undefined) reviews.comment(hunk.toolCallId, hunk.hunkId, text);
}

function nothing(reviews: Reviews): void {
  void vscode.window.showInformationMessage(
    reviews.all().size > 0
      ? vscode.l10n.t(
          "There is no proposed change here. Open it with “{0}”.",
          vscode.l10n.t("Brain: Review All Proposed Changes"),
        )
      : vscode.l10n.t("There is no proposed change here."),
  );
}
