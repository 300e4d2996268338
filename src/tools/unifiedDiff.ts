// Reads a unified diff, such as git's; the numbers in it may be wrong, what its lines say counts.
import { hunkLines, strangeLine, type PatchFile, type PatchHunk, type ReadPatch } from "./patchFile.ts";

const hunkHeader = /^@@(?: -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))?)?/;
/** What else may stand before a file's hunks. */
const known =
  /^(?:diff |index |old mode |new mode |new file mode |deleted file mode |(?:dis)?similarity index |rename (?:from|to) |Index: |={3,}$|\s*$)/;
const binary = /^(?:Binary files |GIT binary patch)/;

interface Desk {
  readonly lines: readonly string[];
  at: number;
  readonly files: PatchFile[];
  /** What git says of a file before its hunks, which may be all. */
  rename: { from?: string; to?: string };
}

/** Lines without their endings. */
export function readUnifiedDiff(lines: readonly string[]): ReadPatch {
  // Words above the first file are no part of it.
  const begin = lines.findIndex((line, index) => line.startsWith("diff --git ") || isFile(lines, index));
  if (begin === -1) return { problem: `There is no patch in this. ${forms}` };
  const desk: Desk = { lines, at: begin, files: [], rename: {} };
  while (desk.at < lines.length) {
    const problem = isFile(lines, desk.at) ? readFile(desk) : readHeader(desk);
    if (problem !== null) return { problem };
  }
  closeRename(desk);
  return desk.files.length > 0 ? { files: desk.files } : { problem: `The patch changes nothing. ${forms}` };
}

const forms =
  "Write it between “*** Begin Patch” and “*** End Patch”, or as a unified diff with “--- a/path”, “+++ b/path” and hunks that begin with “@@”.";

function isFile(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true;
}

function readHeader(desk: Desk): string | null {
  const line = desk.lines[desk.at] ?? "";
  if (line.startsWith("diff ")) closeRename(desk);
  const [, which, path] = /^rename (from|to) (.*)$/.exec(line) ?? [];
  if (which === "from" && path !== undefined) desk.rename.from = path;
  if (which === "to" && path !== undefined) desk.rename.to = path;
  desk.at += 1;
  if (binary.test(line)) return "A patch of a file that is not text cannot be applied.";
  const expected = "Each line of a hunk begins with a space, “-” or “+”.";
  return known.test(line) ? null : strangeLine(desk.at, line, expected);
}

/** A file that was renamed and not changed has no lines of its own. */
function closeRename(desk: Desk): void {
  const { from, to } = desk.rename;
  if (from !== undefined && to !== undefined) desk.files.push({ kind: "update", path: from, to, hunks: [] });
  desk.rename = {};
}

function readFile(desk: Desk): string | null {
  const { from, to } = pathsIn(desk.lines[desk.at], desk.lines[desk.at + 1]);
  desk.rename = {};
  desk.at += 2;
  const hunks: PatchHunk[] = [];
  while (desk.lines[desk.at]?.startsWith("@@")) {
    const hunk = readHunk(desk);
    if (typeof hunk === "string") return hunk;
    hunks.push(hunk);
  }
  if (from === null && to === null) return "A file of the patch has no name.";
  if (from === null) desk.files.push({ kind: "add", path: to ?? "", hunks });
  else if (to === null) desk.files.push({ kind: "delete", path: from, hunks });
  else desk.files.push({ kind: "update", path: from, ...(to !== from && { to }), hunks });
  return null;
}

interface Paths {
  /** Null: there is no file. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A time may stand behind them, and git's `a/` and `b/` before them. */
function pathsIn(...lines: (string | undefined)[]): Paths {
  const [from = "", to = ""] = lines.map((line = "") => line.slice(4).replace(/\t.*$/, "").trim());
  const named = (path: string): string | null => (path === "/dev/null" ? null : path);
  const isGit = (named(from) === null || from.startsWith("a/")) && (named(to) === null || to.startsWith("b/"));
  const [old, fresh] = [named(from), named(to)];
  return isGit ? { from: old?.slice(2) ?? null, to: fresh?.slice(2) ?? null } : { from: old, to: fresh };
}

function readHunk(desk: Desk): PatchHunk | string {
  const { lines } = desk;
  const [, number, removed = "1", added = "1"] = hunkHeader.exec(lines[desk.at] ?? "") ?? [];
  const from = desk.at + 1;
  const counted = number === undefined ? null : endByCount(lines, from, { old: Number(removed), fresh: Number(added) });
  const until = counted ?? endByLook(lines, from);
  const read = hunkLines(lines.slice(from, until));
  if ("bad" in read) return strangeLine(from + read.bad + 1, lines[from + read.bad] ?? "", forms);
  desk.at = until;
  // Before the first line of all it is 0; where nothing is removed it names the line above.
  const line = number === undefined ? null : Number(number) + (Number(removed) === 0 ? 1 : 0);
  return { anchors: [], lines: read.lines, atEnd: false, line };
}

/** Lines that it stands for of the old file and of the new one. A space alone is easily lost. */
const signs: ReadonlyMap<string, readonly [old: number, fresh: number]> = new Map([
  ["", [1, 1]],
  [" ", [1, 1]],
  ["-", [1, 0]],
  ["+", [0, 1]],
  ["\\", [0, 0]],
]);

/** Where the hunk ends by its own count; null when that is wrong. */
function endByCount(lines: readonly string[], from: number, count: { old: number; fresh: number }): number | null {
  const left = { ...count };
  let at = from;
  for (; left.old > 0 || left.fresh > 0; at++) {
    const line = lines[at];
    const [old, fresh] = (line !== undefined && signs.get(line.slice(0, 1))) || [Infinity, 0];
    left.old -= old;
    left.fresh -= fresh;
    if (left.old < 0 || left.fresh < 0) return null;
  }
  while (lines[at]?.startsWith("\\ ")) at += 1;
  return at === lines.length || isBoundary(lines, at) ? at : null;
}

function isBoundary(lines: readonly string[], at: number): boolean {
  return /^(?:@@|diff |$)/.test(lines[at] ?? "") || isFile(lines, at);
}

function endByLook(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] === "" || (!isBoundary(lines, at) && /^[ +\\-]/.test(lines[at] ?? ""))))
    at += 1;
  return at;
}
