// Finds where the hunks of a patch go in a text by what their lines say, or says for the model why one does not fit.
import { nearestRegion, type Edited } from "./applyEdits.ts";
import { arrange, type Place } from "./arrange.ts";
import { linesOf } from "./hunks.ts";
import { lineEndings } from "./lineEndings.ts";
import { looseWays, reindent, wordsFor, type Shift } from "./looseMatch.ts";
import type { PatchHunk, PatchLine } from "./patchFile.ts";

/** A text by its lines, looked at once for all hunks. */
interface Target {
  /** With their endings. */
  readonly lines: readonly string[];
  /** Without. */
  readonly bodies: readonly string[];
  /** Where lines are that hold this between white space. */
  readonly index: ReadonlyMap<string, readonly number[]>;
}

/** A hunk and what it looks for. */
interface Wanted {
  readonly hunk: PatchHunk;
  /** The lines that must be there. */
  readonly old: readonly string[];
  readonly name: string;
}

const noShift: Shift = { add: "", take: "" };

/**
 * Makes the changes of the hunks in a text. Their line numbers count only where all of them are right. Lines that are not
 * replaced stay as they are; new ones get the ending of the line whose place they take, else the one that most have; the end of the text stays with or without a
 * newline unless the patch speaks of it.
 * @returns the whole new text, or a sentence about the first hunk that fits nowhere or in several places
 */
export function fitHunks(before: string, hunks: readonly PatchHunk[]): Edited {
  const target = targetOf(before);
  const wanted = hunks.map((hunk, index): Wanted => {
    const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
    return { hunk, old, name: hunks.length > 1 ? `Hunk ${index + 1}` : "The hunk" };
  });
  const numbered = byNumbers(target, wanted);
  if (numbered) return { text: rebuilt(before, target, numbered) };
  const found: (readonly Found[])[] = [];
  for (const one of wanted) {
    const places = placesFor(target, one);
    if ("problem" in places) return places;
    found.push(places);
  }
  const arranged = arrange(found);
  if ("unclear" in arranged) {
    const { unclear, why } = arranged;
    return { problem: unclearWords(wanted[unclear], found[unclear], why) };
  }
  const how = arranged.flatMap(({ shift, wanted: { name } }) =>
    shift === null ? [] : [`${name} fits though ${wordsFor(shift)}`],
  );
  const text = rebuilt(before, target, arranged);
  return how.length === 0 ? { text } : { text, how };
}

interface Found extends Place {
  readonly wanted: Wanted;
  /** Null: to the letter. */
  readonly shift: Shift | null;
}

function targetOf(text: string): Target {
  const lines = linesOf(text);
  const bodies = lines.map((line) => line.replace(/\r?\n$/, ""));
  const index = new Map<string, number[]>();
  for (const [at, body] of bodies.entries()) {
    const key = body.trim();
    const known = index.get(key);
    if (known) known.push(at);
    else index.set(key, [at]);
  }
  return { lines, bodies, index };
}

/** @param start of its first line */
function foundAt(wanted: Wanted, start: number, shift: Shift | null): Found {
  const { lines } = wanted.hunk;
  const isContext = ({ sign }: PatchLine): boolean => sign === " ";
  const lead = lines.findIndex((line) => !isContext(line));
  const tail = lines.length - 1 - lines.findLastIndex((line) => !isContext(line));
  return { wanted, shift, start, from: start + lead, to: start + wanted.old.length - tail };
}

/** Where the numbers say, if every one of them is right to the letter. */
function byNumbers(target: Target, wanted: readonly Wanted[]): readonly Found[] | null {
  const found: Found[] = [];
  for (const one of wanted) {
    const start = (one.hunk.line ?? 0) - 1;
    if (start < (found.at(-1)?.to ?? 0) || one.old.length === 0 || !isThere(target, one.old, start)) return null;
    found.push(foundAt(one, start, null));
  }
  return found;
}

function isThere({ bodies }: Target, old: readonly string[], start: number): boolean {
  return old.every((line, index) => bodies[start + index] === line);
}

function placesFor(target: Target, wanted: Wanted): readonly Found[] | { readonly problem: string } {
  const { hunk, old, name } = wanted;
  const anchors = anchorPlaces(target, hunk.anchors);
  if (old.length === 0) return placeToInsert(target, wanted, anchors);
  const all = placesOf(target, wanted);
  if (all.length === 0) {
    const near = nearestRegion(target.bodies.join("\n"), old.join("\n"));
    return { problem: `${name} is not in the file: its lines with “ ” and “-” must be there as they are. ${near}` };
  }
  const atEnd = hunk.atEnd ? all.filter(({ start }) => start + old.length === target.lines.length) : [];
  return narrowed(target, atEnd.length > 0 ? atEnd : all, anchors);
}

/** The places by the strictest way that fits anywhere. */
function placesOf(target: Target, wanted: Wanted): readonly Found[] {
  const { old } = wanted;
  const counts = old.map((line) => target.index.get(line.trim())?.length ?? 0);
  const rarest = counts.indexOf(Math.min(...counts));
  const starts = (target.index.get(old[rarest]?.trim() ?? "") ?? []).map((at) => at - rarest);
  const exact = starts.filter((start) => isThere(target, old, start));
  if (exact.length > 0) return exact.map((start) => foundAt(wanted, start, null));
  if (old.every((line) => line.trim() === "")) return [];
  for (const fits of looseWays) {
    const found = starts.flatMap((start) => {
      const there = start < 0 ? [] : target.bodies.slice(start, start + old.length);
      const shift = there.length === old.length ? fits(there, old) : null;
      return shift ? [foundAt(wanted, start, shift)] : [];
    });
    if (found.length > 0) return found;
  }
  return [];
}

