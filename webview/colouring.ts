// Tells apart what code is made of. A text is read once from its start to its end: none can hold up the panel, however it was made.
import { type Language, languages, nameOf } from "./languages.ts";

const kinds = ["comment", "string", "number", "keyword", "constant", "title", "plus", "minus"] as const;
export type Kind = (typeof kinds)[number];

export interface Piece {
  readonly text: string;
  /** None: it has the colour of the text. */
  readonly kind?: Kind | undefined;
}

/** Writes a piece down. */
type Add = (piece: Piece) => void;

/** A language, ready to be read. */
interface Reader {
  readonly language: Language;
  readonly pattern: RegExp;
  readonly words: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
}

const plainWord = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const number = String.raw`0[xXbBoO][\da-fA-F_]+\w*|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?\w*`;
const constants = new Set("false nil none None null nullptr NaN True False true undefined yes no on off".split(" "));

const ready = new Map<string, Reader>();

function readerOf(name: string): Reader | undefined {
  const known = ready.get(name);
  const language = Object.hasOwn(languages, name) ? languages[name] : undefined;
  if (known || !language) return known;
  const patterns = { number, ...language };
  const groups = kinds.flatMap((kind) => (patterns[kind] === undefined ? [] : [`(?<${kind}>${patterns[kind]})`]));
  const all = [...groups, `(?<word>${language.word ?? plainWord})`, String.raw`[ \t]+`, "[^]"];
  const reader = {
    language,
    pattern: new RegExp(all.join("|"), "muy"),
    words: new Set(language.words?.split(" ")),
    types: new Set(language.types?.split(" ")),
  };
  ready.set(name, reader);
  return reader;
}

/** The text in pieces that together are the text again; null for a language that is not known. */
export function piecesOf(text: string, language: string): readonly Piece[] | null {
  const name = nameOf(language);
  const reader = readerOf(name);
  if (!reader && name !== "markup") return null;
  const pieces: { text: string; kind: Kind | undefined }[] = [];
  const add: Add = ({ text: piece, kind }) => {
    const last = pieces.at(-1);
    if (last?.kind === kind && last) last.text += piece;
    else pieces.push({ text: piece, kind });
  };
  if (reader) readCode(text, reader, add);
  else readMarkup(text, add);
  return pieces;
}

function readCode(text: string, reader: Reader, add: Add): void {
  const script = reader.language.templates ? createScript(text) : null;
  let before: Piece = { text: "" };
  for (let at = 0; at < text.length;) {
    const piece = script?.(at, before) ?? pieceAt(text, at, reader, before.text);
    add(piece);
    at += piece.text.length;
    if (piece.text.trim() !== "") before = piece;
  }
}

function pieceAt(text: string, at: number, reader: Reader, before: string): Piece {
  reader.pattern.lastIndex = at;
  // The last of its patterns is any character.
  const { 0: piece, groups } = reader.pattern.exec(text) ?? { 0: text.slice(at) };
  const next = text.slice(at + piece.length, at + piece.length + 2);
  if (groups?.["word"] !== undefined) return { text: piece, kind: wordKind(piece, before, reader, next) };
  const kind = kindOf(groups);
  return { text: piece, kind: kind === "string" && isKey(reader.language, next) ? "constant" : kind };
}

function kindOf(groups: Readonly<Record<string, string>> | undefined): Kind | undefined {
  return groups && kinds.find((kind) => groups[kind] !== undefined);
}

function isKey({ key }: Language, next: string): boolean {
  return key !== undefined && (next.startsWith(key) || next === ` ${key}`);
}

/** @param next the two characters behind it */
function wordKind(word: string, before: string, { language, words, types }: Reader, next: string): Kind | undefined {
  const name = language.anyCase ? word.toLowerCase() : word;
  if (before !== "." && words.has(name)) return "keyword";
  if (constants.has(word) || types.has(name) || isKey(language, next)) return "constant";
  if (language.words !== undefined && next.startsWith("(")) return "title";
  const hasTypes = language.types !== undefined && !language.anyCase;
  return hasTypes && /^\p{Lu}[^]*\p{Ll}/u.test(word) ? "constant" : undefined;
}

/** What ends a value: a slash after it divides, or closes a tag. */
const valueEnd = /[\p{L}\p{N}_$)\]}<>"'`]/u;
const expression = /\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\]?)+\/?[a-z]*/y;
const template = /[`}](?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)?/y;

/** Reads what JavaScript alone has: gives the piece at a place; null when it is something else. */
function createScript(text: string): (at: number, before: Piece) => Piece | null {
  /** For each text that is interrupted by code: the braces that are open in that. */
  const open: number[] = [];
  const read = (pattern: RegExp, at: number): Piece | null => {
    pattern.lastIndex = at;
    const piece = pattern.exec(text)?.[0];
    if (piece === undefined) return null;
    if (pattern === template && piece.endsWith("${")) open.push(0);
    return { text: piece, kind: "string" };
  };
  return (at, before) => {
    const character = text.charAt(at);
    if (character === "`") return read(template, at);
    if (character === "{" || character === "}") {
      const depth = open.pop();
      if (depth === 0 && character === "}") return read(template, at);
      if (depth !== undefined) open.push(depth + (character === "{" ? 1 : -1));
    }
    const begins = character === "/" && (before.kind === "keyword" || !valueEnd.test(before.text.slice(-1)));
    return begins ? read(expression, at) : null;
  };
}

const between = /<!--[^]*?(?:-->|$)|<[/!?]?[\p{L}_][\p{L}\p{N}_:.-]*|[^<]+|</uy;
const inTag = /[/?]?>|"[^"]*"?|'[^']*'?|[\p{L}_:@#][\p{L}\p{N}_:@#.-]*|[^]/uy;
const inner: Readonly<Record<string, string>> = { "<script": "javascript", "<style": "css" };

/** Tags with their names and values; what is in between is text, but in scripts and styles. */
function readMarkup(text: string, add: Add): void {
  for (let at = 0; at < text.length;) {
    between.lastIndex = at;
    const piece = between.exec(text)?.[0] ?? text.slice(at);
    const kind = betweenKind(piece);
    add({ text: piece, kind });
    at += piece.length;
    if (kind !== "keyword") continue;
    at = readTag(text, at, add);
    const name = piece.toLowerCase();
    const reader = readerOf(inner[name] ?? "");
    if (!reader || text.endsWith("/>", at)) continue;
    const end = text.indexOf(name.replace("<", "</"), at);
    const code = text.slice(at, end < 0 ? text.length : end);
    readCode(code, reader, add);
    at += code.length;
  }
}

function betweenKind(piece: string): Kind | undefined {
  if (piece.startsWith("<!--")) return "comment";
  return piece.startsWith("<") && piece !== "<" ? "keyword" : undefined;
}

/** Reads on to the end of a tag; gives where that is. */
function readTag(text: string, from: number, add: Add): number {
  inTag.lastIndex = from;
  for (let found = inTag.exec(text); found; found = inTag.exec(text)) {
    const [piece] = found;
    const ends = /^[/?]?>$/.test(piece);
    if (ends) add({ text: piece, kind: "keyword" });
    else
      add({ text: piece, kind: /^["']/.test(piece) ? "string" : /^[\p{L}_:@#]/u.test(piece) ? "constant" : undefined });
    if (ends) return inTag.lastIndex;
  }
  return text.length;
}
