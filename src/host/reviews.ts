// Every proposed change that waits, hunk by hunk: one truth for the panel, the diff editor and the file itself.
import type { LeftTexts, PendingCall } from "../engine/ports.ts";
import type { Review } from "../protocol/calls.ts";
import type { PanelEvent } from "../protocol/events.ts";
import type { Decision } from "../protocol/messages.ts";
import { fileTitle } from "../protocol/view.ts";
import type { Drafts } from "./reviewDrafts.ts";
import * as reviewed from "./reviewed.ts";
import type { HunkState, Reviewed } from "./reviewed.ts";

/** How a person's review of a change answers the call. */
export interface ReviewAnswer {
  readonly decision: Decision;
  /** The files as they left them; absent: as proposed. */
  readonly texts?: LeftTexts;
}

export interface Reviews {
  /** Begins with changes that wait now, and lets go of those that do not any more. */
  readonly follow: (waiting: readonly PendingCall[]) => void;
  readonly get: (reviewId: string) => Reviewed | undefined;
  /** The reviews of a call, by their ids: one for each file that it would change. */
  readonly ofCall: (toolCallId: string) => ReadonlyMap<string, Reviewed>;
  /** By their ids, oldest first. The only review of a call has the id of the call. */
  readonly all: () => ReadonlyMap<string, Reviewed>;
  /**
   * Decides about one hunk. When nothing of the call is open any more it is answered.
   * @param hunkId as the review has it, or as the panel was told it
   */
  readonly decide: (reviewId: string, hunkId: string, state: HunkState) => void;
  /** Decides about every hunk that is open in one review, or in all of a call. When nothing else is open the call is answered. */
  readonly decideRest: (id: string, state: "accepted" | "rejected") => void;
  /** What the person has typed over the proposed text. */
  readonly type: (reviewId: string, text: string) => void;
  readonly comment: (reviewId: string, hunkId: string, comment: string) => void;
  /** What approving the call means now; null when it has nothing to review. */
  readonly answerFor: (toolCallId: string) => ReviewAnswer | null;
  /** Takes in what was typed a moment ago and not handed on yet: nothing may be decided without it. */
  readonly catchUp: () => void;
  /** Called when something is about to be decided, for whoever has text to hand on. */
  readonly onCatchUp: (listener: () => void) => void;
  /** Called after each change, with the ids of the reviews it was about. */
  readonly onChange: (listener: (reviewIds: readonly string[]) => void) => void;
}

export interface ReviewParts {
  readonly tell: (event: PanelEvent) => void;
  /** Answers the call. */
  readonly settle: (toolCallId: string, answer: ReviewAnswer) => void;
  /** Where reviews are kept that are not finished. */
  readonly drafts: Pick<Drafts, "restored" | "keep" | "forget" | "leave">;
}

interface Open {
  readonly runId: string;
  readonly toolCallId: string;
  readonly review: Reviewed;
}

