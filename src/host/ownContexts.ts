// What `@problems`, `@changes`, `@commit:…` and `@terminal` attach to a message: what the editor knows beside the files.
import * as vscode from "vscode";
import type { OwnContexts } from "../tools/attach.ts";
import { plainText } from "../tools/keptOutput.ts";
import { changes, commit } from "./gitContexts.ts";
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
      commit,
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