/** Lines are only added: that takes a line to add them behind. */
function placeToInsert(
  target: Target,
  wanted: Wanted,
  anchors: readonly number[],
): readonly Found[] | { readonly problem: string } {
  const { hunk, name } = wanted;
  const { length } = target.lines;
  if (hunk.atEnd || length === 0) return [foundAt(wanted, length, null)];
  const [only] = anchors;
  if (only !== undefined && anchors.length === 1) return [foundAt(wanted, only + 1, null)];
  if (hunk.anchors.length === 0)
    return {
      problem: `${name} only adds lines and does not say where. Add the lines around them, with a space in front.`,
    };
  const where = only === undefined ? "is not in the file" : `is in it more than once, at lines ${numbersOf(anchors)}`;
  return {
    problem: `${name} adds lines behind “@@ ${hunk.anchors.at(-1)}”, which ${where}. Add the lines around them.`,
  };
}

/** Where the innermost anchor is, below the outer ones. */
function anchorPlaces(target: Target, anchors: readonly string[]): readonly number[] {
  let places: readonly number[] = [];
  for (const [depth, anchor] of anchors.entries()) {
    const exact = target.index.get(anchor.trim()) ?? [];
    const near = exact.length > 0 ? exact : target.bodies.flatMap((body, at) => (body.includes(anchor) ? [at] : []));
    const [outer = -1] = places;
    places = depth === 0 ? near : near.filter((at) => at > outer);
  }
  return places;
}

/** Of several places those in the block that an anchor begins; else those below an anchor. */
function narrowed(target: Target, all: readonly Found[], anchors: readonly number[]): readonly Found[] {
  if (all.length < 2 || anchors.length === 0) return all;
  const ends = anchors.map((anchor) => ({ anchor, end: blockEnd(target, anchor) }));
  const inside = all.filter(({ start, from }) => ends.some(({ anchor, end }) => anchor <= start && from <= end));
  const below = all.filter(({ start }) => anchors.some((anchor) => anchor <= start));
  return inside.length > 0 ? inside : below.length > 0 ? below : all;
}

/** The next line that is not indented more deeply. */
function blockEnd({ bodies }: Target, anchor: number): number {
  const depth = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;
  const own = depth(bodies[anchor] ?? "");
  const end = bodies.findIndex((line, at) => at > anchor && line.trim() !== "" && depth(line) <= own);
  return end === -1 ? bodies.length : end;
}

const mostNamed = 10;

function numbersOf(places: readonly number[]): string {
  const more = places.length > mostNamed ? " and more" : "";
  return `${places
    .slice(0, mostNamed)
    .map((at) => at + 1)
    .join(", ")}${more}`;
}

function unclearWords(
  wanted: Wanted | undefined,
  places: readonly Found[] = [],
  why: "several" | "order" = "several",
): string {
  const at = numbersOf(places.map(({ start }) => start));
  const name = wanted?.name ?? "A hunk";
  return why === "order"
    ? `${name} is in the file at line ${at}, where it meets the others or comes before them. Write the hunks in the order of the file.`
    : `${name} fits more than one place, at lines ${at}. Add lines around it, so that it fits one place only.`;
}

function rebuilt(before: string, target: Target, places: readonly Found[]): string {
  const ending = lineEndings(before);
  const parts: (readonly string[])[] = [];
  let next = 0;
  const sorted = places.toSorted((a, b) => a.from - b.from);
  for (const { at, removed, added } of sorted.flatMap((place) => runsOf(place, target, ending))) {
    parts.push(target.lines.slice(next, at), added);
    next = at + removed;
  }
  parts.push(target.lines.slice(next));
  const speaks = places.some(({ wanted }) => wanted.hunk.lines.some(({ closed }) => !closed));
  return ended(parts.flat(), { ending, closed: speaks ? null : before === "" || before.endsWith("\n") });
}

/** Neighbouring lines that go and come. */
interface Run {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

function runsOf({ start, shift, wanted }: Found, { lines }: Target, ending: string): readonly Run[] {
  return changedLines(wanted.hunk.lines, start).map(({ at, changed }) => {
    const removed = changed.filter(({ sign }) => sign === "-").length;
    const endings = lines.slice(at, at + removed).map((line) => /\r?\n$/.exec(line)?.[0]);
    const fresh = changed.filter(({ sign }) => sign === "+");
    const added = fresh.map(
      ({ text, closed }, index) => reindent(text, shift ?? noShift) + (closed ? (endings[index] ?? ending) : ""),
    );
    return { at, removed, added };
  });
}

function changedLines(lines: readonly PatchLine[], start: number): readonly { at: number; changed: PatchLine[] }[] {
  const runs: { at: number; changed: PatchLine[] }[] = [];
  let at = start;
  for (const [index, line] of lines.entries()) {
    if (line.sign !== " ") {
      if (index === 0 || lines[index - 1]?.sign === " ") runs.push({ at, changed: [] });
      runs.at(-1)?.changed.push(line);
    }
    if (line.sign !== "+") at += 1;
  }
  return runs;
}

/** @param how `closed`: whether the last line must have an ending; null: it is as it must be */
function ended(parts: readonly string[], { ending, closed }: { ending: string; closed: boolean | null }): string {
  const last = parts.length - 1;
  const whole = parts.map((line, at) => (at < last && !line.endsWith("\n") ? line + ending : line)).join("");
  if (closed === null || whole === "" || whole.endsWith("\n") === closed) return whole;
  return closed ? whole + ending : whole.replace(/\r?\n$/, "");
}
