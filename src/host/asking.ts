// What is asked of a person, put together: what waits, the rules, the review of changes in editors, and the sign that something waits.
import * as vscode from "vscode";
import type { PendingCall } from "../engine/ports.ts";
import { createAttention } from "./attention.ts";
import { createQuestions } from "./questions.ts";
import { createReviewCommands } from "./reviewCommands.ts";
import { createReviewEditors } from "./reviewEditors.ts";
import { serveReviewFiles } from "./reviewFiles.ts";
import { createDrafts, type Draft, type DraftStore } from "./reviewDrafts.ts";
import { createReviewMarks } from "./reviewMarks.ts";
import { createReviews, type ReviewAnswer, type Reviews } from "./reviews.ts";
import { createRuledApprovals, type RuledApprovals, type RuledParts } from "./ruledApprovals.ts";

export interface Asking extends RuledApprovals, vscode.Disposable {
  readonly reviews: Reviews;
  /** Puts changes of no run before a person, in the place of earlier ones to the same files. Resolves when they have decided. */
  readonly propose: (call: PendingCall) => Promise<ReviewAnswer>;
  readonly review: ReturnType<typeof createReviewCommands>;
  /** The window closes: reviews that go now are kept for the next one. */
  readonly freeze: () => void;
  /** The view carries the badge as long as it is there. */
  readonly showIn: (view: vscode.WebviewView) => void;
}

export interface AskingParts extends RuledParts {
  readonly drafts: DraftStore;
}

export function createAsking(parts: AskingParts): Asking {
  let shown: vscode.WebviewView | null = null;
  const attention = createAttention();
  const drafts = createDrafts(parts.drafts);
  const ruled = createRuledApprovals(
    parts,
    () => follow(),
    (toolCallId) => reviews.answerFor(toolCallId),
  );
  const own = createQuestions<PendingCall, ReviewAnswer>(() => follow());
  const follow = (): void => {
    const waiting = ruled.approvals.waiting();
    attention.show({ ...waiting, reviews: own.waiting() }, shown);
    reviews.follow([...waiting.calls, ...own.waiting()]);
  };
  const reviews = createReviews({
    tell: parts.fold.event,
    drafts,
    settle(id, answer) {
      const call = own.waiting().find(({ toolCallId }) => toolCallId === id);
      if (!own.answer(call, answer)) ruled.approvals.decide(id, answer.decision);
    },
  });
  const editing = vscode.Disposable.from(attention, serveReviewFiles(reviews), createReviewMarks(reviews));
  // The keys of a review are nobody else's while there is something to review.
  reviews.onChange(() => void vscode.commands.executeCommand("setContext", "brain.reviewing", reviews.all().size > 0));
  void tellLeft(drafts.left());
  return {
    ...ruled,
    freeze: drafts.freeze,
    reviews,
    propose(call) {
      const files = filesOf(call);
      const earlier = own.waiting().filter((other) => filesOf(other).some((file) => files.includes(file)));
      for (const other of earlier) own.answer(other, { decision: { kind: "reject" } });
      return own.ask(call, new AbortController().signal);
    },
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

function filesOf({ proposals = [] }: PendingCall): readonly string[] {
  return proposals.map(({ file }) => file);
}

/** A run does not outlive its window: what was decided of its changes is there again when they are proposed again. */
async function tellLeft(left: readonly Draft[]): Promise<void> {
  if (left.length === 0) return;
  const files = left.map(({ path }) => `“${path}”`).join(", ");
  const typed = left.filter((draft) => draft.typed);
  const told = vscode.l10n.t(
    "The window closed before your review of {0} was done, so nothing of it was written. What you decided and typed is kept, and is there again when the agent proposes the same.",
    files,
  );
  const show = vscode.l10n.t("Show What I Typed");
  if ((await vscode.window.showInformationMessage(told, ...(typed.length > 0 ? [show] : []))) !== show) return;
  for (const { text } of typed)
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text }), {
      preview: false,
    });
}
