// What the composer offers for `@` (files, folders, symbols, commits, pages, what the editor knows) and `/` (commands, prompt files).
import { go } from "fuzzysort";
import * as vscode from "vscode";
import type { OwnContext } from "../protocol/attachments.ts";
import { commands } from "../protocol/commands.ts";
import type { Sigil, Suggestion } from "../protocol/suggestions.ts";
import type { PanelCommand } from "../protocol/wire.ts";
import { commitMark } from "../tools/attach.ts";
import { isAddress, mentionOf } from "../tools/mentions.ts";
import { recentCommits } from "./gitContexts.ts";
import { nameOf } from "./mentioned.ts";
import type { WorkspaceAccess } from "./workspace.ts";
import { told } from "./words.ts";

export interface Suggestions {
  /** What could be meant by what was typed behind the sigil, the best first. Never rejects. */
  readonly find: (sigil: Sigil, text: string) => Promise<readonly Suggestion[]>;
}

const most = 30;
/** Milliseconds that a list of paths is used for: while a person types it need not be made anew. */
const fresh = 10_000;
const mostSymbols = 8;

export function createSuggestions(workspace: Pick<WorkspaceAccess, "open">): Suggestions {
  let listed: { readonly at: number; readonly paths: Promise<readonly string[]> } | null = null;
  const paths = (): Promise<readonly string[]> => {
    if (!listed || Date.now() - listed.at > fresh) {
      const limit = AbortSignal.timeout(fresh);
      listed = { at: Date.now(), paths: workspace.open().composition.paths(limit) };
    }
    return listed.paths;
  };
  const context = async (text: string): Promise<readonly Suggestion[]> => {
    if (isAddress(text)) return URL.canParse(text) ? [ofPage(text)] : [];
    const [files, symbols, commits] = await Promise.all([paths(), symbolsLike(text), commitsLike(text)]);
    const own = ranked(text, ownSuggestions, ({ label }) => label);
    const named = ranked(text, files, (name) => name).map(ofPath);
    return [...own, ...named.slice(0, most - own.length - symbols.length - commits.length), ...symbols, ...commits];
  };
  const actions = async (text: string): Promise<readonly Suggestion[]> => {
    const prompts = await workspace.open().composition.prompts();
    const written = prompts.map(({ name, description, source, text: whole }) => {
      const detail = description === "" ? source : `${description} · ${source}`;
      return { label: name, detail, icon: "note", does: { write: whole } };
    });
    return ranked(text, [...written, ...actionSuggestions], ({ label }) => label);
  };
  return {
    find: (sigil, text) => (sigil === "@" ? context(text) : actions(text)).catch(() => []),
  };
}

/** Those that the text could stand for; all of them, in their order, while nothing is typed. */
function ranked<T>(text: string, all: readonly T[], key: (one: T) => string): readonly T[] {
  if (text === "") return all.slice(0, most);
  return go(text, all, { key, limit: most, threshold: 0.2 }).map(({ obj }) => obj);
}

function ofPath(name: string): Suggestion {
  const bare = name.endsWith("/") ? name.slice(0, -1) : name;
  const cut = bare.lastIndexOf("/") + 1;
  return {
    label: bare.slice(cut),
    detail: bare.slice(0, Math.max(0, cut - 1)),
    icon: bare === name ? "file" : "folder",
    does: { write: mentionOf({ name: bare }) },
  };
}

function ofPage(address: string): Suggestion {
  return {
    label: address,
    detail: vscode.l10n.t("Read this page of the web"),
    icon: "globe",
    does: { write: `@${address}` },
  };
}

const mostCommits = 8;

async function commitsLike(text: string): Promise<readonly Suggestion[]> {
  if (text.length < 2) return [];
  const all = await recentCommits();
  const found = ranked(text, all, ({ hash, message }) => `${commitMark}${hash.slice(0, 12)} ${subjectOf(message)}`);
  return found.slice(0, mostCommits).map(({ hash, message, authorName = "" }) => {
    const name = `${commitMark}${hash.slice(0, 8)}`;
    const detail = `${name} · ${authorName}`;
    return { label: subjectOf(message), detail, icon: "git-commit", does: { write: `@${name}` } };
  });
}

function subjectOf(message: string): string {
  return message.trimStart().split("\n", 1).join("");
}

const ownDetails = {
  problems: { detail: vscode.l10n.t("What the editor finds wrong"), icon: "warning" },
  changes: { detail: vscode.l10n.t("What has changed since the last commit"), icon: "git-compare" },
  terminal: { detail: vscode.l10n.t("The last command of the terminal and its output"), icon: "terminal" },
} as const satisfies Record<OwnContext, Pick<Suggestion, "detail" | "icon">>;

const ownSuggestions: readonly Suggestion[] = Object.entries(ownDetails).map(([label, look]) => ({
  label,
  ...look,
  does: { write: `@${label}` },
}));

const actionNames = {
  new: "newSession",
  sessions: "openSession",
  agent: "selectAgent",
  model: "selectModel",
  compact: "compactConversation",
  undo: "undoRun",
  memory: "openMemory",
  rules: "showRules",
  export: "exportSession",
  settings: "openSettings",
} as const satisfies Record<string, PanelCommand & keyof typeof commands>;

const actionSuggestions: readonly Suggestion[] = Object.entries(actionNames).map(([label, run]) => ({
  label,
  detail: told(commands[run]),
  icon: "run",
  does: { run },
}));

/** What the languages of the workspace know by such a name. */
async function symbolsLike(text: string): Promise<readonly Suggestion[]> {
  if (text.length < 2 || /[./]/.test(text)) return [];
  const found = await vscode.commands
    .executeCommand<vscode.SymbolInformation[]>("vscode.executeWorkspaceSymbolProvider", text)
    .then(
      (symbols) => symbols,
      () => [],
    );
  return found.slice(0, mostSymbols).flatMap(({ name, location: { uri, range } }) => {
    const file = nameOf(uri);
    if (file === null) return [];
    const lines = { from: range.start.line + 1, to: range.end.line + 1 };
    const write = mentionOf({ name: file, lines });
    return [{ label: name, detail: `${file}:${lines.from}`, icon: "symbol-method", does: { write } }];
  });
}
