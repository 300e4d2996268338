// What the editor finds wrong in a file since it was changed: for the model, right after its change.
import * as vscode from "vscode";

export interface Problems {
  /** Those that were not there when it began, in words with their line; waits a little for them to come. */
  readonly fresh: () => Promise<readonly string[]>;
}

/** How long problems are waited for, in milliseconds: whoever finds them needs a moment, and a change nobody looks at gets none. */
const patience = 800;
/** After the last change of the list, in milliseconds: some come in two steps. */
const settled = 250;
const most = 10;

/** Remembers what is wrong now; to be called before a change. */
export function watchProblems(uri: vscode.Uri): Problems {
  const known = new Set(seriousOf(uri).map(keyOf));
  return {
    async fresh() {
      await quiet(uri);
      const fresh = seriousOf(uri).filter((problem) => !known.has(keyOf(problem)));
      const lines = fresh.slice(0, most).map(inWords);
      return fresh.length > most ? [...lines, `and ${fresh.length - most} more`] : lines;
    },
  };
}

function quiet(uri: vscode.Uri): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(end, patience);
    const changes = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((other) => other.toString() === uri.toString())) return;
      clearTimeout(timer);
      timer = setTimeout(end, settled);
    });
    function end(): void {
      changes.dispose();
      resolve();
    }
  });
}

function seriousOf(uri: vscode.Uri): readonly vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
}

/** Without its place: a line that has moved is no new problem. */
function keyOf({ severity, source, message }: vscode.Diagnostic): string {
  return JSON.stringify([severity, source, message]);
}

function inWords({ range, severity, source, message }: vscode.Diagnostic): string {
  const kind = severity === vscode.DiagnosticSeverity.Error ? "error" : "warning";
  return `line ${range.start.line + 1}: ${kind}: ${message}${source === undefined ? "" : ` (${source})`}`;
}
