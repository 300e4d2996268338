// A patch as it was read, whatever its form: files, their hunks, and the lines of these.

export interface PatchLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** False: said to be the last line of its file, without a newline. */
  readonly closed: boolean;
}

export interface PatchHunk {
  /** Lines above it that say where it is, from the outside in. */
  readonly anchors: readonly string[];
  readonly lines: readonly PatchLine[];
  /** Said to be at the end of the file. */
  readonly atEnd: boolean;
  /** Line number in the old file, from 1; null: none is said. */
  readonly line: number | null;
}

export interface PatchFile {
  readonly kind: "update" | "add" | "delete";
  readonly path: string;
  /** Where the file goes with it. */
  readonly to?: string;
  readonly hunks: readonly PatchHunk[];
}

/** `problem`: one sentence for the model. */
export type ReadPatch = { readonly files: readonly PatchFile[] } | { readonly problem: string };

/** Mark of a last line without a newline. */
const open = /^\\ /;

/** The lines of a hunk; or the first that is none, by its index. */
export function hunkLines(
  given: readonly string[],
): { readonly lines: readonly PatchLine[] } | { readonly bad: number } {
  const lines: PatchLine[] = [];
  // Empty lines at the end are what stands between two parts of a patch more often than empty lines of the file.
  const end = given.findLastIndex((text) => text !== "") + 1;
  for (const [index, raw] of given.slice(0, end).entries()) {
    const sign = raw[0] ?? " ";
    const last = lines.at(-1);
    if (sign === " " || sign === "-" || sign === "+") lines.push({ sign, text: raw.slice(1), closed: true });
    else if (open.test(raw) && last) lines[lines.length - 1] = { ...last, closed: false };
    else return { bad: index };
  }
  return { lines };
}

/** What to say of a line that a patch cannot have there. @param number counted from 1 */
export function strangeLine(number: number, text: string, expected: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `Line ${number} of the patch is not understood: “${shown}”. ${expected}`;
}
