// The file that a person means: the one they work in, or the one they choose.
import * as vscode from "vscode";

/** The editor that was used last and shows a file. */
export function editorInUse(): vscode.TextEditor | undefined {
  const isFile = ({ document }: vscode.TextEditor): boolean => document.uri.scheme === "file";
  const active = vscode.window.activeTextEditor;
  return active && isFile(active) ? active : vscode.window.visibleTextEditors.find(isFile);
}

interface FileItem extends vscode.QuickPickItem {
  /** Undefined: a path is to be typed. */
  readonly target: vscode.Uri | string | undefined;
}

/**
 * Asks which file is meant: a new one of the given name, one that is open, or another new one.
 * @returns undefined when the person left
 */
export async function askForFile(name: string | undefined): Promise<vscode.Uri | string | undefined> {
  const named: readonly FileItem[] =
    name === undefined ? [] : [{ label: vscode.l10n.t("$(new-file) New file {0}", name), target: name }];
  const items: readonly FileItem[] = [
    ...named,
    ...openFiles().map((uri) => ({ label: `$(file) ${vscode.workspace.asRelativePath(uri)}`, target: uri })),
    { label: vscode.l10n.t("$(new-file) New file…"), target: undefined },
  ];
  const title = vscode.l10n.t("Apply the code to which file?");
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (!chosen || chosen.target !== undefined) return chosen?.target;
  const prompt = vscode.l10n.t("The path of the new file in this folder");
  const typed = await vscode.window.showInputBox({ title, prompt, value: name ?? "", ignoreFocusOut: true });
  return typed?.trim() || undefined;
}

function openFiles(): readonly vscode.Uri[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const files = uris.filter(({ scheme }) => scheme === "file");
  return [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
}
