// Everything that waits for a person, put together: the questions, the review of proposed changes, and the sign that something waits.
import * as vscode from "vscode";
import type { PanelEvent } from "../protocol/events.ts";
import { createApprovals, type Approvals } from "./approvals.ts";
import { createAttention } from "./attention.ts";
import { createReviewCommands } from "./reviewCommands.ts";
import { createReviewEditors } from "./reviewEditors.ts";
import { serveReviewFiles } from "./reviewFiles.ts";
import { createReviewMarks } from "./reviewMarks.ts";
import { createReviews, type Reviews } from "./reviews.ts";

export interface Asking extends vscode.Disposable {
  readonly approvals: Approvals;
  readonly reviews: Reviews;
  readonly reviewCommands: ReturnType<typeof createReviewCommands>;
  /** The view carries the badge as long as it is there. */
  readonly showIn: (view: vscode.WebviewView) => void;
}

/** @param tell takes what the panel is to know */
export function createAsking(tell: (event: PanelEvent) => void): Asking {
  let shown: vscode.WebviewView | null = null;
  const attention = createAttention();
  const approvals = createApprovals(
    () => {
      attention.show(approvals.waiting(), shown);
      reviews.follow(approvals.waiting().calls);
    },
    (toolCallId) => reviews.answerFor(toolCallId),
  );
  const reviews = createReviews({ tell, settle: (id, { decision }) => void approvals.decide(id, decision) });
  const files = serveReviewFiles(reviews);
  const marks = createReviewMarks(reviews);
  const reviewCommands = createReviewCommands(reviews, createReviewEditors(reviews));
  // The keys of a review are nobody else's while there is something to review.
  reviews.onChange(() => void vscode.commands.executeCommand("setContext", "brain.reviewing", reviews.all().size > 0));
  const parts = vscode.Disposable.from(attention, files, marks);
  return {
    approvals,
    reviews,
    reviewCommands,
    showIn(view) {
      shown = view;
      view.onDidDispose(() => {
        if (shown === view) shown = null;
      });
    },
    dispose: () => void parts.dispose(),
  };
}
