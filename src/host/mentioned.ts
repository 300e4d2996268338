// How files of the editor are named in a message: the way the tools name them.
import path from "node:path";
import * as vscode from "vscode";
import { mentionOf } from "../tools/mentions.ts";

/** What a file of the workspace is called in a message; null for one outside of it. */
export function nameOf(uri: vscode.Uri): string | null {
  const [first, ...others] = vscode.workspace.workspaceFolders ?? [];
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!first || !folder || uri.scheme !== "file") return null;
  const inFolder = path.relative(folder.uri.fsPath, uri.fsPath).split(path.sep).join("/");
  if (folder.index === first.index || others.length === 0) return inFolder === "" ? "." : inFolder;
  return `${path.basename(folder.uri.fsPath)}:${inFolder === "" ? "." : inFolder}`;
}

/** Mentions of files, to be written into a message; those outside of the workspace are told of and left out. */
export function mentionsOf(uris: readonly vscode.Uri[]): string {
  const named = uris.map(nameOf);
  if (named.includes(null))
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Brain reads files of this workspace only. Others were not added."),
    );
  return named.flatMap((name) => (name === null ? [] : [mentionOf({ name })])).join(" ");
}
