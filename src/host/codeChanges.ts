// What code of an answer would make of files, each checked against the scope; where it does not say which file, the person does.
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import type { ScopeDenial, ScopedPath } from "../scope/scope.ts";
import { fitHunks } from "../tools/fitHunks.ts";
import type { PatchFile } from "../tools/patchFile.ts";
import { placeCode, type Stretch } from "../tools/placeCode.ts";
import { readPatch } from "../tools/readPatch.ts";
import type { FileContent, FilesInScope } from "../tools/workspace.ts";
import type { Change } from "../tools/writing.ts";
import { namedFiles, withoutName, type ShownCode } from "./codeNames.ts";
import { askForFile, editorInUse } from "./codeTarget.ts";
import { told } from "./words.ts";

/** The changes; or why there are none, in a sentence for the person; null when they left. */
type Made = readonly Change[] | string | null;

export async function changesOf(files: FilesInScope, code: ShownCode): Promise<Made> {
  if (!isDiff(code)) {
    const path = await targetOf(files, namedFiles(code));
    return path === null ? null : "denied" in path ? told(path.denied) : ofPart(files, path, code);
  }
  const parts = await patchFiles(files, code);
  if (parts === null || typeof parts === "string") return parts;
  // A diff may come to a file again: what it says then stands on what it said before.
  const changes = new Map<string, Change>();
  for (const part of parts) {
    const earlier = changes.get(part.path.real);
    const before = earlier ? earlier.before : await files.files.read(part.path);
    const made = ofDiff(part, before, earlier?.after ?? before?.text);
    if (typeof made === "string") return made;
    changes.set(part.path.real, made);
  }
  return [...changes.values()];
}

/** Whether code says what to change instead of what is to be there. */
export function isDiff({ language, text }: ShownCode): boolean {
  return /^(?:diff|patch|udiff)$/i.test(language) || /^(?:diff --git |\*\*\* Begin Patch|--- \S.*\n\+\+\+ )/.test(text);
}

/** What exists of what is named, else the editor that is in use, else what the person says. */
async function targetOf(
  { scope, files }: FilesInScope,
  names: readonly string[],
): Promise<ScopedPath | ScopeDenial | null> {
  const missing: string[] = [];
  for (const name of names) {
    const path = await scope.resolve(name, "write");
    if ("denied" in path || (await files.find(path)) !== "nothing") return path;
    missing.push(name);
  }
  const [named] = missing.filter((name) => name.includes("/") || name === names[0]);
  const editor = editorInUse();
  if (named === undefined && editor) return scope.at(editor.document.uri.fsPath, "write");
  const chosen = await askForFile(named);
  if (chosen === undefined) return null;
  return typeof chosen === "string" ? scope.resolve(chosen, "write") : scope.at(chosen.fsPath, "write");
}

async function ofPart({ files }: FilesInScope, path: ScopedPath, code: ShownCode): Promise<Made> {
  const before = await files.read(path);
  const [line] = code.text.split("\n", 1);
  // A file may have its own name in its first line.
  const isOwn = line !== undefined && before?.text.startsWith(line);
  const text = isOwn ? code.text : withoutName(code.text);
  const found = placeCode(before?.text ?? null, text, before && (await selectionIn(path, before)));
  if (found.kind === "placed" && found.text !== before?.text) return [{ path, before, after: found.text }];
  const { relative } = path;
  if (found.kind === "placed") return vscode.l10n.t("“{0}” has this code already: nothing would change.", relative);
  return found.kind === "elided"
    ? vscode.l10n.t(
        "Line {0} of the code leaves something out, so it is not certain what it replaces in “{1}”. Ask for all of it, or put it in by hand.",
        found.line,
        relative,
      )
    : vscode.l10n.t(
        "It is not certain where this code goes in “{0}”. Select there what it replaces and apply it again, or put it in by hand.",
        relative,
      );
}

/** What is selected in the file, if its editor shows it as it is read. */
async function selectionIn(path: ScopedPath, { text }: FileContent): Promise<Stretch | null> {
  const editor = editorInUse();
  if (!editor || editor.selection.isEmpty || editor.document.getText() !== text) return null;
  const { document, selection } = editor;
  // The folder may have been opened through a link.
  if ((await realpath(document.uri.fsPath).catch(() => null)) !== path.real) return null;
  return { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
}

interface DiffPart {
  readonly path: ScopedPath;
  readonly file: PatchFile;
}

async function patchFiles(files: FilesInScope, code: ShownCode): Promise<readonly DiffPart[] | string | null> {
  const hasNames = /^(?:\*\*\* |\+\+\+ |rename )/m.test(code.text);
  const body = /^@@/m.test(code.text) ? code.text : `@@\n${code.text}`;
  const read = readPatch(hasNames ? code.text : `--- a/it\n+++ b/it\n${body}`);
  if ("problem" in read) return told(read.problem);
  const [only] = read.files;
  if (read.files.some(({ kind, to }) => kind === "delete" || to !== undefined))
    return vscode.l10n.t("This diff deletes or moves files, which only a run of the agent can do.");
  const parts: DiffPart[] = [];
  for (const file of read.files) {
    const names = hasNames ? [file.path] : namedFiles({ ...code, text: "" });
    const path =
      file === only && read.files.length === 1
        ? await targetOf(files, names)
        : await files.scope.resolve(file.path, "write");
    if (path === null) return null;
    if ("denied" in path) return told(path.denied);
    parts.push({ path, file });
  }
  return parts;
}

/** @param there the text that the part is for; undefined: there is no file */
function ofDiff({ path, file }: DiffPart, before: FileContent | null, there: string | undefined): Change | string {
  const { relative } = path;
  if (file.kind === "add" && there !== undefined)
    return vscode.l10n.t("The diff would make “{0}” anew, but there is such a file.", relative);
  if (file.kind !== "add" && there === undefined)
    return vscode.l10n.t("There is no file {0} in this folder.", relative);
  const fitted = fitHunks(there ?? "", file.hunks);
  if ("problem" in fitted) return vscode.l10n.t("The diff does not fit “{0}”: {1}", relative, told(fitted.problem));
  return fitted.text === (there ?? "")
    ? vscode.l10n.t("“{0}” has this code already: nothing would change.", relative)
    : { path, before, after: fitted.text };
}
