// Where the hunks of proposed changes are in an editor: in the proposal itself, and in the file that it would change.
import type * as vscode from "vscode";
import { realOf } from "./openedPaths.ts";
import { callOf, proposedScheme } from "./reviewFiles.ts";
import { keptHunks, stateOf, type Reviewed } from "./reviewed.ts";
import type { Reviews } from "./reviews.ts";
import { withLf } from "../tools/lineEndings.ts";
import type { Hunk } from "../tools/hunks.ts";

export interface HunkPlace {
  readonly toolCallId: string;
  readonly review: Reviewed;
  readonly hunk: Hunk;
  /** Number of the hunk in its change, from 1. */
  readonly number: number;
  /** Line where it begins in this document, from 0. */
  readonly line: number;
  /** Lines that it takes there; 0 where lines are only added or removed. */
  readonly length: number;
}

/** The hunks that a document shows, top to bottom; those that were refused are not in a proposal any more. */
export function placesIn(document: vscode.TextDocument, reviews: Reviews): readonly HunkPlace[] {
  if (document.uri.scheme === proposedScheme) {
    const toolCallId = callOf(document.uri);
    const review = reviews.get(toolCallId);
    if (!review) return [];
    return keptHunks(review).map(({ hunk, start }) => {
      const number = review.hunks.indexOf(hunk) + 1;
      return { toolCallId, review, hunk, number, line: start, length: hunk.added.length };
    });
  }
  const all = [...reviews.all()];
  if (document.uri.scheme !== "file" || all.length === 0) return [];
  const file = realOf(document.uri.fsPath);
  return all
    .filter(([, { proposal }]) => proposal.file === file && isSameText(document, proposal.before))
    .flatMap(([toolCallId, review]) => openPlaces(toolCallId, review));
}

/** In the file there is nothing to show of a hunk that was refused or taken. */
function openPlaces(toolCallId: string, review: Reviewed): readonly HunkPlace[] {
  return review.hunks.flatMap((hunk, index) => {
    const place = { toolCallId, review, hunk, number: index + 1, line: hunk.oldStart, length: hunk.removed.length };
    return stateOf(review, hunk.id) === "open" ? [place] : [];
  });
}

/** Once a person has changed the file, line numbers say nothing: then the change is shown in its own editor only. */
function isSameText(document: vscode.TextDocument, before: string | null): boolean {
  return before !== null && withLf(document.getText()).text === withLf(before).text;
}

/** The hunk at a line, else the next one below, else the first. */
export function placeAt(places: readonly HunkPlace[], line: number): HunkPlace | undefined {
  return (
    places.find((place) => line >= place.line && line < place.line + Math.max(1, place.length)) ??
    places.find((place) => place.line >= line) ??
    places[0]
  );
}
