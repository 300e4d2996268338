// The difference between what an editor holds and a text, as one step that the editor can undo.
import * as vscode from "vscode";
import { hunksOf, linesOf } from "../tools/hunks.ts";

/** @param text any line endings: the document's own are kept */
export function editTo(document: vscode.TextDocument, text: string): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  const now = document.getText();
  const ending = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const wanted = text.replaceAll(/\r?\n/g, ending);
  const lines = linesOf(now).length;
  for (const { oldStart, removed, added } of hunksOf(now, wanted)) {
    const end = oldStart + removed.length;
    const to = end < lines ? new vscode.Position(end, 0) : document.positionAt(now.length);
    edit.replace(document.uri, new vscode.Range(new vscode.Position(oldStart, 0), to), added.join(""));
  }
  return edit;
}
