// One proposed change under review: which of its hunks a person takes, and the text that follows. Pure.
import type { Proposal } from "../engine/ports.ts";
import type { Review, ReviewedHunk } from "../protocol/calls.ts";
import { applyHunks, hunksOf, linesOf, startsOf, type Hunk } from "../tools/hunks.ts";
import { withEndingsOf } from "../tools/lineEndings.ts";

export type HunkState = ReviewedHunk["state"];

export interface Reviewed {
  readonly proposal: Proposal;
  readonly hunks: readonly Hunk[];
  /** Of hunks that were decided about. */
  readonly states: ReadonlyMap<string, HunkState>;
  readonly comments: ReadonlyMap<string, string>;
  /** The person has written into it. */
  readonly typed: boolean;
}

export function beginReview(proposal: Proposal): Reviewed {
  const hunks = hunksOf(proposal.before ?? "", proposal.after ?? "");
  return { proposal, hunks, states: new Map(), comments: new Map(), typed: false };
}

export function stateOf({ states }: Reviewed, hunkId: string): HunkState {
  return states.get(hunkId) ?? "open";
}

/** The hunks that are in the text as it stands, with the line each begins at there. */
export function keptHunks(review: Reviewed): readonly { readonly hunk: Hunk; readonly start: number }[] {
  const kept = review.hunks.filter(({ id }) => stateOf(review, id) !== "rejected");
  const starts = startsOf(kept);
  return kept.map((hunk, index) => ({ hunk, start: starts[index] ?? 0 }));
}

/** What would be written now: everything that was not refused. */
export function textOf(review: Reviewed): string {
  const kept = keptHunks(review).map(({ hunk }) => hunk);
  return applyHunks(review.proposal.before ?? "", kept);
}

export function isOpen(review: Reviewed): boolean {
  return review.hunks.some(({ id }) => stateOf(review, id) === "open");
}

export function decideHunk(review: Reviewed, hunkId: string, state: HunkState): Reviewed {
  if (!review.hunks.some(({ id }) => id === hunkId)) return review;
  return { ...review, states: new Map(review.states).set(hunkId, state) };
}

/** Decides about every hunk that is still open. */
export function decideRest(review: Reviewed, state: HunkState): Reviewed {
  const open = review.hunks.filter(({ id }) => stateOf(review, id) === "open");
  return open.reduce((next, { id }) => decideHunk(next, id, state), review);
}

export function commentOn(review: Reviewed, hunkId: string, comment: string): Reviewed {
  return { ...review, comments: new Map(review.comments).set(hunkId, comment) };
}

/** Takes what a person has written for what is proposed. What was accepted and not touched stays accepted. */
export function retype(review: Reviewed, typed: string): Reviewed {
  const text = withEndingsOf(textOf(review), typed);
  if (text === textOf(review)) return review;
  const hunks = hunksOf(review.proposal.before ?? "", text);
  const same = new Set(hunks.map(({ id }) => id));
  const states = new Map([...review.states].filter(([id, state]) => state === "accepted" && same.has(id)));
  const comments = new Map([...review.comments].filter(([id]) => same.has(id)));
  return { ...review, hunks, states, comments, typed: true };
}

/**
 * What a person has left of the proposal.
 * @returns null: nothing of it
 */
export function leftOf(review: Reviewed): string | null {
  const { before, after } = review.proposal;
  const text = textOf(review);
  return text !== (after ?? "") && text === (before ?? "") ? null : text;
}

/** What a person has said of the places, for the model. */
export function notesOf({ hunks, comments }: Reviewed): readonly string[] {
  return hunks.flatMap(({ id, oldStart }) => {
    const comment = comments.get(id)?.trim();
    return comment ? [`at line ${oldStart + 1}: ${comment}`] : [];
  });
}

/** Lines around a hunk. */
const around = 2;
/** Lines of one hunk that the panel is sent. */
const mostLines = 60;

/** Hunks that the panel is sent; an editor shows them all. */
export const mostHunks = 50;

/** As the panel shows it. */
export function shownReview(review: Reviewed): Review {
  const old = linesOf(review.proposal.before ?? "");
  const ends = review.hunks.map(({ oldStart, removed }) => oldStart + removed.length);
  const hunks = review.hunks.slice(0, mostHunks).map((hunk, index): ReviewedHunk => {
    const from = Math.max(ends[index - 1] ?? 0, hunk.oldStart - around, 0);
    const end = hunk.oldStart + hunk.removed.length;
    const to = Math.min(review.hunks[index + 1]?.oldStart ?? old.length, end + around);
    const lines = [
      ...signed(" ", old.slice(from, hunk.oldStart)),
      ...signed("-", hunk.removed),
      ...signed("+", hunk.added),
      ...signed(" ", old.slice(end, to)),
    ];
    const comment = review.comments.get(hunk.id);
    return {
      id: hunk.id,
      state: stateOf(review, hunk.id),
      lines: lines.slice(0, mostLines),
      more: Math.max(0, lines.length - mostLines),
      at: from + 1,
      ...(comment !== undefined && { comment }),
    };
  });
  return { hunks, count: review.hunks.length, typed: review.typed };
}

function signed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => sign + line.replace(/\r?\n$/, ""));
}
