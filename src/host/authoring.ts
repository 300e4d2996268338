// Help in the editor for who writes an agent: completion, hover, problems with quick fixes, and what a file can do, above its first line.
import * as vscode from "vscode";
import { completionsAt, describedAt, misspelledKeys, problemsOf } from "../agents/authoring.ts";
import type { AgentFile } from "../agents/authoringKeys.ts";
import { languages } from "../protocol/languages.ts";

const selector = Object.values(languages).map((language) => ({ language }));

/** What kind of agent's file a document is; null for any other. */
export function agentFileOf({ languageId }: vscode.TextDocument): AgentFile | null {
  if (languageId === languages.prompty) return "prompty";
  return languageId === languages.agent ? "agent" : null;
}

/** Registers everything. Loaded when the first such file is opened. */
export function registerAuthoring(): vscode.Disposable {
  const { languages: to } = vscode;
  return vscode.Disposable.from(
    to.registerCompletionItemProvider(selector, { provideCompletionItems }, " ", "-"),
    to.registerHoverProvider(selector, { provideHover }),
    to.registerCodeLensProvider(selector, { provideCodeLenses }),
    to.registerCodeActionsProvider(selector, { provideCodeActions }, quickFixes),
    ...followProblems(),
  );
}

function provideCompletionItems(document: vscode.TextDocument, at: vscode.Position): vscode.CompletionItem[] {
  const file = agentFileOf(document);
  if (!file) return [];
  const found = completionsAt(file, textOf(document), at.line + 1, at.character + 1);
  return found.map(({ name, kind, description, text, column }) => {
    const shown = kind === "key" ? vscode.CompletionItemKind.Property : vscode.CompletionItemKind.EnumMember;
    const item = new vscode.CompletionItem(name, shown);
    item.documentation = new vscode.MarkdownString(description);
    item.insertText = text;
    item.range = new vscode.Range(at.line, column - 1, at.line, at.character);
    if (kind === "key" && text.endsWith(" ")) item.command = { command: "editor.action.triggerSuggest", title: "" };
    return item;
  });
}

function provideHover(document: vscode.TextDocument, at: vscode.Position): vscode.Hover | null {
  const file = agentFileOf(document);
  const words = file && describedAt(file, textOf(document), at.line + 1, at.character + 1);
  return words === null ? null : new vscode.Hover(new vscode.MarkdownString(words));
}

function provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, name: string): vscode.CodeLens =>
    new vscode.CodeLens(top, { title, command: `brain.${name}`, arguments: [document.uri] });
  const run = lens(vscode.l10n.t("$(play) Run this agent"), "runThisAgent");
  return agentFileOf(document) === "prompty"
    ? [run, lens(vscode.l10n.t("$(open-preview) Preview"), "previewAgent")]
    : [run];
}

const quickFixes = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
const misspelled = "misspelled";

function provideCodeActions(
  document: vscode.TextDocument,
  _range: vscode.Range,
  { diagnostics }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const file = agentFileOf(document);
  const found = file ? misspelledKeys(file, textOf(document)) : [];
  return diagnostics
    .filter(({ code }) => code === misspelled)
    .flatMap((diagnostic) => {
      const { start } = diagnostic.range;
      const key = found.find(({ line, column }) => line === start.line + 1 && column === start.character + 1);
      if (!key) return [];
      const action = new vscode.CodeAction(vscode.l10n.t("Change to “{0}”", key.meant), vscode.CodeActionKind.QuickFix);
      action.edit = new vscode.WorkspaceEdit();
      action.edit.replace(document.uri, diagnostic.range, key.meant);
      action.diagnostics = [diagnostic];
      action.isPreferred = true;
      return [action];
    });
}

/** Milliseconds without a key before a text is looked at. */
const pause = 200;

/** Problems of the files that are open, as they are now, saved or not. */
function followProblems(): readonly vscode.Disposable[] {
  const shown = vscode.languages.createDiagnosticCollection("brain-agents");
  const waiting = new Map<string, NodeJS.Timeout>();
  const look = async (document: vscode.TextDocument): Promise<void> => {
    const { version, uri } = document;
    const found = await diagnosticsOf(document);
    // What was found of an older text stands in the wrong places.
    if (document.version === version && !document.isClosed) shown.set(uri, found);
  };
  const soon = (document: vscode.TextDocument): void => {
    if (!agentFileOf(document)) return;
    const key = document.uri.toString();
    clearTimeout(waiting.get(key));
    waiting.set(
      key,
      setTimeout(() => void look(document), pause),
    );
  };
  vscode.workspace.textDocuments.forEach(soon);
  return [
    shown,
    vscode.workspace.onDidOpenTextDocument(soon),
    vscode.workspace.onDidChangeTextDocument(({ document }) => soon(document)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      clearTimeout(waiting.get(uri.toString()));
      waiting.delete(uri.toString());
      shown.delete(uri);
    }),
    { dispose: () => waiting.forEach((timer) => clearTimeout(timer)) },
  ];
}

async function diagnosticsOf(document: vscode.TextDocument): Promise<vscode.Diagnostic[]> {
  const file = agentFileOf(document);
  if (!file) return [];
  const text = textOf(document);
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  // Checking a prompt reads files that it names, which a folder that is not trusted may not ask for.
  const wrong = vscode.workspace.isTrusted ? await problemsOf(file, text, document.uri.fsPath) : [];
  const problems = wrong.map(({ line, column, message, hint }) => {
    const at = document.validatePosition(new vscode.Position(line - 1, column - 1));
    const range = document.getWordRangeAtPosition(at) ?? document.lineAt(at.line).range;
    return diagnostic(range, message, hint === true ? warning : error);
  });
  const nearly = misspelledKeys(file, text).map(({ line, column, name, message }) => {
    const range = new vscode.Range(line - 1, column - 1, line - 1, column - 1 + name.length);
    return Object.assign(diagnostic(range, message, warning), { code: misspelled });
  });
  return [...problems, ...nearly];
}

function diagnostic(range: vscode.Range, message: string, severity: vscode.DiagnosticSeverity): vscode.Diagnostic {
  const made = new vscode.Diagnostic(range, message, severity);
  made.source = "Brain";
  return made;
}

function textOf(document: vscode.TextDocument): string {
  return document.getText().replaceAll("\r\n", "\n");
}
