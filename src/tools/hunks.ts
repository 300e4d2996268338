// The places where one text differs from another, each to be taken or left by itself. Pure.
import { createHash } from "node:crypto";
import { diffLines } from "diff";

/** Lines of one text that stand in the place of lines of the other. */
export interface Hunk {
  /** The same for the same hunk, wherever others were taken or left; unique in its proposal. */
  readonly id: string;
  /** Index of the first line that is replaced, or before which lines are put. */
  readonly oldStart: number;
  /** Lines with their endings; none: lines are only added. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Lines removed and added in the finest difference of two texts that have much in common; about 0.1 s of work. */
const mostEdits = 1_000;
/** The same work, where one of the texts is short. */
const mostWork = 600_000;

/**
 * Lines removed and added after which the finest difference is given up for a coarse one. No clock decides it: the same texts
 * have the same hunks, however busy the machine is.
 */
export function editsWorth(before: string, after: string): number {
  const shorter = Math.min(linesOf(before).length, linesOf(after).length);
  return Math.max(mostEdits, Math.floor(mostWork / (shorter + 1)));
}

/** What makes `after` of `before`, from top to bottom; nothing where they are equal. */
export function hunksOf(before: string, after: string): readonly Hunk[] {
  if (before === after) return [];
  const { above, old, fresh } = middleOf(before, after, 0);
  const changes = diffLines(old, fresh, { maxEditLength: editsWorth(old, fresh) });
  if (!changes) return [coarseHunk(before, after)];
  const hunks: Hunk[] = [];
  let at = above;
  let removed: readonly string[] = [];
  let added: readonly string[] = [];
  const close = (): void => {
    if (removed.length + added.length > 0) hunks.push(hunk(at, removed, added));
    at += removed.length;
    removed = [];
    added = [];
  };
  for (const change of changes) {
    const lines = linesOf(change.value);
    if (change.removed) removed = [...removed, ...lines];
    else if (change.added) added = [...added, ...lines];
    else {
      close();
      at += lines.length;
    }
  }
  close();
  return hunks;
}

/** The text with these hunks taken and no others; they are hunks of this very text. */
export function applyHunks(before: string, hunks: readonly Hunk[]): string {
  const lines = linesOf(before);
  const parts: string[] = [];
  let next = 0;
  for (const { oldStart, removed, added } of hunks.toSorted((a, b) => a.oldStart - b.oldStart)) {
    parts.push(lines.slice(next, oldStart).join(""), added.join(""));
    next = oldStart + removed.length;
  }
  return [...parts, ...lines.slice(next)].join("");
}

/** The line at which each of these hunks begins in the text that they all lead to. */
export function startsOf(hunks: readonly Hunk[]): readonly number[] {
  let shift = 0;
  return hunks.map(({ oldStart, removed, added }) => {
    const start = oldStart + shift;
    shift += added.length - removed.length;
    return start;
  });
}

/**
 * Makes in `now` the change that leads from `before` to `wanted`, where somebody else has changed `before` into `now`.
 * @returns null where both changed the same or neighbouring lines
 */
export function rebase(before: string, wanted: string, now: string): string | null {
  const theirs = hunksOf(before, now);
  const taken = new Set(theirs.map(({ id }) => id));
  const ours = hunksOf(before, wanted).filter(({ id }) => !taken.has(id));
  const meets = (a: Hunk, b: Hunk): boolean =>
    a.oldStart <= b.oldStart + b.removed.length && b.oldStart <= a.oldStart + a.removed.length;
  if (ours.some((own) => theirs.some((other) => meets(own, other)))) return null;
  return applyHunks(before, [...theirs, ...ours]);
}

/** Everything between the first and the last differing line. */
export function coarseHunk(before: string, after: string): Hunk {
  const old = linesOf(before);
  const fresh = linesOf(after);
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return hunk(start, old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
}

interface Middle {
  /** Lines above it, the same in both. */
  readonly above: number;
  readonly old: string;
  readonly fresh: string;
}

/**
 * Where two texts differ, in whole lines: a change of a few lines costs little however long the texts are.
 * @param around equal lines that are left above and below
 */
export function middleOf(before: string, after: string, around: number): Middle {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
  const at = (text: string): number => text.charCodeAt(text.length - 1 - end);
  while (end < shorter - start && at(before) === at(after)) end++;
  const from = lineStart(before, start, around);
  const oldEnd = lineEnd(before, before.length - end, around);
  const freshEnd = after.length - (before.length - oldEnd);
  const above = before.slice(0, from).split("\n").length - 1;
  return { above, old: before.slice(from, oldEnd), fresh: after.slice(from, freshEnd) };
}

/** Start of the line at a place, and of as many lines above it. */
function lineStart(text: string, at: number, lines: number): number {
  let from = at;
  for (let left = lines; left >= 0; left--) {
    if (from <= 0) return 0;
    from = text.lastIndexOf("\n", from - 1);
  }
  return from + 1;
}

/** End of the line at a place, and of as many lines below it. */
function lineEnd(text: string, at: number, lines: number): number {
  let end = at;
  for (let left = lines; left >= 0; left--) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

/** The lines of a text with their endings. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function hunk(oldStart: number, removed: readonly string[], added: readonly string[]): Hunk {
  const content = JSON.stringify([removed, added]);
  const id = `${oldStart}-${createHash("sha256").update(content).digest("hex").slice(0, 12)}`;
  return { id, oldStart, removed, added };
}
