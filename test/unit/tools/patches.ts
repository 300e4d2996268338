// Random texts and the patches between them, in both forms.
import { structuredPatch, type StructuredPatchHunk } from "diff";
import fc from "fast-check";

const line = fc.constantFrom("a", "b", "  b", "}", "", "-- c", "++ d", "@@ e", "*** f", "\\ g", "a a");
const newline = fc.constantFrom("\n", "\n", "\n", "");

/** Lines of which many are the same, with and without a newline at the end. */
export const repetitive = textOf(fc.array(line, { maxLength: 12 }));
/** Lines of which each is there once. */
export const distinct = textOf(fc.uniqueArray(fc.integer({ min: 0, max: 99 }).map(String), { maxLength: 30 }));

function textOf(lines: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> {
  return fc.tuple(lines, newline).map(([all, end]) => (all.length === 0 ? "" : all.join("\n") + end));
}

export interface Written {
  readonly context: number;
  /** Added to every line number. */
  readonly drift?: number;
}

function hunksBetween(before: string, after: string, { context }: Written): readonly StructuredPatchHunk[] {
  return structuredPatch("a", "b", before, after, undefined, undefined, { context }).hunks;
}

export function unified(path: string, before: string, after: string, how: Written): string {
  const { drift = 0 } = how;
  const hunks = hunksBetween(before, after, how).map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart + drift},${oldLines} +${newStart + drift},${newLines} @@\n${lines.join("\n")}\n`,
  );
  return `--- a/${path}\n+++ b/${path}\n${hunks.join("")}`;
}

export function enveloped(path: string, before: string, after: string, how: Written): string {
  const hunks = hunksBetween(before, after, how).map(({ lines }) => `@@\n${lines.join("\n")}\n`);
  return `*** Begin Patch\n*** Update File: ${path}\n${hunks.join("")}*** End Patch\n`;
}
