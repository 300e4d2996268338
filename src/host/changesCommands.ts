// Keep and Undo for what calls have changed: a hunk, a file, or all of a run; nobody else's lines go unasked.
import * as vscode from "vscode";
import { sameState } from "../brain/fileState.ts";
import type { CommandName } from "../protocol/commands.ts";
import { openDocument, type ChangedEntry, type ChangedList } from "./changedList.ts";
import type { ChangesControl } from "./changesControl.ts";
import { keptAt, placesOf, undoneAt, type ChangedPlace, type ChangedText } from "./changedText.ts";
import { lineChangeIn, placeFor } from "./changedPlaces.ts";
import { withLf } from "../tools/lineEndings.ts";
import { editTo } from "./textEdits.ts";
import { isGiven, notePlaces, undoChanges, type UndoingParts } from "./undoing.ts";

export type ChangesCommand = Extract<
  CommandName,
  "showChanges" | "openChange" | "keepHunk" | "undoHunk" | "keepFile" | "undoFile" | "keepAllChanges" | "undoAllChanges"
>;

export interface ChangesParts extends UndoingParts {
  readonly list: ChangedList;
  readonly control: ChangesControl;
}

type Handler = (argument?: unknown, ...more: readonly unknown[]) => unknown;

export function createChangesCommands(parts: ChangesParts): Readonly<Record<ChangesCommand, Handler>> {
  const { list, control } = parts;
  const looked = (work: Handler): Handler => {
    return async (...given) => {
      await list.refresh();
      const result = await work(...given);
      await list.refresh();
      return result;
    };
  };
  return {
    showChanges: looked(async () => {
      if (list.all().length > 0) await vscode.commands.executeCommand("workbench.view.scm");
      else nothing();
      return control.groups().map(({ label, entries }) => ({ label, paths: entries.map(({ file }) => file.path) }));
    }),
    openChange: (...given) => Promise.all(entriesIn(list, given).map((entry) => control.open(entry))),
    keepHunk: looked((...given) => onHunk(list, given, (target) => keepHunk(parts, target))),
    undoHunk: looked((...given) => onHunk(list, given, (target) => undoHunk(parts, target, isGiven(given[0])))),
    keepFile: looked((...given) => keepFiles(parts, entriesIn(list, given))),
    undoFile: looked((...given) => undoFiles(parts, entriesIn(list, given), isGiven(given[0]))),
    keepAllChanges: looked((...given) => keepFiles(parts, inGroup(parts, given[0]))),
    undoAllChanges: looked((...given) => undoFiles(parts, inGroup(parts, given[0]), isGiven(given[0]))),
  };
}

interface Target {
  readonly entry: ChangedEntry;
  readonly text: ChangedText;
  readonly place: ChangedPlace;
}

/** The hunk that the editor's own view of it names, or the one at the cursor; the cursor goes on to the next. */
async function onHunk(
  list: ChangedList,
  [first, ...more]: readonly unknown[],
  work: (target: Target) => Promise<boolean>,
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const [entry, ...others] = entriesIn(list, [first]);
  const text = entry && others.length === 0 ? await list.text(entry) : null;
  if (!entry || !text) return nothing();
  const change = lineChangeIn(more);
  const place = placeFor(entry, text, change ?? editor?.selection.active.line ?? 0);
  if (!place) return nothing();
  if ((await work({ entry, text, place })) && !change && editor) moveOn(editor, await nowOf(list, entry));
}

async function nowOf(list: ChangedList, { uri }: ChangedEntry): Promise<readonly ChangedPlace[]> {
  await list.refresh();
  const entry = list.of(uri);
  const text = entry && (await list.text(entry));
  return text ? placesOf(text) : [];
}

