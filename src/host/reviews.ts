// Every proposed change that waits, hunk by hunk: one truth for the panel, the diff editor and the file itself.
import type { PendingCall } from "../engine/ports.ts";
import type { PanelEvent } from "../protocol/events.ts";
import type { Decision } from "../protocol/messages.ts";
import type { Drafts } from "./reviewDrafts.ts";
import * as reviewed from "./reviewed.ts";
import type { HunkState, Reviewed } from "./reviewed.ts";

/** How a person's review of a change answers the call. */
export interface ReviewAnswer {
  readonly decision: Decision;
  /** The file as they left it; absent: as proposed. */
  readonly text?: string;
}

export interface Reviews {
  /** Begins with changes that wait now, and lets go of those that do not any more. */
  readonly follow: (waiting: readonly PendingCall[]) => void;
  readonly get: (toolCallId: string) => Reviewed | undefined;
  /** By the id of the call, oldest first. */
  readonly all: () => ReadonlyMap<string, Reviewed>;
  /** Decides about one hunk. When nothing is open any more the call is answered. */
  readonly decide: (toolCallId: string, hunkId: string, state: HunkState) => void;
  /** Decides about every hunk that is open, and answers the call. */
  readonly decideRest: (toolCallId: string, state: "accepted" | "rejected") => void;
  /** What the person has typed over the proposed text. */
  readonly type: (toolCallId: string, text: string) => void;
  readonly comment: (toolCallId: string, hunkId: string, comment: string) => void;
  /** What approving the call means now; null when it has nothing to review. */
  readonly answerFor: (toolCallId: string) => ReviewAnswer | null;
  /** Takes in what was typed a moment ago and not handed on yet: nothing may be decided without it. */
  readonly catchUp: () => void;
  /** Called when something is about to be decided, for whoever has text to hand on. */
  readonly onCatchUp: (listener: () => void) => void;
  /** Called after each change, with the ids of the calls it was about. */
  readonly onChange: (listener: (toolCallIds: readonly string[]) => void) => void;
}

export interface ReviewParts {
  readonly tell: (event: PanelEvent) => void;
  /** Answers the call. */
  readonly settle: (toolCallId: string, answer: ReviewAnswer) => void;
  /** Where reviews are kept that are not finished. */
  readonly drafts: Pick<Drafts, "restored" | "keep" | "forget" | "leave">;
}

export function createReviews({ tell, settle, drafts }: ReviewParts): Reviews {
  const open = new Map<string, { readonly runId: string; readonly review: Reviewed }>();
  const listeners: ((toolCallIds: readonly string[]) => void)[] = [];
  const typists: (() => void)[] = [];
  const catchUp = (): void => typists.forEach((listener) => listener());
  const changed = (ids: readonly string[]): void => listeners.forEach((listener) => listener(ids));
  const show = (toolCallId: string): void => {
    const found = open.get(toolCallId);
    if (!found) return;
    const review = reviewed.shownReview(found.review);
    tell({ type: "review:changed", runId: found.runId, toolCallId, review });
  };
  const change = (toolCallId: string, make: (review: Reviewed) => Reviewed): Reviewed | null => {
    const found = open.get(toolCallId);
    const next = found && make(found.review);
    if (!found || next === found.review) return null;
    open.set(toolCallId, { ...found, review: next ?? found.review });
    if (next) drafts.keep(next);
    show(toolCallId);
    changed([toolCallId]);
    return next ?? null;
  };
  /** Answers the call when nothing of it is open any more. */
  const decideBy = (toolCallId: string, make: (review: Reviewed) => Reviewed): void => {
    catchUp();
    const review = change(toolCallId, make);
    if (review && !reviewed.isOpen(review)) settle(toolCallId, answered(review, drafts));
  };
  return {
    follow(waiting) {
      const ids = new Set(waiting.map(({ toolCallId }) => toolCallId));
      const gone = [...open.keys()].filter((id) => !ids.has(id));
      for (const [id, { review }] of open) if (gone.includes(id)) drafts.leave(review.proposal);
      for (const id of gone) open.delete(id);
      const fresh: string[] = [];
      for (const { toolCallId, runId, proposal } of waiting)
        if (proposal && !open.has(toolCallId)) {
          open.set(toolCallId, { runId, review: drafts.restored(proposal) ?? reviewed.beginReview(proposal) });
          fresh.push(toolCallId);
          show(toolCallId);
        }
      if (gone.length + fresh.length > 0) changed([...gone, ...fresh]);
    },
    get: (toolCallId) => open.get(toolCallId)?.review,
    all: () => new Map([...open].map(([id, { review }]) => [id, review])),
    decide: (toolCallId, hunkId, state) => decideBy(toolCallId, (review) => reviewed.decideHunk(review, hunkId, state)),
    decideRest: (toolCallId, state) => decideBy(toolCallId, (review) => reviewed.decideRest(review, state)),
    type: (toolCallId, text) => void change(toolCallId, (review) => reviewed.retype(review, text)),
    comment: (toolCallId, hunkId, comment) =>
      void change(toolCallId, (review) => reviewed.commentOn(review, hunkId, comment)),
    answerFor(toolCallId) {
      catchUp();
      const found = open.get(toolCallId);
      return found ? answered(found.review, drafts) : null;
    },
    catchUp,
    onCatchUp: (listener) => void typists.push(listener),
    onChange: (listener) => void listeners.push(listener),
  };
}

function answered(review: Reviewed, drafts: ReviewParts["drafts"]): ReviewAnswer {
  drafts.forget(review.proposal);
  return answerOf(review);
}

/** What is open counts as taken: that is what approving means. */
function answerOf(review: Reviewed): ReviewAnswer {
  const text = reviewed.textOf(review);
  const note = reviewed.noteOf(review);
  if (text === (review.proposal.before ?? "")) {
    const reason = note === undefined ? "None of the change was wanted." : `None of the change was wanted: ${note}`;
    return { decision: { kind: "reject", reason } };
  }
  const decision: Decision = { kind: "approve", ...(note !== undefined && { note }) };
  return text === review.proposal.after ? { decision } : { decision, text };
}
