// What is asked of a person, put together: what waits, the rules, the review of changes in editors, and the sign that something waits.
import * as vscode from "vscode";
import { createAttention } from "./attention.ts";
import { createReviewCommands } from "./reviewCommands.ts";
import { createReviewEditors } from "./reviewEditors.ts";
import { serveReviewFiles } from "./reviewFiles.ts";
import { createReviewMarks } from "./reviewMarks.ts";
import { createReviews, type Reviews } from "./reviews.ts";
import { createRuledApprovals, type RuledApprovals, type RuledParts } from "./ruledApprovals.ts";

export interface Asking extends RuledApprovals, vscode.Disposable {
  readonly reviews: Reviews;
  readonly review: ReturnType<typeof createReviewCommands>;
  /** The view carries the badge as long as it is there. */
  readonly showIn: (view: vscode.WebviewView) => void;
}

export function createAsking(parts: RuledParts): Asking {
  let shown: vscode.WebviewView | null = null;
  const attention = createAttention();
  const ruled = createRuledApprovals(
    parts,
    (approvals) => {
      attention.show(approvals.waiting(), shown);
      reviews.follow(approvals.waiting().calls);
    },
    (toolCallId) => reviews.answerFor(toolCallId),
  );
  const reviews = createReviews({
    tell: parts.fold.event,
    settle: (id, { decision }) => void ruled.approvals.decide(id, decision),
  });
  const editing = vscode.Disposable.from(attention, serveReviewFiles(reviews), createReviewMarks(reviews));
  // The keys of a review are nobody else's while there is something to review.
  reviews.onChange(() => void vscode.commands.executeCommand("setContext", "brain.reviewing", reviews.all().size > 0));
  return {
    ...ruled,
    reviews,
    review: createReviewCommands(reviews, createReviewEditors(reviews)),
    showIn(view) {
      shown = view;
      view.onDidDispose(() => {
        if (shown === view) shown = null;
      });
    },
    dispose: () => void editing.dispose(),
  };
}
