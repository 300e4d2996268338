// A changed text as a proposal: its diff now, the write once it is approved.
import type { Refusal, ToolResult } from "../engine/ports.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { createPatch } from "./patch.ts";
import { failed, refused, succeeded, type Work } from "./tool.ts";
import type { FileContent, Workspace } from "./workspace.ts";

export interface Change {
  readonly path: ScopedPath;
  /** What the change was computed against; null when the file does not exist. */
  readonly before: FileContent | null;
  readonly after: string;
}

/** Proposes one file's new text. The write happens only if the file is still what the change was computed against. */
export function propose(workspace: Workspace, { path, before, after }: Change): Work | Refusal {
  if (before?.text === after) return refused(`Nothing would change in “${path.relative}”.`);
  const difference = createPatch(path.relative, before?.text ?? null, after);

  const write = async (): Promise<ToolResult> => {
    // Between proposal and approval a folder may have become a link to somewhere else.
    const again = await workspace.scope.at(path.real, "write");
    if ("denied" in again) return failed(again.denied);
    const outcome = again.real === path.real ? await workspace.files.write(path, after, before?.hash ?? null) : stale;
    switch (outcome.kind) {
      case "stale":
        return failed(
          `“${path.relative}” changed after this was proposed, so nothing was written. Read it again and repeat the change.`,
        );
      case "failed":
        return failed(`Nothing was written. ${outcome.message}`);
      case "written": {
        const where = outcome.saved
          ? ""
          : " · in the editor, unsaved: the file also holds the person's unsaved changes";
        const done = before ? "Changed" : "Created";
        return succeeded(`${done} ${path.relative} · hash ${outcome.hash}${where}\n\n${difference.patch}`);
      }
    }
  };

  return {
    preview: { kind: "diff", path: path.relative, ...difference, created: before === null },
    run: write,
  };
}

const stale = { kind: "stale" } as const;
