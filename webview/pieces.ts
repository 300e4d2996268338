// A growing text as pieces that are each drawn in one go: its blocks, and of a block that is too long one stretch after the other.
import { Lexer } from "marked";
import type { Links, Token, Tokens } from "marked";

export interface Piece {
  /** Its source. */
  readonly raw: string;
  readonly token: Token;
  /** Stretches of the same block before it. */
  readonly nth: number;
  /** What the source of the next piece has to begin with to be read as the rest of this block; null when that is another block. */
  readonly opening: string | null;
}

/** Pieces, the last of which may read differently once more text follows. */
export interface Pieces {
  readonly all: readonly Piece[];
  /** So many of them, from the first, are as they stay. */
  readonly settled: number;
  /** Characters of the text in those that are. */
  readonly end: number;
  /** Where links lead that are used by name. */
  readonly links: Links;
  /** All of the text is in them. */
  readonly whole: boolean;
}

const noPieces: Pieces = { all: [], settled: 0, end: 0, links: {}, whole: false };

/**
 * Nothing is read yet.
 * @param named lines that say where links lead, for those who need it before these lines come
 */
export function unread(named = ""): Pieces {
  const links: Links = {};
  lexed(named, links);
  return { ...noPieces, links };
}

/** Characters that are read in one go: of a block that has more, one stretch is drawn after the other. */
const most = 1_000;

/** The same of a paragraph, and what else shows where it is cut. */
const mostInOne = 4_000;

/** Blocks at the end that may still change their meaning when more text follows. */
const unsettled = 4;

/**
 * Reads on in a text that begins with what was read before: one stretch of a long one, or all that is left.
 * @returns `whole` when nothing is left
 */
export function readOn(text: string, { all, settled, end, links }: Pieces): Pieces {
  const pieces = all.slice(0, settled);
  const known = { ...links };
  let at = end;
  for (const piece of stretchOf(text, at, pieces.at(-1), known)) {
    pieces.push(piece);
    at += piece.raw.length;
  }
  const isBehind = text.length - at > (at === end ? mostInOne : most / 2);
  if (isBehind) return { all: pieces, settled: pieces.length, end: at, links: known, whole: false };
  const tail = lex(ownCopy(text.slice(at)), pieces.at(-1), { ...known });
  const kept = tail.slice(0, -unsettled);
  return {
    all: [...pieces, ...tail],
    settled: pieces.length + kept.length,
    end: at + lengthOf(kept),
    links: known,
    whole: true,
  };
}

/** A part that does not keep the whole text in memory that it was cut from: there is another whole text with each word. */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

/** What can be settled of a text from a character on, in one go. */
function stretchOf(text: string, at: number, last: Piece | undefined, links: Links): readonly Piece[] {
  for (const size of [most, mostInOne].filter((characters) => text.length - at > characters)) {
    const part = text.slice(at, at + size);
    const pieces = settledOf(ownCopy(part.slice(0, cutOf(part))), last, links);
    if (pieces.length > 0) return pieces;
  }
  return [];
}

/** Of a stretch of a longer text the blocks that are complete; of a block that fills it as much as can be told apart. */
function settledOf(stretch: string, last: Piece | undefined, links: Links): readonly Piece[] {
  const pieces = lex(stretch, last, links);
  const open = pieces.findLastIndex(({ token }) => token.type !== "space");
  if (open > 0) return pieces.slice(0, open);
  const [first] = pieces;
  if (!first || (stretch.length <= most && !canBeCut(first))) return [];
  const raw = stretch.slice(0, endInside(first));
  const source = (last?.opening ?? "") + raw;
  const cut = raw.length < first.raw.length ? lex(raw, last, links)[0] : first;
  return [{ ...(cut ?? first), raw, opening: openingOf(first, source) }];
}

function lex(source: string, last: Piece | undefined, links: Links): readonly Piece[] {
  const opening = last?.opening ?? "";
  const whole = opening + source;
  let at = 0;
  return lexed(whole, links).map((token, index) => {
    const goesOn = index === 0 && (opening !== "" || (last?.opening === "" && isList(token)));
    // Not the token's own: a space at the end of a list is a line's end in it. And an opening's last line may end in the next.
    const from = Math.max(at, opening.length);
    at += token.raw.length;
    const raw = whole.slice(from, Math.max(at, from));
    const nth = goesOn ? (last?.nth ?? 0) + 1 : 0;
    return { raw, token: index === 0 ? counted(token, last) : token, nth, opening: null };
  });
}

const numberEnd = /^\s*\d+([.)])/;

/** The rest of a numbered list counts on, whatever numbers are written there: of a whole list the first alone counts. */
function counted(token: Token, last: Piece | undefined): Token {
  if (!last || !isList(token) || !isList(last.token) || !token.ordered || last.token.start === "") return token;
  if (numberEnd.exec(token.raw)?.[1] !== numberEnd.exec(last.raw)?.[1]) return token;
  return { ...token, start: last.token.start + last.token.items.length };
}

function lexed(source: string, links: Links): readonly Token[] {
  const lexer = new Lexer();
  Object.assign(lexer.tokens.links, links);
  try {
    const tokens = lexer.lex(source);
    Object.assign(links, lexer.tokens.links);
    return tokens;
  } catch {
    // Quotes and lists in each other, more than there is room for on the stack: that block is mere text.
    const blocks = source.split(/(?<=\n\n)/);
    return blocks.length > 1 ? blocks.flatMap((block) => lexed(block, links)) : plain(source);
  }
}

function plain(source: string): readonly Token[] {
  const text = { type: "text", raw: source, text: source };
  return [{ ...text, type: "paragraph", tokens: [text] }];
}

function lengthOf(pieces: readonly { readonly raw: string }[]): number {
  return pieces.reduce((sum, { raw }) => sum + raw.length, 0);
}

/** Where a block that goes on is left: a list before its last point, which may go on too. */
function endInside({ token }: Piece): number | undefined {
  const points = isList(token) ? token.items : [];
  return points.length > 1 ? lengthOf(points.slice(0, -1)) : undefined;
}

/** Whether nobody sees where a block is cut. */
function canBeCut(piece: Piece): boolean {
  const { type } = piece.token;
  return type === "code" || type === "table" || endInside(piece) !== undefined;
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

/** Where a source can be cut: between blocks that begin at the margin, where a line ends, between words, or anywhere. */
function cutOf(source: string): number {
  const half = source.length / 2;
  for (const [mark, keep] of [
    ["\n\n", 2],
    ["\n", 1],
    [" ", 1],
  ] as const) {
    const at = source.lastIndexOf(mark);
    if (at > half) return at + keep;
  }
  const isHalf = /[\uD800-\uDBFF]$/.test(source);
  return source.length - (isHalf ? 1 : 0);
}

/** What makes the rest of a block read as what it is; null when it has none, or reads so by itself. */
function openingOf(piece: Piece, source: string): string | null {
  const { token } = piece;
  if (token.type === "code") {
    const [line, fence = ""] = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/.exec(source) ?? [];
    const closed = new RegExp(`\\n {0,3}${fence}[\`~]*[ \\t]*\\s*$`).test(source);
    return line === undefined || closed ? null : line;
  }
  if (token.type === "table")
    return /\n[ \t]*\n\s*$/.test(source) ? null : (/^[^\n]*\n[^\n]*\n/.exec(source)?.[0] ?? null);
  return endInside(piece) === undefined ? null : "";
}
