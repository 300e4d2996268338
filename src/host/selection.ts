// Tells the panel which lines are selected in the editor, so that a person can send them along.
import * as vscode from "vscode";
import type { SelectedLines } from "../protocol/suggestions.ts";
import { nameOf } from "./mentioned.ts";
import type { Panel } from "./panelView.ts";

/** Milliseconds without a further change after which a selection is told: dragging changes it all the time. */
const settled = 150;

export interface Selection {
  /** A page has been loaded, which knows of none: it is told once more. */
  readonly again: () => void;
}

/** Until the panel is closed. */
export function followSelection(panel: Pick<Panel, "place" | "post">): Selection {
  let timer: NodeJS.Timeout | undefined;
  let told = "null";
  const tell = (): void => {
    const selected = selectedIn(vscode.window.activeTextEditor);
    const text = JSON.stringify(selected);
    if (text === told) return;
    told = text;
    void panel.post({ type: "selection", selected });
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(tell, settled);
  };
  const following = vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorSelection(soon),
    // The panel itself takes the focus and leaves no editor active: what was selected stays selected.
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && soon()),
    { dispose: () => clearTimeout(timer) },
  );
  panel.place.onDidDispose(() => following.dispose());
  return {
    again() {
      told = "null";
      tell();
    },
  };
}

/** The lines of the workspace that are selected in an editor; null: none. */
export function selectedIn(editor: vscode.TextEditor | undefined): SelectedLines | null {
  const path = editor && nameOf(editor.document.uri);
  if (!path || editor.selection.isEmpty) return null;
  const { start, end } = editor.selection;
  // A line that is only touched by the end of the selection is not part of it.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { path, from: start.line + 1, to: last + 1 };
}
