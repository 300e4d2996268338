// Code that a person has applied, as it comes into its files: all or none of it, with words for what went wrong and a way back.
import { mkdir, rm } from "node:fs/promises";
import * as vscode from "vscode";
import { readIfThere, writeAtomic } from "../brain/files.ts";
import type { ScopedPath } from "../scope/scope.ts";
import type { FilesInScope } from "../tools/workspace.ts";
import { putBack, tornIn, writeTogether, type Journal, type Together, type Written } from "../tools/writeTogether.ts";
import type { Change } from "../tools/writing.ts";
import { asOpened } from "./openFiles.ts";
import { told } from "./words.ts";

interface Writing {
  readonly journal: Journal;
  /** The person has taken it back. */
  readonly undone?: () => void;
}

/** Says what has become of it. @returns the files that have been written; none: nothing was */
export async function writeApplied(
  files: FilesInScope,
  changes: readonly Change[],
  { journal, undone = () => undefined }: Writing,
): Promise<readonly ScopedPath[]> {
  // Through its editor, so that the editor can undo it; what no editor opens is written all the same.
  const opened = async ({ path, before }: Change): Promise<unknown> =>
    before && vscode.workspace.openTextDocument(asOpened(path.real)).then(undefined, () => undefined);
  const together = await writeTogether(files, changes, { journal, opened });
  if (together.kind !== "written") {
    void tellWhy(files, changes, together);
    return [];
  }
  const { written } = together;
  if (written.length > 0) void offerUndo(files, written, undone);
  return written.map(({ back }) => back.path);
}

/** What could not be written may hold what the person has typed. */
async function tellWhy(
  files: FilesInScope,
  changes: readonly Change[],
  together: Exclude<Together, { kind: "written" }>,
): Promise<void> {
  const open = vscode.l10n.t("Open in a New Editor");
  const undo = vscode.l10n.t("Undo");
  const left = together.kind === "failed" ? together.left : [];
  const chosen = await vscode.window.showErrorMessage(
    whyOf(together, changes.length > 1),
    ...(left.length > 0 ? [undo] : []),
    open,
  );
  if (chosen === undo) await takeBack(files, left);
  if (chosen !== open) return;
  for (const { after } of changes) {
    const document = await vscode.workspace.openTextDocument({ content: after ?? "" });
    await vscode.window.showTextDocument(document, { preview: false });
  }
}

function whyOf(together: Exclude<Together, { kind: "written" }>, areSeveral: boolean): string {
  if (together.kind === "stale")
    return vscode.l10n.t(
      "“{0}” has changed since you were shown this, so nothing was written. Apply the code again; what you left of it is kept in an editor if you open it now.",
      together.change.path.relative,
    );
  const why = told(together.message);
  if (together.left.length > 0)
    return vscode.l10n.t(
      "{0} But {1} was written before and could not be put back: it has the change.",
      why,
      namesOf(together.left),
    );
  return areSeveral ? vscode.l10n.t("{0} The other files are as they were.", why) : why;
}

async function offerUndo(files: FilesInScope, written: readonly Written[], undone: () => void): Promise<void> {
  const undo = vscode.l10n.t("Undo");
  const unsaved = written.filter((one) => one.unsaved);
  const chosen =
    unsaved.length === 0
      ? await vscode.window.showInformationMessage(
          vscode.l10n.t("The code was applied to {0}.", namesOf(written)),
          undo,
        )
      : await vscode.window.showWarningMessage(
          vscode.l10n.t(
            "The code was applied to {0}. {1} could not be saved: only the editor has the change.",
            namesOf(written),
            namesOf(unsaved),
          ),
          undo,
        );
  if (chosen === undo && (await takeBack(files, written))) undone();
}

/** False: not all of it could be. */
async function takeBack(files: FilesInScope, written: readonly Written[]): Promise<boolean> {
  const left = await putBack(files, written);
  for (const { message } of left) void vscode.window.showErrorMessage(told(message));
  return left.length === 0;
}

function namesOf(written: readonly Written[]): string {
  return named(written.map(({ back }) => back.path));
}

function named(paths: readonly ScopedPath[]): string {
  return paths.map(({ relative }) => `“${relative}”`).join(", ");
}

/** Asks what is to become of code that was being applied to several files when the window was killed. */
export async function tellTorn(files: FilesInScope, journal: Journal): Promise<void> {
  const torn = await tornIn(files, journal);
  if (torn) {
    const { written, missing } = torn;
    const undo = vscode.l10n.t("Undo");
    const rest = vscode.l10n.t("Apply the Rest");
    const message = vscode.l10n.t(
      "The window closed while code was applied: {0} has its change, {1} does not.",
      namesOf(written),
      named(missing.map(({ path }) => path)),
    );
    const chosen = await vscode.window.showWarningMessage(message, undo, rest);
    if (chosen === undo) await takeBack(files, written);
    if (chosen === rest) return void (await writeApplied(files, missing, { journal }));
  }
  await journal.clear();
}

/** Beside what else is kept for the workspace; without a folder there is nothing to write either. */
export function journalIn(folder: vscode.Uri | undefined): Journal {
  if (!folder)
    return { keep: () => Promise.resolve(), read: () => Promise.resolve(null), clear: () => Promise.resolve() };
  const file = vscode.Uri.joinPath(folder, "applying.json").fsPath;
  return {
    async keep(noted) {
      await mkdir(folder.fsPath, { recursive: true });
      await writeAtomic(file, noted);
    },
    read: () => readIfThere(file),
    clear: () => rm(file, { force: true }),
  };
}
