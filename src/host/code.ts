// Code of an answer that a person takes over: into the editor that they used last, or into a new one.
import * as vscode from "vscode";

export interface Code {
  readonly text: string;
  /** As the answer calls it. */
  readonly language: string;
}

/** Replaces what is selected there; where no editor is open, it gets one of its own. It can be undone like typing, and is not saved. */
export async function insertCode(code: Code): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find(isWritable);
  if (!editor || !isWritable(editor)) return openCode(code);
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, code.text);
  });
  if (!done) void vscode.window.showWarningMessage(vscode.l10n.t("The editor did not take the code. Copy it instead."));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/** A document without a file, in the language if the editor knows one of that name. */
export async function openCode({ text: content, language }: Code): Promise<void> {
  const known = (await vscode.languages.getLanguages()).find((id) => id === (names[language] ?? language));
  const document = await vscode.workspace.openTextDocument({
    content,
    ...(known !== undefined && { language: known }),
  });
  await vscode.window.showTextDocument(document);
}

function isWritable({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme === "file" || document.uri.scheme === "untitled";
}

/** What answers call languages, where the editor has another name. */
const names: Readonly<Record<string, string>> = {
  bash: "shellscript",
  js: "javascript",
  jsx: "javascriptreact",
  md: "markdown",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shellscript",
  ts: "typescript",
  tsx: "typescriptreact",
  yml: "yaml",
  zsh: "shellscript",
};
