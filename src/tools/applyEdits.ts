// Replaces pieces of a text, each found exactly once, or says for the model why a piece does not fit.
import { lineEndings, withLf } from "./lineEndings.ts";
import { looseMatches, type LooseMatch } from "./looseMatch.ts";
import { similarTo } from "./similarity.ts";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

export type Edited =
  /** `how`: what differs of pieces that were not there to the letter, in words. */
  { readonly text: string; readonly how?: readonly string[] } | { readonly problem: string };

const mostPlaces = 10;
const aroundRegion = 2;
const alike = 0.5;

/**
 * Applies the edits in order, each to what the earlier ones left. LF in an edit stands for whatever ending the file has;
 * lines that are not replaced keep theirs. A piece that is not there to the letter may differ in white space at line ends, or
 * be indented otherwise as a whole, where one place only fits.
 * @returns the whole new text, or one sentence about the first edit that does not fit, with the place to look at
 */
export function applyEdits(before: string, edits: readonly Edit[]): Edited {
  if (!isLong(before)) return applyTo(before, edits);
  // Of a file that has no other ending, nothing is lost on the way to LF and back.
  const edited = applyTo(before.replaceAll("\r\n", "\n"), edits);
  return "text" in edited ? { ...edited, text: edited.text.replaceAll("\n", "\r\n") } : edited;
}

/** Whether every line ends in CRLF. */
function isLong(text: string): boolean {
  return text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
}

function applyTo(before: string, edits: readonly Edit[]): Edited {
  const ending = lineEndings(before);
  let text = before;
  const how: string[] = [];
  for (const [index, edit] of edits.entries()) {
    const name = edits.length > 1 ? `\`edits[${index}].old_text\`` : "`old_text`";
    const place = findOnce(text, edit.old_text, name);
    if ("problem" in place) return place;
    if (place.how !== undefined) how.push(`${name} fits though ${place.how}`);
    const fresh = place.adapt(edit.new_text.replaceAll("\r\n", "\n")).replaceAll("\n", ending);
    text = text.slice(0, place.start) + fresh + text.slice(place.end);
  }
  return how.length === 0 ? { text } : { text, how };
}

type Place = (Omit<LooseMatch, "how"> & { readonly how?: string }) | { readonly problem: string };

function findOnce(text: string, oldText: string, name: string): Place {
  const wanted = oldText.replaceAll("\r\n", "\n");
  if (wanted === "") return { problem: `${name} is empty; give the text to replace, or use write_file.` };
  const lf = withLf(text);
  const places = placesOf(lf.text, wanted);
  const loose = places.length === 0 ? looseMatches(lf.text, wanted) : [];
  const all = places.length > 0 ? places : loose.map(({ start }) => start);
  const [only] = all;
  if (only === undefined) return { problem: `${name} is not in the file. ${nearestRegion(lf.text, wanted)}` };
  if (all.length > 1) return { problem: severalPlaces(lf.text, all, name) };
  const found = loose[0] ?? { start: only, end: only + wanted.length, adapt: (fresh: string) => fresh };
  return { ...found, start: lf.original(found.start), end: lf.original(found.end) };
}

function severalPlaces(text: string, places: readonly number[], name: string): string {
  const lines = places.slice(0, mostPlaces).map((at) => text.slice(0, at).split("\n").length);
  const more = places.length > mostPlaces ? " and more" : "";
  return `${name} is in the file more than once, at lines ${lines.join(", ")}${more}. Add the lines around it, so that it fits one place only.`;
}

/** Where `wanted` begins, overlapping places included, and one more than can be named. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  let at = text.indexOf(wanted);
  while (at !== -1 && places.length <= mostPlaces) {
    places.push(at);
    at = text.indexOf(wanted, at + 1);
  }
  return places;
}

/**
 * The lines around the one most like the longest wanted line: it says most about where the piece was meant to be. LF only.
 * @returns a sentence for the model, with the lines
 */
export function nearestRegion(text: string, wanted: string): string {
  const wantedLines = wanted.split("\n");
  const longest = wantedLines.reduce((best, line) => (line.trim().length > best.trim().length ? line : best));
  const lines = text.split("\n");
  const scoreOf = similarTo(longest);
  let best = { score: 0, at: 0 };
  for (const [at, line] of lines.entries()) {
    const score = scoreOf(line, Math.max(best.score, alike / 2));
    if (score > best.score) best = { score, at };
  }
  if (best.score < alike) return "Nothing in it is similar. Read the file again.";
  const first = Math.max(0, best.at - wantedLines.indexOf(longest) - aroundRegion);
  const last = Math.min(lines.length, first + wantedLines.length + 2 * aroundRegion);
  return `The nearest lines are ${first + 1}–${last}:\n\n${lines.slice(first, last).join("\n")}`;
}
