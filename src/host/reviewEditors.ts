// The editors in which a person reviews proposed changes: opened when asked, closed when the last hunk is decided.
import * as vscode from "vscode";
import { asOpened } from "./openFiles.ts";
import { callOf, proposedScheme, sidesOf } from "./reviewFiles.ts";
import { keptHunks, type Reviewed } from "./reviewed.ts";
import type { Reviews } from "./reviews.ts";

export interface ReviewEditors {
  /** Shows one change beside what there is, or all that one call would do. */
  readonly open: (id: string) => Promise<void>;
  /** Shows every change that waits in one editor; a single one as `open` does. */
  readonly openAll: () => Promise<void>;
}

export function createReviewEditors(reviews: Reviews): ReviewEditors {
  reviews.onChange((ids) => {
    for (const id of ids) if (!reviews.get(id)) void close(id);
  });
  const openOne = async (id: string, review: Reviewed): Promise<void> => {
    const { path } = review.proposal;
    const { current, proposed } = sidesOf(id, path);
    // Whatever encoding the person's files have, this one is made here.
    await vscode.workspace.openTextDocument(proposed, { encoding: "utf8" });
    const first = keptHunks(review)[0]?.start ?? 0;
    const selection = new vscode.Range(first, 0, first, 0);
    await vscode.commands.executeCommand(
      "vscode.diff",
      current,
      proposed,
      vscode.l10n.t("{0} (proposed by Brain)", path),
      {
        preview: false,
        selection,
      },
    );
  };
  const openThese = async (all: ReadonlyMap<string, Reviewed>): Promise<void> => {
    const [only] = all;
    if (only && all.size === 1) return openOne(...only);
    const sides = [...all].map(([id, { proposal }]) => {
      const { current, proposed } = sidesOf(id, proposal.path);
      return [asOpened(proposal.file), current, proposed];
    });
    if (all.size > 0)
      await vscode.commands.executeCommand("vscode.changes", vscode.l10n.t("Changes proposed by Brain"), sides);
  };
  return {
    open: async (id) => {
      const review = reviews.get(id);
      return review ? openOne(id, review) : openThese(reviews.ofCall(id));
    },
    openAll: () => openThese(reviews.all()),
  };
}

/** Closes what was opened for a review, unless the person has typed in it: their words stay until they close it. */
async function close(id: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const own = tabs.filter(({ input, isDirty }) => {
    const uri = input instanceof vscode.TabInputTextDiff ? input.modified : null;
    return !isDirty && uri?.scheme === proposedScheme && callOf(uri) === id;
  });
  if (own.length > 0) await vscode.window.tabGroups.close(own, true);
}
