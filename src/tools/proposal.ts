// A changed text as a proposal: its diff now, the write once it is approved.
import type { Refusal, ToolResult } from "../engine/ports.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { rebase } from "./hunks.ts";
import { createPatch } from "./patch.ts";
import { failed, refused, succeeded, type Work } from "./tool.ts";
import type { FileContent, Workspace, WriteOutcome } from "./workspace.ts";

export interface Change {
  readonly path: ScopedPath;
  /** What the change was computed against; null when the file does not exist. */
  readonly before: FileContent | null;
  readonly after: string;
  /** How it was found where it goes, unless to the letter. */
  readonly how?: readonly string[];
}

/**
 * Proposes one file's new text. What the file has become meanwhile is kept: the change is made in it where both fit, else
 * nothing is written.
 */
export function propose(workspace: Workspace, change: Change): Work | Refusal {
  const { path, before, after } = change;
  if (before?.text === after) return refused(`Nothing would change in “${path.relative}”.`);
  const difference = createPatch(path.relative, before?.text ?? null, after);
  return {
    preview: { kind: "diff", path: path.relative, ...difference, created: before === null },
    proposal: { file: path.real, path: path.relative, before: before?.text ?? null, after },
    revised: (text) => revise(workspace, change, text),
    run: async () => withHow(await write(workspace, change), change),
  };
}

/** The same, with the text that a person has left of it: the model reads what became of its own. */
function revise(workspace: Workspace, change: Change, text: string): Work | Refusal {
  if (text === change.after) return propose(workspace, change);
  const work = propose(workspace, { ...change, after: text });
  if ("kind" in work) return work;
  const { relative } = change.path;
  return {
    ...work,
    revised: (other) => revise(workspace, change, other),
    run: async (context) => {
      const result = await work.run(context);
      if (result.status === "failed") return result;
      const { patch } = createPatch(relative, text, change.after);
      const told = `The person decided what is written, and that is what stands above. This of what you proposed was left out or written otherwise:\n\n${patch}`;
      return { ...result, content: `${result.content}\n\n${told}` };
    },
  };
}

function withHow(result: ToolResult, { how = [] }: Change): ToolResult {
  if (how.length === 0 || result.status === "failed") return result;
  return { ...result, content: `${result.content}\n\n${how.join(". ")}.` };
}

async function write(workspace: Workspace, change: Change): Promise<ToolResult> {
  const { path, before, after } = change;
  // Between proposal and approval a folder may have become a link to somewhere else.
  const again = await workspace.scope.at(path.real, "write");
  if ("denied" in again) return failed(again.denied);
  if (again.real !== path.real) return stale(path);
  const outcome = await workspace.files.write(path, after, before?.hash ?? null);
  return outcome.kind === "stale" && before ? writeInto(workspace, { path, before, after }) : told(change, outcome, "");
}

/** Makes the change in what somebody else has made of the file, where the two do not meet. */
async function writeInto(
  workspace: Workspace,
  { path, before, after }: Change & { before: FileContent },
): Promise<ToolResult> {
  const now = await workspace.files.read(path);
  const both = now && rebase(before.text, after, now.text);
  if (both === null || both === now?.text) return stale(path);
  const outcome = await workspace.files.write(path, both, now?.hash ?? null);
  return told({ path, before: now, after: both }, outcome, " · together with what the file has become meanwhile");
}

function told({ path, before, after }: Change, outcome: WriteOutcome, how: string): ToolResult {
  switch (outcome.kind) {
    case "stale":
      return stale(path);
    case "failed":
      return failed(`Nothing was written. ${outcome.message}`);
    case "written": {
      const where = outcome.saved ? "" : " · in the editor, unsaved: the file also holds the person's unsaved changes";
      const done = before ? "Changed" : "Created";
      const formatted = outcome.text === undefined ? "" : " · formatted when it was saved";
      const { patch } = createPatch(path.relative, before?.text ?? null, outcome.text ?? after);
      const front = `${done} ${path.relative} · hash ${outcome.hash}${how}${formatted}${where}\n\n${patch}`;
      const problems = outcome.problems ?? [];
      return succeeded(problems.length === 0 ? front : `${front}\n\nNew problems in it:\n${problems.join("\n")}`);
    }
  }
}

function stale({ relative }: ScopedPath): ToolResult {
  return failed(
    `“${relative}” changed after this was proposed, so nothing was written. Read it again and repeat the change.`,
  );
}
