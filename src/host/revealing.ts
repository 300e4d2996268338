// Masked results shown to a person as they were: as a document that cannot be changed, and that nothing keeps.
import * as vscode from "vscode";
import type { Fold } from "./fold.ts";
import type { WorkspaceAccess } from "./workspace.ts";

const scheme = "brain-unmasked";

const notKept = vscode.l10n.t(
  "What was masked is not kept any more: it is in memory only, until the window is closed or there is too much of it. Look at the file itself, or run the command in a terminal of your own.",
);

export interface Revealing extends vscode.Disposable {
  /** Shows a result without masks in an editor, or says that it is gone. */
  readonly reveal: (toolCallId: string) => Promise<void>;
}

export function createRevealing({ fold, workspace }: { fold: Fold; workspace: WorkspaceAccess }): Revealing {
  const textOf = (sessionId: string, toolCallId: string): string | null =>
    workspace.open().composition.unmasked.textOf(sessionId, toolCallId);
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: ({ authority, query }) => textOf(authority, query) ?? notKept,
  });
  return {
    async reveal(toolCallId) {
      const { id } = fold.view().session;
      if (id === null || textOf(id, toolCallId) === null) return void vscode.window.showInformationMessage(notKept);
      const uri = vscode.Uri.from({
        scheme,
        authority: id,
        path: `/${vscode.l10n.t("Unmasked result")}`,
        query: toolCallId,
      });
      await vscode.window.showTextDocument(uri, { preview: true });
    },
    dispose: () => void provider.dispose(),
  };
}
