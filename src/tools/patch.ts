// The difference of two texts as a unified diff, never slow.
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import { coarseHunk } from "./hunks.ts";

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
    hunks: [coarse(before ?? "", after)],
  };
  const count = (sign: string): number =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return { patch: formatPatch(patch, FILE_HEADERS_ONLY), added: count("+"), removed: count("-") };
}

function coarse(before: string, after: string): StructuredPatchHunk {
  const { oldStart, removed, added } = coarseHunk(before, after);
  return {
    oldStart: oldStart + 1,
    oldLines: removed.length,
    newStart: oldStart + 1,
    newLines: added.length,
    lines: [...removed.flatMap((line) => inHunk("-", line)), ...added.flatMap((line) => inHunk("+", line))],
  };
}

function inHunk(sign: string, line: string): readonly string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
