// What each piece of markdown becomes on the page: no images, no raw HTML, and links only as data that is read on a click.
import type { MarkedToken, Token, Tokens } from "marked";
import { codeBlock, codeStretch, element } from "./codeBlock.ts";
import { fileReference, isWebLink } from "./links.ts";
import type { Piece } from "./pieces.ts";

/** The language of a code block, out of what follows its fence. */
function languageOf(info: string | undefined): string {
  return info?.split(/[\s{]/, 1)[0] ?? "";
}

/** Stretches of one block that stand in one element before the next begins: the browser measures, or leaves out, all of it. */
const stretchesInOne = 8;

/** Stretches of one code block that are coloured: each word that has a colour is an element, and a page has room for so many. */
const colouredStretches = 100;

/** Inside of what the rest of a block stands, as a selector around or in the piece before it; null: by itself. */
export function homeOf({ token: { type }, nth }: Piece): string | null {
  const isFirst = nth % stretchesInOne === 0;
  if (type === "code" && nth > 0) return isFirst ? "pre" : "code";
  if (isFirst) return null;
  return type === "table" ? "table" : type === "list" ? "ul, ol" : null;
}

/** Draws a piece of a text: a block, or a stretch of one. */
export function nodesOfPiece(piece: Piece): readonly Node[] {
  const { token } = piece;
  if (!isPiece(token)) return [];
  if (token.type === "code") return [codeOf(piece, token)];
  const isRest = homeOf(piece) !== null;
  if (isRest && token.type === "table") return [bodyOf(token)];
  return nodesOf(isRest && token.type === "list" ? token.items : [token]);
}

function codeOf(piece: Piece, { text, lang }: Tokens.Code): Node {
  const { raw, nth, opening } = piece;
  const lines = opening !== null && raw.endsWith("\n") ? `${text}\n` : text;
  const language = languageOf(lang);
  if (nth === 0) return codeBlock(lines, language, lang);
  return codeStretch(lines, nth < colouredStretches ? language : "", homeOf(piece) === "pre" ? "code" : "span");
}

/** Elements in each other: more than anybody can tell apart, and each costs the browser room on its stack. */
const deepest = 60;

let depth = 0;

/** Draws pieces of text one after the other. What a text says is only ever set as text. */
export function nodesOf(tokens: readonly Token[]): readonly Node[] {
  if (depth > deepest) return tokens.map(({ raw }) => new Text(raw));
  depth += 1;
  try {
    return tokens.flatMap((token) => (isPiece(token) ? nodeOf(token) : []));
  } finally {
    depth -= 1;
  }
}

function isPiece(token: Token): token is MarkedToken {
  return typeof token.type === "string";
}

function nodeOf(token: MarkedToken): Node | readonly Node[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "code":
      return codeBlock(token.text, languageOf(token.lang), token.lang);
    case "list":
      return listOf(token);
    case "table":
      return tableOf(token);
    case "hr":
    case "br":
      return element(token.type);
    case "checkbox":
      return new Text(token.checked ? "☑ " : "☐ ");
    case "html":
      return /^\s*<br\s*\/?>\s*$/i.test(token.text) ? element("br") : new Text(token.text);
    default:
      return inlineOf(token);
  }
}

function inlineOf(
  token: Exclude<
    MarkedToken,
    { type: "space" | "def" | "code" | "list" | "table" | "hr" | "br" | "checkbox" | "html" }
  >,
): Node | readonly Node[] {
  switch (token.type) {
    case "heading":
      // Under the heading of its turn; a model's own levels leave gaps.
      return filled(element("h3", `h${token.depth}`), nodesOf(token.tokens));
    case "paragraph":
      return filled(element("p"), nodesOf(token.tokens));
    case "blockquote":
    case "strong":
    case "em":
    case "del":
      return filled(element(token.type), nodesOf(token.tokens));
    case "codespan":
      return link(token.text, [filled(element("code"), [new Text(token.text)])], false);
    case "link":
      return link(token.href, nodesOf(token.tokens), true);
    case "image":
      return link(token.href, [new Text(token.text === "" ? token.href : token.text)], true);
    case "escape":
      return new Text(token.text);
    case "text":
      return token.tokens ? nodesOf(token.tokens) : new Text(decoded(token.text));
    case "list_item":
      return filled(element("li", token.task ? "task" : ""), nodesOf(token.tokens));
  }
}

/** An element that can be followed, around what is drawn; that alone when the target leads nowhere allowed. */
function link(target: string, inner: readonly Node[], loose: boolean): readonly Node[] {
  const kind = isWebLink(target) ? "link" : fileReference(target, loose) ? "file" : null;
  if (!kind) return inner;
  const anchor = filled(element("a"), inner);
  anchor.setAttribute("role", "link");
  anchor.tabIndex = -1;
  anchor.title = target;
  anchor.dataset[kind] = target;
  return [anchor];
}

function listOf({ ordered, start, items }: Tokens.List): Node {
  const list = filled(element(ordered ? "ol" : "ul"), nodesOf(items));
  // Its marks stand on the side where its text begins.
  list.dir = "auto";
  if (list instanceof HTMLOListElement && typeof start === "number" && start !== 1) list.start = start;
  return list;
}

function tableOf(table: Tokens.Table): Node {
  const body = table.rows.length === 0 ? [] : [bodyOf(table)];
  const inner = filled(element("table"), [filled(element("thead"), [rowOf(table.header)]), ...body]);
  return filled(element("div", "wide"), [inner]);
}

function bodyOf({ rows }: Tokens.Table): HTMLElement {
  return filled(element("tbody"), rows.map(rowOf));
}

function rowOf(cells: readonly Tokens.TableCell[]): Node {
  return filled(
    element("tr"),
    cells.map(({ header, align, tokens }) => {
      const cell = filled(element(header ? "th" : "td"), nodesOf(tokens));
      if (align) cell.setAttribute("align", align);
      return cell;
    }),
  );
}

function filled(parent: HTMLElement, children: readonly Node[]): HTMLElement {
  parent.append(...children);
  return parent;
}

/** The text with characters in the place of their names, as in `&nbsp;`. A field reads them as text and nothing else. */
function decoded(text: string): string {
  if (!/&[#\w]+;/.test(text)) return text;
  const field = document.createElement("textarea");
  return text.replace(/&[#\w]+;/g, (name) => {
    field.innerHTML = name;
    return field.value;
  });
}
