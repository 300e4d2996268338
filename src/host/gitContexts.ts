// What `@changes` and `@commit:…` attach to a message, from the editor's own git, and the commits that can be named. Only of files that may be read.
import * as vscode from "vscode";
import type { Looking } from "../tools/attach.ts";
import { namesInDiff } from "../tools/diffNames.ts";
import { nameOf } from "./mentioned.ts";

/** As much of the git extension's interface as is used here. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly untrackedChanges: readonly { readonly uri: vscode.Uri }[] };
  /** @param staged what is staged, or what is not */
  diff(staged: boolean): Promise<string>;
  log(options: { readonly maxEntries: number }): Promise<readonly Commit[]>;
  /** Rejects when there is none of that name. */
  getCommit(name: string): Promise<Commit>;
  diffBetween(from: string, to: string): Promise<readonly { readonly uri: vscode.Uri }[]>;
  diffBetween(from: string, to: string, path: string): Promise<string>;
}

export interface Commit {
  readonly hash: string;
  readonly message: string;
  readonly parents: readonly string[];
  readonly authorName?: string;
  readonly authorDate?: Date;
}

/** Files of a commit that are shown. */
const mostFiles = 100;

async function repositories(): Promise<readonly Repository[]> {
  type Git = { getAPI(version: 1): { readonly repositories: readonly Repository[] } };
  const git = await vscode.extensions.getExtension<Git>("vscode.git")?.activate();
  return git?.getAPI(1).repositories ?? [];
}

/** What has changed since the last commit; null: nothing that may be read. */
export async function changes({ mayRead }: Looking): Promise<string | null> {
  const parts: string[] = [];
  for (const repository of await repositories()) {
    const diffs = [await repository.diff(true), await repository.diff(false)];
    for (const one of diffs.flatMap(partsOf)) if (await isOpen(one, repository, mayRead)) parts.push(one.trimEnd());
    for (const { uri } of repository.state.untrackedChanges) parts.push(`new, not in git yet: ${nameOf(uri) ?? ""}`);
  }
  return parts.length === 0 ? null : parts.join("\n");
}

/**
 * What a commit says and has changed against its first parent; null: no repository has one of that name.
 * @param name as git knows it: a hash, HEAD~1, a branch
 */
export async function commit(name: string, { mayRead }: Looking): Promise<string | null> {
  // Git takes what begins with a hyphen for an option.
  if (!/^[\w@][\w./@{}^~-]*$/.test(name)) return null;
  for (const repository of await repositories()) {
    const found = await repository.getCommit(name).catch(() => null);
    if (found) return [headOf(found), ...(await diffsOf(found, repository, mayRead))].join("\n");
  }
  return null;
}

function headOf({ hash, message, authorName = "", authorDate }: Commit): string {
  return `commit ${hash}\n${authorName} ${authorDate?.toISOString() ?? ""}\n\n${message.trim()}\n`;
}

async function diffsOf(
  { hash, parents: [parent] }: Commit,
  repository: Repository,
  mayRead: Looking["mayRead"],
): Promise<readonly string[]> {
  if (parent === undefined) return ["It is the first commit: its files were new."];
  const changed = await repository.diffBetween(parent, hash);
  const shown: string[] = [];
  for (const { uri } of changed.slice(0, mostFiles)) {
    const parts = partsOf(await repository.diffBetween(parent, hash, uri.fsPath));
    for (const one of parts) if (await isOpen(one, repository, mayRead)) shown.push(one.trimEnd());
  }
  return changed.length > mostFiles ? [...shown, `and ${changed.length - mostFiles} more files`] : shown;
}

/** The last commits of all repositories, each repository's newest first. Never rejects. */
export async function recentCommits(): Promise<readonly Commit[]> {
  const logs = await repositories()
    .then((all) => Promise.all(all.map((repository) => repository.log({ maxEntries: 100 }).catch(() => []))))
    .catch(() => []);
  return logs.flat();
}

function partsOf(diff: string): readonly string[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part !== "");
}

/** A diff shows what is in its files. */
async function isOpen(diff: string, { rootUri }: Repository, mayRead: Looking["mayRead"]): Promise<boolean> {
  const files = namesInDiff(diff).map((file) => nameOf(vscode.Uri.joinPath(rootUri, file)));
  const open = await Promise.all(files.map(async (file) => file !== null && (await mayRead(file))));
  return open.length > 0 && open.every(Boolean);
}
