// The files that calls of the open session have changed and a person may still keep or undo: what there is of each, as text where it is text.
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import type { ChangedFile } from "../brain/changes.ts";
import { sameState, type FileState } from "../brain/fileState.ts";
import type { PanelEvent } from "../protocol/events.ts";
import { withLf } from "../tools/lineEndings.ts";
import { originalOf, type ChangedText } from "./changedText.ts";
import type { Fold } from "./fold.ts";
import type { WorkspaceAccess } from "./workspace.ts";

export interface ChangedEntry {
  readonly file: ChangedFile;
  readonly uri: vscode.Uri;
  readonly sessionId: string;
}

export interface ChangedList extends vscode.Disposable {
  /** Those that differ now, by path. */
  readonly all: () => readonly ChangedEntry[];
  readonly of: (uri: vscode.Uri) => ChangedEntry | undefined;
  /** Null where it is no text, or no file was there before or is there now but the other way. */
  text(entry: ChangedEntry): Promise<ChangedText | null>;
  /** The text of one that is gone. */
  before(entry: ChangedEntry): Promise<string>;
  /** Looks again. Never throws. */
  refresh(): Promise<void>;
  readonly event: (event: PanelEvent) => void;
  /** Called after each look that found something else, and after typing in one of them. */
  readonly onChange: (listener: () => void) => void;
}

export interface ChangedListParts {
  readonly fold: Pick<Fold, "view">;
  readonly workspace: WorkspaceAccess;
  readonly log: (message: string) => void;
}

const tellers: ReadonlySet<PanelEvent["type"]> = new Set([
  "call:changes",
  "changes:undone",
  "session:open",
  "loop:end",
]);
/** Milliseconds after which what was typed or written is looked at. */
const pause = 250;

export function createChangedList(parts: ChangedListParts): ChangedList {
  let all: readonly ChangedEntry[] = [];
  /** Also those that are as they were: an editor may take an undoing back. */
  let known: ReadonlySet<string> = new Set();
  const listeners: (() => void)[] = [];
  const tell = (): void => listeners.forEach((listener) => listener());
  const texts = createTexts(parts);
  const look = async (): Promise<void> => {
    const standing = await standingFiles(parts);
    known = new Set(standing.map(({ uri }) => uri.toString()));
    const differing: ChangedEntry[] = [];
    for (const entry of standing) if (await isChanged(entry, texts)) differing.push(entry);
    all = differing;
    tell();
  };
  const { refresh, soon, dispose } = inTurn(() =>
    look().catch((error: unknown) => parts.log(`The changed files are not known: ${String(error)}`)),
  );
  const touched = (uri: vscode.Uri): void => {
    if (known.has(uri.toString())) soon();
  };
  const watcher = vscode.workspace.createFileSystemWatcher("**/*");
  const typed = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0 && document.uri.scheme === "file") touched(document.uri);
  });
  const held = vscode.Disposable.from(
    watcher,
    typed,
    watcher.onDidChange(touched),
    watcher.onDidCreate(touched),
    watcher.onDidDelete(touched),
  );
  return {
    all: () => all,
    of: (uri) => all.find((entry) => entry.uri.toString() === uri.toString()),
    text: (entry) => texts(entry),
    before: async ({ file, sessionId, uri }) => {
      const bytes = await parts.workspace.open().composition.changes.bytes(sessionId, file.before);
      return (bytes && (await decoded(bytes, uri))) ?? "";
    },
    refresh,
    event: ({ type }) => {
      if (tellers.has(type)) soon();
    },
    onChange: (listener) => void listeners.push(listener),
    dispose() {
      dispose();
      held.dispose();
    },
  };
}

/** The text that an editor has of a file, or the disk; null: it is no text. */
export async function textNow(uri: vscode.Uri): Promise<string | null> {
  const open = openDocument(uri);
  if (open) return withLf(open.getText()).text;
  return vscode.workspace.fs.readFile(uri).then(
    (bytes) => decoded(bytes, uri),
    () => null,
  );
}

export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.toString() === uri.toString(),
  );
}

async function standingFiles({ fold, workspace, log }: ChangedListParts): Promise<readonly ChangedEntry[]> {
  const { id: sessionId } = fold.view().session;
  if (sessionId === null || (vscode.workspace.workspaceFolders ?? []).length === 0) return [];
  const files = await workspace.open().composition.changes.list(sessionId);
  if (files.length === 0) return [];
  const folders = await Promise.all(
    (vscode.workspace.workspaceFolders ?? []).map(async ({ uri }) => ({
      uri,
      real: await realpath(uri.fsPath).catch(() => uri.fsPath),
    })),
  );
  return files.flatMap((file) => {
    const home = folders.find(({ real }) => file.file.startsWith(`${real}/`) || file.file.startsWith(`${real}\\`));
    if (!home) log(`${file.path} is in no folder that is open.`);
    return home ? [{ file, sessionId, uri: vscode.Uri.joinPath(home.uri, file.file.slice(home.real.length + 1)) }] : [];
  });
}

/** Where only a person's own lines differ there is nothing of the calls left. */
async function isChanged(entry: ChangedEntry, texts: (entry: ChangedEntry) => Promise<ChangedText | null>) {
  const { before, after, now } = entry.file;
  if (sameState(now, before)) return false;
  if (sameState(now, after) && !openDocument(entry.uri)?.isDirty) return true;
  const text = await texts(entry);
  return text === null || originalOf(text) !== text.now;
}

/** Texts of the stored states are kept as long as these states are the same. */
function createTexts({ workspace }: ChangedListParts): (entry: ChangedEntry) => Promise<ChangedText | null> {
  type Stored = Omit<ChangedText, "now"> | null;
  const kept = new Map<string, { readonly of: string; readonly stored: Promise<Stored> }>();
  const stored = async ({ file, sessionId, uri }: ChangedEntry): Promise<Stored> => {
    const { changes } = workspace.open().composition;
    const read = async (state: FileState): Promise<string | null> => {
      if (state === null) return "";
      const bytes = state.kind === "file" ? await changes.bytes(sessionId, state) : null;
      return bytes && decoded(bytes, uri);
    };
    let baseline = await read(file.before);
    for (const { from, to } of file.between) {
      const [left, now] = [await read(from), await read(to)];
      if (baseline !== null && left !== null && now !== null) baseline = originalOf({ baseline, left, now });
    }
    const left = await read(file.after);
    return baseline === null || left === null ? null : { baseline, left };
  };
  return async (entry) => {
    const { before, after, between, now } = entry.file;
    if (now?.kind !== "file") return null;
    const of = JSON.stringify([before, after, between]);
    const name = `${entry.sessionId} ${entry.uri.toString()}`;
    const known = kept.get(name);
    const own = known?.of === of ? known : { of, stored: stored(entry) };
    kept.set(name, own);
    const [text, current] = [await own.stored, await textNow(entry.uri)];
    return text === null || current === null ? null : { ...text, now: current };
  };
}

async function decoded(bytes: Uint8Array, uri: vscode.Uri): Promise<string | null> {
  const text = await Promise.resolve(vscode.workspace.decode(bytes, { uri })).catch(() => null);
  return text === null ? null : withLf(text.replace(/^\uFEFF/, "")).text;
}

/** One look at a time, and one more when something happened meanwhile. */
function inTurn(look: () => Promise<void>) {
  let last: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const refresh = (): Promise<void> => {
    clearTimeout(timer);
    last = last.then(look);
    return last;
  };
  return {
    refresh,
    soon: () => {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh(), pause);
    },
    dispose: () => clearTimeout(timer),
  };
}
