// Files as the person sees them: an open editor's text counts, saved or not, and is written through the editor.
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import type { ScopedPath } from "../scope/scope.ts";
import { hashText, type Files, type WriteOutcome } from "../tools/workspace.ts";

/** Wraps the files on disk: what is open in an editor is read from and written to its live buffer. */
export function openFiles(disk: Files): Files {
  return {
    async read(path) {
      const document = await openDocument(path);
      if (!document) return disk.read(path);
      const text = document.getText();
      return { text, hash: hashText(text), source: "buffer", unsaved: document.isDirty };
    },
    async write(path, text, expectedHash) {
      const document = await openDocument(path);
      return document ? writeBuffer(document, text, expectedHash) : disk.write(path, text, expectedHash);
    },
  };
}

/** An editor may have reached the file through a link, so real paths are compared. */
async function openDocument(path: ScopedPath): Promise<vscode.TextDocument | undefined> {
  for (const document of vscode.workspace.textDocuments) {
    if (document.uri.scheme !== "file" || document.isClosed) continue;
    const { fsPath } = document.uri;
    if (fsPath === path.real || (await realpath(fsPath).catch(() => fsPath)) === path.real) return document;
  }
  return undefined;
}

/** One undo step; saved only when the person had nothing unsaved in it. */
async function writeBuffer(
  document: vscode.TextDocument,
  text: string,
  expectedHash: string | null,
): Promise<WriteOutcome> {
  if (hashText(document.getText()) !== expectedHash) return { kind: "stale" };
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, whole, text);
  const applied = await vscode.workspace.applyEdit(edit);
  if (!applied) return { kind: "failed", message: `The editor did not take the change to ${document.uri.fsPath}.` };
  const saved = !wasDirty && (await document.save());
  return { kind: "written", hash: hashText(document.getText()), saved };
}
