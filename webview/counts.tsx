// How much a change adds and removes.
import type { Preview } from "../src/protocol/calls.ts";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

interface CountsProps {
  readonly preview: Preview | null;
}

/** "3 lines added, 1 line removed". */
export function addedAndRemoved({ added, removed }: { readonly added: number; readonly removed: number }): string {
  return t("{0} added, {1} removed", count("{0} line", "{0} lines", added), count("{0} line", "{0} lines", removed));
}

/** "+3 −1" in colours; nothing where no text is changed. */
export function Counts({ preview }: CountsProps) {
  const files = preview?.kind === "diffs" ? preview.files : preview?.kind === "diff" ? [preview] : [];
  if (files.length === 0) return null;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <span class="counts" title={addedAndRemoved({ added, removed })}>
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}
