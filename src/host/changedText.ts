// What of a text calls have changed and what is a person's own, place by place; and what it is once a place is kept or undone. Pure.
import { applyHunks, hunksOf, linesOf, rebase, startsOf, type Hunk } from "../tools/hunks.ts";

/** One text at three times; its lines end in LF. */
export interface ChangedText {
  /** Before the calls, with what of theirs was kept. */
  readonly baseline: string;
  /** As the last call has left it. */
  readonly left: string;
  readonly now: string;
}

/** Lines of the original and the lines that stand in their place now; both from 0, `to` is not among them. */
export interface Place {
  readonly old: { readonly from: number; readonly to: number };
  readonly now: { readonly from: number; readonly to: number };
}

export interface ChangedPlace extends Place {
  /** Somebody else has changed lines of it since. */
  readonly mixed: boolean;
}

/** The text without what calls have changed: what a person has changed elsewhere is in it. */
export function originalOf(text: ChangedText): string {
  if (text.now === text.left) return text.baseline;
  const { hunks, own } = partsOf(text);
  return applyHunks(
    text.baseline,
    hunks.filter((hunk) => !own.has(hunk)),
  );
}

/** Where calls have changed it, top to bottom. */
export function placesOf(text: ChangedText): readonly ChangedPlace[] {
  const { hunks, own, untouched } = partsOf(text);
  const starts = startsOf(hunks);
  let shift = 0;
  const places: ChangedPlace[] = [];
  hunks.forEach((hunk, index) => {
    const { oldStart, removed, added } = hunk;
    if (!own.has(hunk)) return void (shift += added.length - removed.length);
    const start = starts[index] ?? 0;
    places.push({
      old: { from: oldStart + shift, to: oldStart + shift + removed.length },
      now: { from: start, to: start + added.length },
      mixed: !untouched.has(hunk),
    });
  });
  return places;
}

/** The text when a place is kept: it counts as having been so before. */
export function keptAt(text: ChangedText, place: Place): ChangedText {
  const original = originalOf(text);
  const wanted = withLines(original, place.old, linesIn(text.now, place.now));
  // What a person has changed elsewhere stays theirs, where the two do not meet.
  const apart = rebase(original, text.baseline, wanted);
  const ways = [apart, wanted].flatMap((baseline) => (baseline === null ? [] : { ...text, baseline }));
  const untouched = isOfCalls(text);
  const right = ways.find((way) => originalOf(way) === wanted && (!untouched || isOfCalls(way)));
  // Where lines repeat, other places could be told apart in another way than before: then all that differs now is open.
  return right ?? { baseline: wanted, left: text.now, now: text.now };
}

/** Nobody but calls has changed it, and nothing but whole places of theirs was taken back. */
function isOfCalls({ baseline, left, now }: ChangedText): boolean {
  return now === left || standingOf(baseline, hunksOf(baseline, left), now) !== null;
}

/** The text when some places are undone. */
export function undoneAt(text: ChangedText, places: readonly Place[]): string {
  const original = originalOf(text);
  const upwards = places.toSorted((a, b) => b.now.from - a.now.from);
  return upwards.reduce((now, place) => withLines(now, place.now, linesIn(original, place.old)), text.now);
}

interface Parts {
  /** What leads from the baseline to the text now. */
  readonly hunks: readonly Hunk[];
  /** Those of them that calls have made, whoever has changed them since. */
  readonly own: ReadonlySet<Hunk>;
  /** Those of them that are as a call has left them. */
  readonly untouched: ReadonlySet<Hunk>;
}

function partsOf({ baseline, left, now }: ChangedText): Parts {
  const calls = hunksOf(baseline, left);
  const standing = now === left ? calls : standingOf(baseline, calls, now);
  if (standing) return { hunks: standing, own: new Set(standing), untouched: new Set(standing) };
  const hunks = hunksOf(baseline, now);
  const contents = new Set(calls.map(contentOf));
  const untouched = new Set(hunks.filter((hunk) => contents.has(contentOf(hunk))));
  const own = hunks.filter((hunk) => untouched.has(hunk) || calls.some((other) => meets(hunk, other)));
  return { hunks, own: new Set(own), untouched };
}

/** With more places than that only what differs now is looked at. */
const mostCalls = 1_000;

/**
 * The hunks that still stand where nothing but whole ones of them was taken back. Texts with lines that repeat can be told apart
 * in several ways: only this one is sure to end with the baseline when all are taken back, because it has the fewest.
 * @returns null when the text cannot be had so: somebody has changed more
 */
function standingOf(baseline: string, calls: readonly Hunk[], now: string): readonly Hunk[] | null {
  if (calls.length > mostCalls) return null;
  const old = linesOf(baseline);
  const lines = linesOf(now);
  const stands = (part: readonly string[], at: number): boolean => part.every((line, n) => lines[at + n] === line);
  const known = new Map<string, readonly Hunk[] | null>();
  const from = (index: number, at: number): readonly Hunk[] | null => {
    const key = `${index}:${at}`;
    const found = known.get(key) ?? (known.has(key) ? null : fewest(index, at));
    known.set(key, found);
    return found;
  };
  const fewest = (index: number, at: number): readonly Hunk[] | null => {
    const [hunk, above] = [calls[index], calls[index - 1]];
    const gap = old.slice(above ? above.oldStart + above.removed.length : 0, hunk?.oldStart);
    if (!stands(gap, at)) return null;
    const next = at + gap.length;
    if (!hunk) return next === lines.length ? [] : null;
    const { removed, added } = hunk;
    const without = stands(removed, next) ? from(index + 1, next + removed.length) : null;
    const after = stands(added, next) ? from(index + 1, next + added.length) : null;
    const beside = after && [hunk, ...after];
    return beside && (!without || beside.length < without.length) ? beside : without;
  };
  return from(0, 0);
}

function contentOf({ removed, added }: Hunk): string {
  return JSON.stringify([removed, added]);
}

function meets(a: Hunk, b: Hunk): boolean {
  return a.oldStart <= b.oldStart + b.removed.length && b.oldStart <= a.oldStart + a.removed.length;
}

function linesIn(text: string, { from, to }: Place["old"]): readonly string[] {
  return linesOf(text).slice(from, to);
}

/** A last line without an end of its own gets one before others come behind it. */
function withLines(text: string, { from, to }: Place["old"], lines: readonly string[]): string {
  const all = linesOf(text);
  return [...all.slice(0, from), ...lines, ...all.slice(to)].join("");
}
