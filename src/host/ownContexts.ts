// What `@problems`, `@changes` and `@terminal` attach to a message: what the editor knows beside the files.
import * as vscode from "vscode";
import type { Looking, OwnContexts } from "../tools/attach.ts";
import { namesInDiff } from "../tools/diffNames.ts";
import { plainText } from "../tools/keptOutput.ts";
import { nameOf } from "./mentioned.ts";

export interface EditorContexts extends vscode.Disposable {
  readonly contexts: OwnContexts;
}

/** Follows the terminals until it is disposed: what they have said before is not known. */
export function createOwnContexts(): EditorContexts {
  let last: TerminalRun | null = null;
  const following = vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
    const run: TerminalRun = { command: execution.commandLine.value, output: "", code: undefined };
    last = run;
    void keep(run, execution);
  });
  const ended = vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
    if (last?.command === execution.commandLine.value) last.code = exitCode;
  });
  return {
    contexts: {
      problems: () => Promise.resolve(problems()),
      changes,
      terminal: () => Promise.resolve(last && terminal(last)),
    },
    dispose: () => vscode.Disposable.from(following, ended).dispose(),
  };
}

interface TerminalRun {
  readonly command: string;
  output: string;
  code: number | undefined;
}

/** Characters of a command's output that are kept: its end tells more than its beginning. */
const mostOutput = 30_000;

async function keep(run: TerminalRun, execution: vscode.TerminalShellExecution): Promise<void> {
  for await (const chunk of execution.read()) run.output = (run.output + chunk).slice(-2 * mostOutput);
}

function terminal({ command, output, code }: TerminalRun): string {
  const end = code === undefined ? "" : `\n\nexit code ${code}`;
  return `$ ${command}\n${plainText(output).trim().slice(-mostOutput)}${end}`;
}

const mostProblems = 200;

function problems(): string | null {
  const lines = vscode.languages.getDiagnostics().flatMap(([uri, found]) => {
    const file = nameOf(uri);
    if (file === null) return [];
    return found
      .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
      .map(({ range, severity, source, message }) => {
        const kind = severity === vscode.DiagnosticSeverity.Error ? "error" : "warning";
        return `${file}:${range.start.line + 1}: ${kind}: ${message}${source === undefined ? "" : ` (${source})`}`;
      });
  });
  if (lines.length === 0) return null;
  const more = lines.length > mostProblems ? [`and ${lines.length - mostProblems} more`] : [];
  return [...lines.slice(0, mostProblems), ...more].join("\n");
}

/** As much of the git extension's interface as is used here. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly untrackedChanges: readonly { readonly uri: vscode.Uri }[] };
  /** @param staged what is staged, or what is not */
  diff(staged: boolean): Promise<string>;
}

/** Of files that may be read only: a diff shows what is in them. */
async function changes({ mayRead }: Looking): Promise<string | null> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): { repositories: readonly Repository[] } }>(
    "vscode.git",
  );
  const git = await extension?.activate();
  const parts: string[] = [];
  for (const repository of git?.getAPI(1).repositories ?? []) {
    const diffs = [await repository.diff(true), await repository.diff(false)];
    for (const one of diffs.flatMap((diff) => diff.split(/^(?=diff --git )/m))) {
      const files = changedIn(one, repository.rootUri);
      const open = await Promise.all(files.map(async (file) => file !== null && (await mayRead(file))));
      if (open.length > 0 && open.every(Boolean)) parts.push(one.trimEnd());
    }
    for (const { uri } of repository.state.untrackedChanges) parts.push(`new, not in git yet: ${nameOf(uri) ?? ""}`);
  }
  return parts.length === 0 ? null : parts.join("\n");
}

/** The files that a part of a diff is about; null for one that is not of the workspace. */
function changedIn(diff: string, root: vscode.Uri): readonly (string | null)[] {
  return namesInDiff(diff).map((file) => nameOf(vscode.Uri.joinPath(root, file)));
}
