// Finds whole lines that differ from the wanted ones only in white space at their ends or in how deep they are indented. Pure.

/** Where wanted lines are, though not to the letter. */
export interface LooseMatch {
  /** Places in the text; the end is behind the last line, before its newline unless the wanted text had one. */
  readonly start: number;
  readonly end: number;
  /** How it differs, in words. */
  readonly how: string;
  /** The new text as it must be written there. */
  readonly adapt: (fresh: string) => string;
}

/** Indentation that the text has more than what was wanted, or less. */
export interface Shift {
  readonly add: string;
  readonly take: string;
}

/** Lines that are wanted, as a block. */
interface Block {
  readonly lines: readonly string[];
  /** The newline behind the last line is part of it. */
  readonly closed: boolean;
}

/**
 * Every place where the wanted lines fit, by the strictest way that fits anywhere. Line endings are LF on both sides.
 * @returns nothing when no way fits
 */
export function looseMatches(text: string, wanted: string): readonly LooseMatch[] {
  if (wanted.trim() === "") return [];
  const closed = wanted.endsWith("\n");
  const block = { lines: (closed ? wanted.slice(0, -1) : wanted).split("\n"), closed };
  for (const fits of looseWays) {
    const matches = matchesBy(text, block, (found) => fits(found, block.lines));
    if (matches.length > 0) return matches;
  }
  return [];
}

/** As many lines as are wanted, and the shift by which they fit, or null; the strictest way first. */
export const looseWays: readonly ((found: readonly string[], wanted: readonly string[]) => Shift | null)[] = [
  (found, wanted) => (sameBodies(found, wanted) ? { add: "", take: "" } : null),
  shiftOf,
];

function matchesBy(
  text: string,
  wanted: Block,
  shiftFor: (found: readonly string[]) => Shift | null,
): readonly LooseMatch[] {
  const lines = text.split("\n");
  const starts = startsOf(lines);
  const matches: LooseMatch[] = [];
  const head = wanted.lines[0]?.trim();
  for (const [first, start] of starts.entries()) {
    const last = first + wanted.lines.length;
    if (lines[first]?.trim() !== head || last > lines.length || (wanted.closed && last === lines.length)) continue;
    const shift = shiftFor(lines.slice(first, last));
    if (!shift) continue;
    const next = starts[last] ?? text.length + 1;
    const end = wanted.closed ? next : next - 1;
    matches.push({ start, end, how: wordsFor(shift), adapt: (fresh) => reindent(fresh, shift) });
  }
  return matches;
}

function startsOf(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

function sameBodies(found: readonly string[], wanted: readonly string[]): boolean {
  return found.every((line, index) => line.trimEnd() === wanted[index]?.trimEnd());
}

/** The one shift by which every line that is not blank differs; null when there is none. */
function shiftOf(found: readonly string[], wanted: readonly string[]): Shift | null {
  let shift: Shift | null = null;
  for (const [index, line] of found.entries()) {
    const other = wanted[index] ?? "";
    if (line.trim() !== other.trim()) return null;
    if (line.trim() === "") continue;
    const own = between(indentOf(line), indentOf(other));
    if (!own || (shift && (shift.add !== own.add || shift.take !== own.take))) return null;
    shift = own;
  }
  return shift;
}

function between(found: string, wanted: string): Shift | null {
  if (found.endsWith(wanted)) return { add: found.slice(0, found.length - wanted.length), take: "" };
  return wanted.endsWith(found) ? { add: "", take: wanted.slice(0, wanted.length - found.length) } : null;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** The new text as the lines around it are indented. */
export function reindent(fresh: string, { add, take }: Shift): string {
  const lines = fresh.split("\n").map((line) => {
    if (line.trim() === "") return line;
    return line.startsWith(take) ? add + line.slice(take.length) : line.trimStart();
  });
  return lines.join("\n");
}

/** How lines differ, in words. */
export function wordsFor({ add, take }: Shift): string {
  return add === "" && take === ""
    ? "white space at line ends differs"
    : "the lines are indented otherwise, and the new ones were indented as the file is";
}
