// Line endings: a model writes LF, a file may have CRLF.
import { applyHunks, hunksOf } from "./hunks.ts";

/** The ending that most lines of the text have; LF when it has none. */
export function lineEndings(text: string): "\n" | "\r\n" {
  const long = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return long * 2 > all ? "\r\n" : "\n";
}

export interface LfText {
  readonly text: string;
  /** The place in the original text of a place in `text`. */
  original(at: number): number;
}

/** The text with LF only, and the way back to the places of the original. */
export function withLf(text: string): LfText {
  if (!text.includes("\r\n")) return { text, original: (at) => at };
  const dropped: number[] = [];
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) dropped.push(at - dropped.length);
  return {
    text: text.replaceAll("\r\n", "\n"),
    original: (at) => at + firstFrom(dropped, at),
  };
}

/** Index of the first that is not below a number, in ascending numbers. */
function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What was written with one line ending for all lines: those that were not written over keep the one they had. */
export function withEndingsOf(original: string, written: string): string {
  const ending = lineEndings(original);
  const changes = hunksOf(withLf(original).text, withLf(written).text);
  const added = (lines: readonly string[]): readonly string[] => lines.map((line) => line.replace(/\n$/, ending));
  return applyHunks(
    original,
    changes.map((hunk) => ({ ...hunk, added: added(hunk.added) })),
  );
}
