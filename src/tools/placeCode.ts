// Where code of an answer goes in a file: all of it, or a part whose place is certain; anything else is not guessed. Pure.
import { linesOf } from "./hunks.ts";
import { lineEndings, withEndingsOf, withLf } from "./lineEndings.ts";
import { looseWays, reindent } from "./looseMatch.ts";

export type Placed =
  | { readonly kind: "placed"; readonly text: string }
  /** It says in this line, counted from 1, that something is left out. */
  | { readonly kind: "elided"; readonly line: number }
  | { readonly kind: "unclear" };

/** Places in a text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Lines of a file; `to` is not among them. */
interface Region {
  readonly from: number;
  readonly to: number;
}

/**
 * Makes the text of a file with the code in it. The file's line endings stay, and whether its last line has one.
 * @param before null when there is no such file
 * @param selected what the person has selected in it; it counts where the code itself does not say where it goes
 */
export function placeCode(before: string | null, code: string, selected: Stretch | null): Placed {
  const given = withLf(code).text;
  if (given.trim() === "") return { kind: "unclear" };
  if (before === null || before.trim() === "") return { kind: "placed", text: closed(given, true) };
  const { text } = withLf(before);
  const file = linesOf(text).map(bare);
  const known = new Set(file.map((line) => line.trim()));
  const elided = given.split("\n").findIndex((line) => isElided(line) && !known.has(line.trim()));
  if (elided !== -1) return { kind: "elided", line: elided + 1 };
  const block = indentedAs(file, blockOf(given));
  const region = regionOf(file, block);
  if (region !== "none" && region !== "unclear") return placed(before, withRegion(text, region, block));
  if (region === "none" && isWhole(file, block)) return placed(before, closed(given, text.endsWith("\n")));
  return selected ? { kind: "placed", text: withSelection(before, given, selected) } : { kind: "unclear" };
}

function placed(before: string, text: string): Placed {
  return { kind: "placed", text: withEndingsOf(before, text) };
}

function closed(text: string, ends: boolean): string {
  return text.replace(/\n$/, "") + (ends ? "\n" : "");
}

/** White space at the ends of lines says nothing. */
function bare(line: string): string {
  return line.trimEnd();
}

const comment = String.raw`^\s*(?://|#|--|;|%|/\*|<!--|\{/\*)`;
const elisions = [
  new RegExp(`${comment}\\s*(?:\\.{3}|…)`),
  new RegExp(`${comment}.*\\b(?:existing code|rest of (?:the|your)|remains? (?:the same|unchanged)|unchanged)\\b`, "i"),
  /^\s*\[?(?:\.{3}|…)\]?\s*$/,
];

function isElided(line: string): boolean {
  return elisions.some((form) => form.test(line));
}

/** Its lines, without empty ones above and below. */
function blockOf(code: string): readonly string[] {
  const lines = code.split("\n");
  const isFull = (line: string): boolean => line.trim() !== "";
  return lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1);
}

/** An answer often shows a part without the indentation that it has in its file. */
function indentedAs(file: readonly string[], block: readonly string[]): readonly string[] {
  const [first = ""] = block;
  const alike = file.filter((line) => line.trim() === first.trim());
  const [found] = alike;
  if (found === undefined || alike.length > 1 || found === bare(first)) return block;
  const shift = looseWays.map((fits) => fits([found], [first])).find((way) => way !== null);
  return shift ? reindent(block.join("\n"), shift).split("\n") : block;
}

/** `unclear`: there is a place, and a reason to doubt it. */
function regionOf(file: readonly string[], given: readonly string[]): Region | "none" | "unclear" {
  const block = given.map(bare);
  const nested = nestedBelow(file, block);
  if (nested?.closed) return nested;
  const anchored = anchoredRegion(file, block);
  if (!anchored) return nested ?? "none";
  const crosses = depthOf(file.slice(anchored.from, anchored.to)) < depthOf(block);
  const leaves = nested !== null && anchored.to > nested.to;
  return crosses || leaves || holdsRest(file, block, anchored) ? "unclear" : anchored;
}

const closer = /^\s*(?:[\])}]|end\b|<\/)/;

/** Lines above it that an answer repeats at most, such as what a function is for. */
const mostAbove = 20;

