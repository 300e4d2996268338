// Files as the person sees them: unsaved text in an editor counts, and what is open is written through its editor.
import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { sep } from "node:path";
import * as vscode from "vscode";
import type { ScopedPath } from "../scope/scope.ts";
import { watchProblems } from "./newProblems.ts";
import { pathAsOpened } from "./openedPaths.ts";
import { encode, lackingWords } from "../tools/encodings.ts";
import { fileProblem } from "../tools/fileProblem.ts";
import { setEncodings } from "./setEncodings.ts";
import { hashText, type Files, type WriteOutcome } from "../tools/workspace.ts";

/**
 * Wraps the files on disk. Only a buffer with unsaved work is the truth: a clean one may lag behind a command that has just
 * changed the file, and VS Code keeps buffers for a while after their editors are closed.
 */
export function openFiles(disk: Files): Files {
  return {
    async read(path) {
      const dirty = (await documentsOf(path)).find((document) => document.isDirty);
      if (!dirty) return disk.read(path);
      const text = dirty.getText();
      const other = dirty.encoding === "utf8" ? {} : { encoding: dirty.encoding };
      return { text, hash: hashText(text), source: "buffer", unsaved: true, ...other };
    },
    async write(path, text, expectedHash) {
      if (await isNotebookUnsaved(path)) return { kind: "failed", message: unsavedNotebook(path) };
      const documents = await documentsOf(path);
      const dirty = documents.find((document) => document.isDirty);
      if (dirty) return hashText(dirty.getText()) === expectedHash ? writeBuffer(dirty, path, text) : { kind: "stale" };
      // The disk says itself why it cannot be read.
      const now = await disk.read(path).catch(() => null);
      const isSame = (document: vscode.TextDocument): boolean => hashText(document.getText()) === now?.hash;
      const same = documents.find((document) => !document.isClosed && isSame(document));
      if (!same || now?.hash !== expectedHash) return disk.write(path, text, expectedHash);
      // The editor would have the change, and could not save it.
      const refused = await access(path.real, constants.W_OK).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      if (refused) return { kind: "failed", message: fileProblem(path.relative, refused.error) };
      return writeBuffer(same, path, text);
    },
    async remove(path, expectedHash) {
      return (await isUnsaved(path)) ? { kind: "stale" } : disk.remove(path, expectedHash);
    },
    removeWhole: async (path, isAsSeen) =>
      (await isUnsaved(path)) ? { kind: "stale" } : disk.removeWhole(path, isAsSeen),
    async find(path) {
      const found = await disk.find(path);
      return found !== "nothing" && (await isUnsaved(path)) ? "unsaved" : found;
    },
    async move(from, to) {
      const unsaved = { kind: "failed", message: `“${from.relative}” has unsaved changes in the editor.` } as const;
      return (await isUnsaved(from)) ? unsaved : disk.move(from, to);
    },
  };
}

/** A notebook's editor has no text: what is unsaved in it cannot be read here, and must not be written over. */
async function isNotebookUnsaved({ real }: ScopedPath): Promise<boolean> {
  const open = vscode.workspace.notebookDocuments.filter(({ uri, isDirty }) => uri.scheme === "file" && isDirty);
  const paths = await Promise.all(open.map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath)));
  return paths.includes(real);
}

function unsavedNotebook({ relative }: ScopedPath): string {
  return `“${relative}” has unsaved changes in the editor: the person has to save or drop them first.`;
}

/** Whether only an editor has what somebody has written into a file, or into one in a folder. */
async function isUnsaved({ real }: ScopedPath): Promise<boolean> {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  const open = [...textDocuments, ...notebookDocuments].filter(({ uri, isDirty }) => uri.scheme === "file" && isDirty);
  const paths = await Promise.all(open.map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath)));
  return paths.some((path) => path === real || path.startsWith(real + sep));
}

/** An editor may have reached the file through a link, so real paths are compared. */
async function documentsOf(path: ScopedPath): Promise<vscode.TextDocument[]> {
  const documents = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === "file" && !isClosed);
  const paths = await Promise.all(documents.map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath)));
  return documents.filter((_, index) => paths[index] === path.real);
}

/** One undo step; saved only when the person had nothing unsaved in it. */
async function writeBuffer(document: vscode.TextDocument, path: ScopedPath, text: string): Promise<WriteOutcome> {
  // The editor would save a question mark for what the encoding does not have.
  const encoding = { name: document.encoding, marked: false };
  const seen = document.getText();
  const bytes = await encode(text, encoding, setEncodings());
  if ("lacks" in bytes) return { kind: "failed", message: lackingWords(path.relative, encoding, bytes.lacks) };
  // Whoever has typed meanwhile keeps it; of a closed document nothing more is heard.
  if (document.isClosed || document.getText() !== seen) return { kind: "stale" };
  const wasDirty = document.isDirty;
  const problems = watchProblems(document.uri);
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, whole, text);
  const applied = await vscode.workspace.applyEdit(edit);
  if (!applied) return { kind: "failed", message: `The editor did not take the change to ${document.uri.fsPath}.` };
  const saved =
    !wasDirty &&
    (await document.save().then(
      (done) => done,
      () => false,
    ));
  const now = document.getText();
  const fresh = await problems.fresh();
  return {
    kind: "written",
    hash: hashText(now),
    saved,
    ...(now !== text && { text: now }),
    ...(fresh.length > 0 && { problems: fresh }),
  };
}

/** Where the editor shows a file. @param real its path without links */
export function asOpened(real: string): vscode.Uri {
  const folders = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    uri.scheme === "file" ? uri.fsPath : [],
  );
  return vscode.Uri.file(pathAsOpened(real, folders));
}