export function createReviews({ tell, settle, drafts }: ReviewParts): Reviews {
  const open = new Map<string, Open>();
  const listeners: ((reviewIds: readonly string[]) => void)[] = [];
  const typists: (() => void)[] = [];
  const catchUp = (): void => typists.forEach((listener) => listener());
  const changed = (ids: readonly string[]): void => listeners.forEach((listener) => listener(ids));
  const ofCall = (toolCallId: string): ReadonlyMap<string, Reviewed> => reviewsIn(open, toolCallId);
  const show = ({ runId, toolCallId }: Open): void =>
    tell({ type: "review:changed", runId, toolCallId, review: shownTogether([...ofCall(toolCallId).values()]) });
  const change = (id: string, make: (review: Reviewed) => Reviewed): Open | null => {
    const found = open.get(id);
    const next = found && make(found.review);
    if (!found || !next || next === found.review) return null;
    open.set(id, { ...found, review: next });
    drafts.keep(next);
    show(found);
    changed([id]);
    return found;
  };
  /** Answers the call when nothing of it is open any more. */
  const decideBy = (ids: readonly string[], make: (review: Reviewed) => Reviewed): void => {
    catchUp();
    const [first] = ids.map((id) => change(id, make)).filter((found) => found !== null);
    const reviews = [...(first ? ofCall(first.toolCallId).values() : [])];
    const answer = reviews.some(reviewed.isOpen) ? null : answered(reviews, drafts);
    if (first && answer) settle(first.toolCallId, answer);
  };
  const begin = (call: PendingCall): readonly string[] => {
    if (ofCall(call.toolCallId).size > 0) return [];
    const parts = new Map(begun(call, drafts));
    for (const [id, part] of parts) open.set(id, part);
    for (const part of [...parts.values()].slice(0, 1)) show(part);
    return [...parts.keys()];
  };
  return {
    follow(waiting) {
      const gone = letGo(open, waiting, drafts);
      const fresh = waiting.flatMap(begin);
      if (gone.length + fresh.length > 0) changed([...gone, ...fresh]);
    },
    get: (id) => open.get(id)?.review,
    ofCall,
    all: () => new Map([...open].map(([id, { review }]) => [id, review])),
    decide(id, hunkId, state) {
      const [part, own] = named(id, hunkId);
      decideBy([part], (review) => reviewed.decideHunk(review, own, state));
    },
    decideRest: (id, state) =>
      decideBy(open.has(id) ? [id] : [...ofCall(id).keys()], (review) => reviewed.decideRest(review, state)),
    type: (id, text) => void change(id, (review) => reviewed.retype(review, text)),
    comment: (id, hunkId, comment) => void change(id, (review) => reviewed.commentOn(review, hunkId, comment)),
    answerFor(toolCallId) {
      catchUp();
      return answered([...ofCall(toolCallId).values()], drafts);
    },
    catchUp,
    onCatchUp: (listener) => void typists.push(listener),
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Those of calls that wait no more. @returns their ids */
function letGo(
  open: Map<string, Open>,
  waiting: readonly PendingCall[],
  drafts: ReviewParts["drafts"],
): readonly string[] {
  const ids = new Set(waiting.map(({ toolCallId }) => toolCallId));
  const gone = [...open].filter(([, { toolCallId }]) => !ids.has(toolCallId));
  for (const [id, { review }] of gone) {
    drafts.leave(review.proposal);
    open.delete(id);
  }
  return gone.map(([id]) => id);
}

function reviewsIn(open: ReadonlyMap<string, Open>, toolCallId: string): ReadonlyMap<string, Reviewed> {
  return new Map([...open].flatMap(([id, found]) => (found.toolCallId === toolCallId ? [[id, found.review]] : [])));
}

/** The id of one review among several of a call. */
function partOf(toolCallId: string, index: number): string {
  return `${toolCallId}#${index}`;
}

/** The review and the hunk that are meant: the panel was told of the hunks of all files of a call together. */
function named(id: string, hunkId: string): readonly [reviewId: string, hunkId: string] {
  const [, index, own] = /^(\d+):(.*)$/.exec(hunkId) ?? [];
  return own === undefined ? [id, hunkId] : [partOf(id, Number(index)), own];
}

function begun(
  { toolCallId, runId, proposals = [] }: PendingCall,
  drafts: ReviewParts["drafts"],
): readonly (readonly [string, Open])[] {
  return proposals.map((proposal, index) => {
    const id = proposals.length === 1 ? toolCallId : partOf(toolCallId, index);
    return [id, { runId, toolCallId, review: drafts.restored(proposal) ?? reviewed.beginReview(proposal) }];
  });
}

/** As the panel shows the reviews of one call: each hunk says which file it is in, and has an id of its own among all. */
function shownTogether(reviews: readonly Reviewed[]): Review {
  const shown = reviews.map(reviewed.shownReview);
  const [only] = shown;
  if (only && shown.length === 1) return only;
  const hunks = shown.flatMap((review, index) => {
    const { path, to, after } = reviews[index]?.proposal ?? { path: "", after: "" };
    const file = fileTitle({ path, to, deleted: after === null });
    return review.hunks.map((hunk) => ({ ...hunk, id: `${index}:${hunk.id}`, file }));
  });
  return {
    hunks: hunks.slice(0, reviewed.mostHunks),
    count: shown.reduce((sum, { count }) => sum + count, 0),
    typed: shown.some(({ typed }) => typed),
  };
}

function answered(reviews: readonly Reviewed[], drafts: ReviewParts["drafts"]): ReviewAnswer | null {
  for (const { proposal } of reviews) drafts.forget(proposal);
  return answerOf(reviews);
}

/** What is open counts as taken: that is what approving means. */
function answerOf(reviews: readonly Reviewed[]): ReviewAnswer | null {
  if (reviews.length === 0) return null;
  const texts = reviews.map(reviewed.leftOf);
  const where = ({ proposal }: Reviewed): string => (reviews.length > 1 ? `${proposal.path} ` : "");
  const notes = reviews.flatMap((review) => reviewed.notesOf(review).map((note) => where(review) + note));
  const note = notes.length === 0 ? undefined : notes.join("; ");
  if (texts.every((text) => text === null)) {
    const reason = note === undefined ? "None of the change was wanted." : `None of the change was wanted: ${note}`;
    return { decision: { kind: "reject", reason } };
  }
  const decision: Decision = { kind: "approve", ...(note !== undefined && { note }) };
  const asProposed = reviews.every(({ proposal }, index) => texts[index] === (proposal.after ?? ""));
  return asProposed ? { decision } : { decision, texts };
}
