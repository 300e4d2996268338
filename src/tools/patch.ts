// The difference of two texts as a unified diff, never slow.
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import { coarseHunk, editsWorth, middleOf } from "./hunks.ts";

export interface Patch {
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

interface Names {
  readonly path: string;
  readonly to?: string | undefined;
}

/** Lines around a change. */
const around = 3;

/**
 * Compares the texts of one file.
 * @param names `to`: the name that it gets
 * @param before null when the file does not exist yet
 * @param after null when it is not there afterwards
 */
export function createPatch(names: Names, before: string | null, after: string | null): Patch {
  const from = before === null ? "/dev/null" : `a/${names.path}`;
  const to = after === null ? "/dev/null" : `b/${names.to ?? names.path}`;
  const { above, old, fresh } = middleOf(before ?? "", after ?? "", around);
  const fine = structuredPatch(from, to, old, fresh, undefined, undefined, {
    context: around,
    maxEditLength: editsWorth(old, fresh),
  });
  const moved = fine?.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + above,
    newStart: hunk.newStart + above,
  }));
  const patch: StructuredPatch = (fine && moved && { ...fine, hunks: moved }) ?? {
    oldFileName: from,
    newFileName: to,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [coarse(before ?? "", after ?? "")],
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
