// The light bulb at the editor's problems: Brain is asked to fix or to explain them. The message is written for the person, who sends it.
import * as vscode from "vscode";
import * as z from "zod";
import { mentionOf } from "../tools/mentions.ts";
import { nameOf } from "./mentioned.ts";

export type ProblemTask = "fix" | "explain";

const Problems = z.object({
  /** As a message names the file. */
  path: z.string(),
  lines: z.object({ from: z.number(), to: z.number() }),
  /** What is wrong, each in one line. */
  words: z.array(z.string()).min(1),
});
type Problems = z.infer<typeof Problems>;

/** Of one problem that many characters are quoted: some explain a whole type. */
const longest = 500;
/** Of one place so many problems are named. */
const most = 20;

/** What the light bulb offers for the problems of a place. Where nothing may be changed, nothing can be fixed. */
export function problemActions(
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
  const problems = problemsOf(document, diagnostics);
  if (!problems) return [];
  const action = (title: string, command: string): vscode.CodeAction => {
    const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    made.diagnostics = [...diagnostics];
    made.command = { command, title, arguments: [problems] };
    return made;
  };
  const explain = action(vscode.l10n.t("Explain with Brain"), "brain.explainProblem");
  return vscode.workspace.isTrusted
    ? [action(vscode.l10n.t("Fix with Brain"), "brain.fixProblem"), explain]
    : [explain];
}

/**
 * The message that asks for it.
 * @param given what an action was made for; anything else means the place of the cursor
 * @returns null when there is no problem: the person is told
 */
export function askAbout(task: ProblemTask, given: unknown): string | null {
  const problems = Problems.safeParse(given).data ?? problemsAtCursor();
  if (problems) return messageFor(task, problems);
  void vscode.window.showInformationMessage(vscode.l10n.t("There is no problem where the cursor is."));
  return null;
}

function problemsAtCursor(): Problems | null {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return null;
  const all = vscode.languages.getDiagnostics(editor.document.uri);
  return problemsOf(
    editor.document,
    all.filter(({ range }) => range.intersection(editor.selection) !== undefined),
  );
}

function problemsOf({ uri }: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): Problems | null {
  const path = nameOf(uri);
  const found = diagnostics.slice(0, most);
  if (path === null || found.length === 0) return null;
  const from = Math.min(...found.map(({ range }) => range.start.line)) + 1;
  const to = Math.max(...found.map(({ range }) => range.end.line)) + 1;
  return { path, lines: { from, to }, words: found.map(wordsOf) };
}

function wordsOf({ message, source, code }: vscode.Diagnostic): string {
  const line = message.trim().replaceAll(/\s+/g, " ");
  const text = line.length > longest ? `${line.slice(0, longest)}…` : line;
  const id = typeof code === "object" ? code.value : code;
  const by = [source, id].filter((one) => one !== undefined && one !== "").join(" ");
  const words = by === "" ? text : `${text} (${by})`;
  // What a tool says may come from the folder: it names nothing that goes along with the message.
  return words.replaceAll(/(?<!\w)@(?=\S)/g, "@ ");
}

function messageFor(task: ProblemTask, { path, lines, words }: Problems): string {
  const place = mentionOf({ name: path, lines });
  const [first = "", ...others] = words;
  if (others.length === 0)
    return task === "fix"
      ? vscode.l10n.t("Fix this problem in {0}: {1}", place, first)
      : vscode.l10n.t("Explain this problem in {0}: {1}", place, first);
  const list = words.map((one) => `- ${one}`).join("\n");
  return task === "fix"
    ? vscode.l10n.t("Fix these problems in {0}:\n{1}", place, list)
    : vscode.l10n.t("Explain these problems in {0}:\n{1}", place, list);
}
