// What an editor shows at each proposed hunk: a line of actions above it, and in the file itself a mark with the hunk on hover.
import * as vscode from "vscode";
import { placesIn, type HunkPlace } from "./reviewPlaces.ts";
import { proposedScheme } from "./reviewFiles.ts";
import { stateOf } from "./reviewed.ts";
import type { Reviews } from "./reviews.ts";

/** Lines of a hunk that a hover shows. */
const mostHovered = 40;

export function createReviewMarks(reviews: Reviews): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.modifiedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    borderWidth: "0 0 0 3px",
    borderStyle: "dotted",
    borderColor: new vscode.ThemeColor("editorGutter.modifiedBackground"),
  });
  const draw = (): void => {
    changed.fire();
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (document.uri.scheme === "file") editor.setDecorations(mark, placesIn(document, reviews).map(decoration));
    }
  };
  reviews.onChange(draw);
  return vscode.Disposable.from(
    changed,
    mark,
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme === "file" && reviews.all().size > 0) draw();
    }),
    vscode.languages.registerCodeLensProvider([{ scheme: proposedScheme }, { scheme: "file" }], {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: (document) => placesIn(document, reviews).flatMap(lensesFor),
    }),
  );
}

function lensesFor(place: HunkPlace): vscode.CodeLens[] {
  const { toolCallId, hunk, review, number, line } = place;
  const range = new vscode.Range(line, 0, line, 0);
  const lens = (title: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command: `brain.${command}`, arguments: [{ toolCallId, hunkId: hunk.id }] });
  const name = vscode.l10n.t("Brain {0} of {1}", number, review.hunks.length);
  const accepted = stateOf(review, hunk.id) === "accepted";
  return [
    ...(accepted ? [] : [lens(vscode.l10n.t("$(check) Accept"), "acceptHunk")]),
    lens(vscode.l10n.t("$(close) Reject"), "rejectHunk"),
    lens(vscode.l10n.t("$(comment) Comment"), "commentHunk"),
    lens(accepted ? vscode.l10n.t("{0} · accepted", name) : name, "reviewCall"),
  ];
}

function decoration({ line, length, hunk }: HunkPlace): vscode.DecorationOptions {
  const end = line + Math.max(0, length - 1);
  const lines = [...hunk.removed.map((text) => `-${text}`), ...hunk.added.map((text) => `+${text}`)];
  const shown = lines.slice(0, mostHovered).map((text) => text.replace(/\r?\n$/, ""));
  const more = lines.length > mostHovered ? `\n\n${vscode.l10n.t("{0} more lines", lines.length - mostHovered)}` : "";
  const hover = new vscode.MarkdownString(`${vscode.l10n.t("Proposed by Brain")}\n`).appendCodeblock(
    shown.join("\n"),
    "diff",
  );
  if (more !== "") hover.appendMarkdown(more);
  return { range: new vscode.Range(line, 0, end, 0), hoverMessage: hover };
}
