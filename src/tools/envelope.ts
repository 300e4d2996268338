// Reads the form of patch that names each file in a line of its own: `*** Update File: path`, then hunks that begin with `@@`.
import { hunkLines, strangeLine, type PatchFile, type PatchHunk, type ReadPatch } from "./patchFile.ts";

const header = /^\*\*\* (Update|Add|Delete) File: *(.*\S) *$/;
const move = /^\*\*\* Move to: *(.*\S) *$/;
const end = /^\*\*\* End Patch *$/;
const endOfFile = /^\*\*\* End of File *$/;
const numbers = /^-(\d+)(?:,\d+)? \+\d+(?:,\d+)?(?: @@.*)?$/;

const kinds: ReadonlyMap<string, PatchFile["kind"]> = new Map([
  ["Update", "update"],
  ["Add", "add"],
  ["Delete", "delete"],
]);

export function isEnvelope(lines: readonly string[]): boolean {
  return lines.some((line) => /^\*\*\* Begin Patch *$/.test(line) || header.test(line));
}

/** Lines without their endings. */
export function readEnvelope(lines: readonly string[]): ReadPatch {
  const begin = lines.findIndex((line) => /^\*\*\* Begin Patch *$/.test(line));
  const last = lines.findLastIndex((line) => end.test(line));
  if (begin === -1 || last < begin)
    return { problem: "The patch is not whole: it must begin with “*** Begin Patch” and end with “*** End Patch”." };
  const files: PatchFile[] = [];
  for (let at = begin + 1; at < last;) {
    const line = lines[at] ?? "";
    const [, verb = "", path] = header.exec(line) ?? [];
    const kind = kinds.get(verb);
    if (kind === undefined || path === undefined) {
      if (line.trim() !== "") return { problem: strangeLine(at + 1, line, expected.header) };
      at += 1;
      continue;
    }
    const next = lines.findIndex((other, index) => index > at && (header.test(other) || index === last));
    const read = readFile({ kind, path }, lines.slice(at + 1, next), at + 2);
    if ("problem" in read) return read;
    files.push(read);
    at = next;
  }
  return files.length > 0 ? { files } : { problem: `The patch names no file. ${expected.header}` };
}

const expected = {
  header: "A file begins with “*** Update File: path”, “*** Add File: path” or “*** Delete File: path”.",
  line: "In a hunk a line begins with a space, “-” or “+”, and “@@” begins the next hunk.",
  added: "Each line of an added file begins with “+”.",
  nothing: "Nothing follows the name of a deleted file.",
};

/** @param number of the first of the lines in the patch, from 1 */
function readFile(
  about: Pick<PatchFile, "kind" | "path">,
  body: readonly string[],
  number: number,
): PatchFile | { readonly problem: string } {
  const strange = (index: number, why: string): { readonly problem: string } => ({
    problem: strangeLine(number + index, body[index] ?? "", why),
  });
  if (about.kind === "delete") {
    const more = body.findIndex((line) => line.trim() !== "");
    return more === -1 ? { ...about, hunks: [] } : strange(more, expected.nothing);
  }
  const to = move.exec(body[0] ?? "")?.[1];
  const from = to === undefined ? 0 : 1;
  const read = readHunks(body.slice(from));
  if ("bad" in read) return strange(read.bad + from, expected.line);
  const wrong = read.hunks.flatMap(({ lines }) => lines).find(({ sign }) => sign !== "+");
  if (about.kind === "add" && wrong) return strange(body.indexOf(wrong.sign + wrong.text), expected.added);
  return { ...about, ...(to !== undefined && { to }), hunks: read.hunks };
}

function readHunks(body: readonly string[]): { readonly hunks: readonly PatchHunk[] } | { readonly bad: number } {
  const hunks: PatchHunk[] = [];
  for (let at = 0; at < body.length;) {
    const place = readPlace(body, at);
    const stop = body.findIndex((line, index) => index >= place.at && (line.startsWith("@@") || endOfFile.test(line)));
    const until = stop === -1 ? body.length : stop;
    const atEnd = endOfFile.test(body[until] ?? "");
    const read = hunkLines(body.slice(place.at, until));
    if ("bad" in read) return { bad: place.at + read.bad };
    if (read.lines.length > 0) hunks.push({ anchors: place.anchors, line: place.line, lines: read.lines, atEnd });
    at = atEnd ? until + 1 : until;
  }
  return { hunks };
}

/** The lines with `@@` from one on, and where they end. */
function readPlace(
  body: readonly string[],
  from: number,
): Pick<PatchHunk, "anchors" | "line"> & { readonly at: number } {
  const anchors: string[] = [];
  let line: number | null = null;
  let at = from;
  for (; body[at]?.startsWith("@@"); at++) {
    const text = (body[at] ?? "").slice(2).trim();
    const [, number] = numbers.exec(text) ?? [];
    if (number !== undefined) line = Number(number);
    else if (text !== "") anchors.push(text);
  }
  return { anchors, line, at };
}