function moveOn(editor: vscode.TextEditor, places: readonly ChangedPlace[]): void {
  const at = editor.selection.active.line;
  const next = places.find(({ now }) => now.from >= at) ?? places[0];
  if (!next) return;
  const position = new vscode.Position(Math.min(next.now.from, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function keepHunk({ workspace }: ChangesParts, { entry, text, place }: Target): Promise<boolean> {
  const { changes } = workspace.open().composition;
  const { baseline, left } = keptAt(text, place);
  const kept = { baseline: Buffer.from(baseline), ...(left !== text.left && { left: Buffer.from(left) }) };
  await changes.keep(entry.sessionId, new Map([[entry.file.path, kept]]));
  return true;
}

async function undoHunk(parts: ChangesParts, { entry, text, place }: Target, given: boolean | null): Promise<boolean> {
  if (place.mixed && !(given ?? (await mayGo(entry, 1)))) return false;
  return undoPlaces(parts, entry, { text, places: [place] });
}

interface Places {
  readonly text: ChangedText;
  readonly places: readonly ChangedPlace[];
}

/** One step of the editor; saved only when the person had nothing unsaved in it. */
async function undoPlaces(parts: ChangesParts, entry: ChangedEntry, { text, places }: Places): Promise<boolean> {
  const document = openDocument(entry.uri) ?? (await vscode.workspace.openTextDocument(entry.uri));
  // A person may have been asked in between, and whoever has written meanwhile keeps it.
  if (withLf(document.getText()).text !== text.now) {
    const changed = vscode.l10n.t(
      "“{0}” has changed meanwhile, so nothing was undone in it. Try it again.",
      entry.file.path,
    );
    void vscode.window.showWarningMessage(changed);
    return false;
  }
  const wasDirty = document.isDirty;
  const wanted = undoneAt(text, places);
  if (!(await vscode.workspace.applyEdit(editTo(document, wanted)))) return false;
  const saved = !wasDirty && (await document.save());
  // A run that is going on finds out by itself that the file is not what it read.
  if (parts.chat.running()) return true;
  // An editor knows one line ending for all lines and may know no other encoding: the bytes are those that there were.
  const { kept, between, runId, path } = entry.file;
  const whole = saved && wanted === text.baseline && !kept && between.length === 0;
  if (!whole || !(await undoChanges(parts, { runId, paths: [path] }, { over: true, quiet: true })))
    await notePlaces(parts, { runId, path, count: places.length });
  return true;
}

async function keepFiles({ workspace }: ChangesParts, entries: readonly ChangedEntry[]): Promise<void> {
  const [first] = entries;
  if (!first) return nothing();
  const all = new Map(entries.map(({ file }) => [file.path, "all"] as const));
  await workspace.open().composition.changes.keep(first.sessionId, all);
}

/**
 * Files that are as the calls have left them go back as they were, byte for byte; of the others what calls have changed is
 * taken out of the text.
 */
async function undoFiles(parts: ChangesParts, entries: readonly ChangedEntry[], given: boolean | null): Promise<void> {
  const [first] = entries;
  if (!first) return nothing();
  const whole: ChangedEntry[] = [];
  for (const entry of entries) {
    const text = isAsLeft(entry) && !parts.chat.running() ? null : await textOf(parts.list, entry);
    if (text) await undoText(parts, entry, { text, given });
    else whole.push(entry);
  }
  if (whole.length === 0) return;
  const sure = whole.length === 1 && whole.every((entry) => isAsLeft(entry) && entry.file.between.length === 0);
  const answer = given === null ? (sure ? { over: false } : undefined) : { over: given };
  const target = { runId: first.file.runId, paths: whole.map(({ file }) => file.path) };
  await undoChanges(parts, target, answer);
}

async function undoText(
  parts: ChangesParts,
  entry: ChangedEntry,
  { text, given }: { readonly text: ChangedText; readonly given: boolean | null },
): Promise<void> {
  const all = placesOf(text);
  const mixed = all.filter((place) => place.mixed);
  const over = mixed.length > 0 && (given ?? (await mayGo(entry, mixed.length)));
  const places = over ? all : all.filter((place) => !place.mixed);
  if (places.length > 0) await undoPlaces(parts, entry, { text, places });
}

/** Nobody has touched it since. */
function isAsLeft({ file, uri }: ChangedEntry): boolean {
  return sameState(file.now, file.after) && !file.kept && !file.interrupted && openDocument(uri)?.isDirty !== true;
}

/**
 * Null where there is no text to take something out of, or nobody knows whose work it is: then the file comes or goes as a
 * whole, and a person is asked.
 */
async function textOf(list: ChangedList, entry: ChangedEntry): Promise<ChangedText | null> {
  return entry.file.before?.kind === "file" && !entry.file.interrupted ? list.text(entry) : null;
}

async function mayGo({ file }: ChangedEntry, count: number): Promise<boolean> {
  const question =
    count === 1
      ? vscode.l10n.t(
          "You have changed a place of “{0}” that Brain had changed. Undo your lines there, too?",
          file.path,
        )
      : vscode.l10n.t(
          "You have changed {0} places of “{1}” that Brain had changed. Undo your lines there, too?",
          count,
          file.path,
        );
  const undo = vscode.l10n.t("Undo Mine Too");
  return (await vscode.window.showWarningMessage(question, { modal: true }, undo)) !== undefined;
}

/** What menus name: rows of a group, a file, or nothing; then it is the file in the editor. */
function entriesIn(list: ChangedList, given: readonly unknown[]): readonly ChangedEntry[] {
  const named = given.flatMap((one) => {
    if (one instanceof vscode.Uri) return [one];
    const row = typeof one === "object" && one !== null && "resourceUri" in one ? one.resourceUri : null;
    return row instanceof vscode.Uri ? [row] : [];
  });
  const active = vscode.window.activeTextEditor?.document.uri;
  const uris = named.length > 0 ? named : active ? [active] : [];
  return uris.flatMap((uri) => list.of(uri) ?? []);
}

/** A group that a menu names; without one all of them. */
function inGroup({ control }: ChangesParts, given: unknown): readonly ChangedEntry[] {
  const id = typeof given === "object" && given !== null && "id" in given ? given.id : undefined;
  const groups = control.groups();
  return groups.filter((group) => typeof id !== "string" || group.id === id).flatMap(({ entries }) => entries);
}

function nothing(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t("There is nothing here that Brain has changed and you have not decided about."),
  );
}