/** The same below lines that stand above it in the file as well, to the letter. */
function nestedBelow(file: readonly string[], block: readonly string[]): (Region & { closed: boolean }) | null {
  for (let above = 0; above <= Math.min(mostAbove, block.length - 2); above++) {
    const region = nestedRegion(file, block.slice(above));
    const from = (region?.from ?? 0) - above;
    if (region && block.slice(0, above).every((line, index) => file[from + index] === line)) return { ...region, from };
  }
  return null;
}

/** A line that is there once, with all that is indented below it, and the bracket that ends it if the block has one. */
function nestedRegion(file: readonly string[], block: readonly string[]): (Region & { closed: boolean }) | null {
  const [first = "", ...below] = block;
  const isInside = (line: string): boolean => line === "" || indentOf(line) > indentOf(first);
  const closes = (line: string): boolean => closer.test(line) && indentOf(line) === indentOf(first);
  const last = below.at(-1) ?? "";
  const inside = closes(last) ? below.slice(0, -1) : below;
  const [from, second] = placesOf(file, [first]);
  if (from === undefined || second !== undefined || below.length === 0 || !inside.every(isInside)) return null;
  const to = [...file, first].findIndex((line, at) => at > from && !isInside(line));
  const next = file[to] ?? "";
  if (closes(last)) return next === last ? { from, to: to + 1, closed: true } : null;
  if (closes(next)) return null;
  return { from, to: file.slice(0, to).findLastIndex((line) => line !== "") + 1, closed: false };
}

/** Lines that may have to stand together to be there only once. */
const longestAnchor = 3;

/** From where the first lines of the block are to where its last lines are, if both are there once and in that order. */
function anchoredRegion(file: readonly string[], block: readonly string[]): Region | null {
  const lengths = Array.from({ length: Math.min(longestAnchor, block.length - 1) }, (_, index) => index + 1);
  const anchor = (cut: (length: number) => readonly string[]): Region | undefined =>
    lengths.flatMap((length) => {
      const places = placesOf(file, cut(length));
      return places.length === 1 ? places.map((from) => ({ from, to: from + length })) : [];
    })[0];
  const head = anchor((length) => block.slice(0, length));
  const tail = anchor((length) => block.slice(-length));
  if (!head || !tail || head.to > tail.from) return null;
  const both = head.to - head.from + tail.to - tail.from;
  return both <= block.length ? { from: head.from, to: tail.to } : null;
}

function placesOf(file: readonly string[], run: readonly string[]): readonly number[] {
  return file.flatMap((_, at) => (run.every((line, index) => file[at + index] === line) ? [at] : []));
}

/** Most of what only the rest of the file has is in the block too: it was moved, and a part would leave it there twice. */
function holdsRest(file: readonly string[], block: readonly string[], { from, to }: Region): boolean {
  const [region, said] = [new Set(file.slice(from, to)), new Set(block)];
  const rest = onlyOnce(file).filter((line) => !region.has(line));
  const held = rest.filter((line) => said.has(line));
  return rest.length > 1 && held.length * 2 > rest.length;
}

/** It begins like the file, has most of its lines, and its end: the last line that there is only once. */
function isWhole(file: readonly string[], given: readonly string[]): boolean {
  const block = given.map(bare);
  if (block[0] !== file.find((line) => line !== "")) return false;
  const left = Map.groupBy(block, (line) => line);
  const full = file.filter((line) => line !== "");
  const held = full.filter((line) => left.get(line)?.pop() !== undefined);
  const last = onlyOnce(file).at(-1);
  return held.length * 2 > full.length && last !== undefined && block.includes(last);
}

/** Lines that there are once, and that say something. */
function onlyOnce(file: readonly string[]): readonly string[] {
  const counts = Map.groupBy(file, (line) => line);
  return file.filter((line) => line.trim().length > 2 && counts.get(line)?.length === 1);
}

function withRegion(text: string, { from, to }: Region, block: readonly string[]): string {
  const lines = linesOf(text);
  const fresh = closed(block.join("\n"), lines[to - 1]?.endsWith("\n") === true);
  return [...lines.slice(0, from), fresh, ...lines.slice(to)].join("");
}

function withSelection(before: string, code: string, { start, end }: Stretch): string {
  const fresh = closed(code, before.slice(start, end).endsWith("\n"));
  return before.slice(0, start) + fresh.replaceAll("\n", lineEndings(before)) + before.slice(end);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function depthOf(lines: readonly string[]): number {
  return lines.reduce((least, line) => (line === "" ? least : Math.min(least, indentOf(line))), Infinity);
}
