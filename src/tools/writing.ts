// Carries out what was proposed for a file: what the file has become meanwhile is kept where both fit, else nothing is written.
import type { ToolResult } from "../engine/ports.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { rebase } from "./hunks.ts";
import { createPatch } from "./patch.ts";
import { failed, succeeded } from "./tool.ts";
import type { FileContent, FilesInScope, WriteOutcome } from "./workspace.ts";

export interface Change {
  readonly path: ScopedPath;
  /** Where the file goes with it. */
  readonly to?: ScopedPath;
  /** What the change was computed against; null when the file does not exist. */
  readonly before: FileContent | null;
  /** Null: the file is deleted. */
  readonly after: string | null;
  /** How it was found where it goes, unless to the letter. */
  readonly how?: readonly string[];
}

/** Why the change cannot be made in the file as it is now; null: it can. */
export async function misfit(workspace: FilesInScope, change: Change): Promise<string | null> {
  const { path, to } = change;
  const now = await workspace.files.read(path).catch(() => undefined);
  if (now === undefined || !fits(change, now)) return staleWords(path);
  return to && (await workspace.files.find(to)) !== "nothing" ? taken(to) : null;
}

function fits({ before, after }: Change, now: FileContent | null): boolean {
  if (now?.hash === before?.hash) return true;
  if (!before || !now || after === null) return false;
  const rebased = rebase(before.text, after, now.text);
  return rebased !== null && rebased !== now.text;
}

/** Writes, moves or deletes, once a person or a rule has said so. */
export async function carryOut(workspace: FilesInScope, change: Change): Promise<ToolResult> {
  const { path, to } = change;
  // Between proposal and approval a folder may have become a link to somewhere else.
  for (const place of to ? [path, to] : [path]) {
    const again = await workspace.scope.at(place.real, "write");
    if ("denied" in again) return failed(again.denied);
    if (again.real !== place.real) return stale(place);
  }
  if (change.after === null) return remove(workspace, change);
  return to ? move(workspace, { ...change, after: change.after, to }) : write(workspace, change);
}

async function remove({ files }: FilesInScope, { path, before }: Change): Promise<ToolResult> {
  const outcome = await files.remove(path, before?.hash ?? "");
  if (outcome.kind === "removed") return succeeded(`Deleted ${path.relative}.`);
  const changed = `“${path.relative}” changed after this was proposed, so it was not deleted. Read it again.`;
  return failed(outcome.kind === "stale" ? changed : `Nothing was deleted. ${outcome.message}`);
}

type Move = Change & { readonly to: ScopedPath; readonly after: string };

/** The file goes first, so that it keeps all that is not its text. */
async function move(workspace: FilesInScope, change: Move): Promise<ToolResult> {
  const { path, to, before, after } = change;
  const now = await workspace.files.read(path);
  const problem = await misfit(workspace, change);
  if (!now || !before || problem !== null) return failed(`Nothing was moved. ${problem ?? staleWords(path)}`);
  const outcome = await workspace.files.move(path, to);
  if (outcome.kind !== "moved")
    return failed(`Nothing was moved. ${outcome.kind === "taken" ? taken(to) : outcome.message}`);
  const moved = `Moved ${path.relative} to ${to.relative}.`;
  if (before.text === after) return succeeded(moved);
  const text = now.hash === before.hash ? after : (rebase(before.text, after, now.text) ?? after);
  const result = await changeMoved(workspace, { path: to, before: now, after: text });
  // Moved and not changed is not what was approved.
  if (result.status === "failed" && (await workspace.files.move(to, path)).kind === "moved")
    return failed(`Nothing was moved. ${result.content}`);
  return { ...result, content: `${moved}\n\n${result.content}` };
}

async function changeMoved(
  { files }: FilesInScope,
  about: Written & { readonly before: FileContent },
): Promise<ToolResult> {
  return told(about, await files.write(about.path, about.after, about.before.hash), "");
}

async function write(workspace: FilesInScope, change: Change): Promise<ToolResult> {
  const { path, before } = change;
  const after = change.after ?? "";
  const outcome = await workspace.files.write(path, after, before?.hash ?? null);
  return outcome.kind === "stale" && before
    ? writeInto(workspace, { path, before, after })
    : told({ path, before, after }, outcome, "");
}

interface Written {
  readonly path: ScopedPath;
  readonly before: FileContent | null;
  readonly after: string;
}

/** Makes the change in what somebody else has made of the file, where the two do not meet. */
async function writeInto(
  workspace: FilesInScope,
  { path, before, after }: Written & { readonly before: FileContent },
): Promise<ToolResult> {
  const now = await workspace.files.read(path);
  const both = now && rebase(before.text, after, now.text);
  if (both === null || both === now?.text) return stale(path);
  const outcome = await workspace.files.write(path, both, now?.hash ?? null);
  return told({ path, before: now, after: both }, outcome, " · together with what the file has become meanwhile");
}

function told({ path, before, after }: Written, outcome: WriteOutcome, how: string): ToolResult {
  switch (outcome.kind) {
    case "stale":
      return stale(path);
    case "failed":
      return failed(`Nothing was written. ${outcome.message}`);
    case "written": {
      const why =
        before?.unsaved === false ? "it could not be saved" : "the file also holds the person's unsaved changes";
      const where = outcome.saved ? "" : ` · in the editor, unsaved: ${why}`;
      const done = before ? "Changed" : "Created";
      const formatted = outcome.text === undefined ? "" : " · formatted when it was saved";
      const { patch } = createPatch({ path: path.relative }, before?.text ?? null, outcome.text ?? after);
      const front = `${done} ${path.relative} · hash ${outcome.hash}${how}${formatted}${where}\n\n${patch}`;
      const problems = outcome.problems ?? [];
      return succeeded(problems.length === 0 ? front : `${front}\n\nNew problems in it:\n${problems.join("\n")}`);
    }
  }
}

function taken(to: ScopedPath): string {
  return `There is “${to.relative}” already, and nothing is written over.`;
}

function stale(path: ScopedPath): ToolResult {
  return failed(staleWords(path));
}

function staleWords({ relative }: ScopedPath): string {
  return `“${relative}” changed after this was proposed, so nothing was written. Read it again and repeat the change.`;
}
