// Proposed changes as documents: what there is on one side, and on the other what would be written, open to typing.
import * as vscode from "vscode";
import { textOf } from "./reviewed.ts";
import type { Reviews } from "./reviews.ts";
import { editTo } from "./textEdits.ts";

/** Scheme of what would be written; it can be edited. */
export const proposedScheme = "brain-proposed";
const currentScheme = "brain-current";

/** The two sides of a change. */
export interface Sides {
  readonly current: vscode.Uri;
  readonly proposed: vscode.Uri;
}

export function sidesOf(toolCallId: string, path: string): Sides {
  const of = (scheme: string): vscode.Uri => vscode.Uri.from({ scheme, path: `/${path}`, query: toolCallId });
  return { current: of(currentScheme), proposed: of(proposedScheme) };
}

/** The call that such a document belongs to. */
export function callOf(uri: vscode.Uri): string {
  return uri.query;
}

/** How long after the last key the hunks are worked out anew, in milliseconds. */
const typingPause = 120;

/** Makes the documents and keeps them and the reviews the same, whichever changes first. */
export function serveReviewFiles(reviews: Reviews): vscode.Disposable {
  const changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  /** Texts of changes that were decided while their editor is still open. */
  const last = new Map<string, string>();
  const versions = new Map<string, number>();
  const textFor = (uri: vscode.Uri): string => {
    const id = callOf(uri);
    const review = reviews.get(id);
    if (review) last.set(id, textOf(review));
    const text = last.get(id);
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return text;
  };
  const typing = new Map<vscode.TextDocument, NodeJS.Timeout>();
  const typed = (document: vscode.TextDocument): void => {
    clearTimeout(typing.get(document));
    typing.delete(document);
    if (document.isDirty) reviews.type(callOf(document.uri), document.getText());
  };
  reviews.onCatchUp(() => [...typing.keys()].forEach(typed));
  reviews.onChange((ids) => {
    for (const id of ids) {
      const review = reviews.get(id);
      if (!review) continue;
      versions.set(id, (versions.get(id) ?? 0) + 1);
      void showText(sidesOf(id, review.proposal.path).proposed, textOf(review), changes);
    }
  });
  return vscode.Disposable.from(
    changes,
    vscode.workspace.registerFileSystemProvider(proposedScheme, {
      onDidChangeFile: changes.event,
      watch: () => new vscode.Disposable(() => undefined),
      stat: (uri) => {
        const size = Buffer.byteLength(textFor(uri));
        return { type: vscode.FileType.File, ctime: 0, mtime: versions.get(callOf(uri)) ?? 0, size };
      },
      readFile: (uri) => Buffer.from(textFor(uri)),
      writeFile: (uri, content) => reviews.type(callOf(uri), Buffer.from(content).toString("utf8")),
      readDirectory: () => [],
      createDirectory: refuse,
      delete: refuse,
      rename: refuse,
    }),
    vscode.workspace.registerTextDocumentContentProvider(currentScheme, {
      provideTextDocumentContent: (uri) => reviews.get(callOf(uri))?.proposal.before ?? "",
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme !== proposedScheme) return;
      clearTimeout(typing.get(document));
      typing.set(document, setTimeout(typed, typingPause, document));
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === proposedScheme) last.delete(callOf(uri));
    }),
  );
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}

/** A document that nobody has typed in is read again; one that somebody has gets the difference, so that it can be undone. */
async function showText(
  uri: vscode.Uri,
  text: string,
  changes: vscode.EventEmitter<vscode.FileChangeEvent[]>,
): Promise<void> {
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  if (!document?.isDirty) return changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  const edit = editTo(document, text);
  if (edit.size > 0) await vscode.workspace.applyEdit(edit);
}
