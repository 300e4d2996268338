// The difference of two texts as a unified diff, never slow.
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch, type StructuredPatchHunk } from "diff";

export interface Patch {
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/** Milliseconds after which the finest difference is given up for a coarse one. */
const patience = 300;

/**
 * Compares the texts of one file.
 * @param before null when the file does not exist yet
 */
export function createPatch(path: string, before: string | null, after: string): Patch {
  const from = before === null ? "/dev/null" : `a/${path}`;
  const fine = structuredPatch(from, `b/${path}`, before ?? "", after, undefined, undefined, {
    context: 3,
    timeout: patience,
  });
  const patch: StructuredPatch = fine ?? {
    oldFileName: from,
    newFileName: `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [coarseHunk(before ?? "", after)],
  };
  const count = (sign: string): number =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return { patch: formatPatch(patch, FILE_HEADERS_ONLY), added: count("+"), removed: count("-") };
}

/** Everything between the first and the last differing line, as one hunk. */
function coarseHunk(before: string, after: string): StructuredPatchHunk {
  const old = linesOf(before);
  const fresh = linesOf(after);
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end);
  const added = fresh.slice(start, fresh.length - end);
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [...removed.flatMap((line) => inHunk("-", line)), ...added.flatMap((line) => inHunk("+", line))],
  };
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function inHunk(sign: string, line: string): readonly string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
