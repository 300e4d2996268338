// What each piece of markdown becomes on the page: no images, no raw HTML, and links only as data that is read on a click.
import type { MarkedToken, Token, Tokens } from "marked";
import { codeBlock, element } from "./codeBlock.ts";
import type { t } from "./l10n.ts";
import { fileReference, isWebLink } from "./links.ts";

/** How the pieces around these ones are drawn. */
interface Around {
  /** The text is still growing. */
  readonly live: boolean;
  readonly t: typeof t;
}

/** The language of a code block, out of what follows its fence. */
function languageOf(info: string | undefined): string {
  return info?.split(/[\s{]/, 1)[0] ?? "";
}

/** Draws pieces of text one after the other. What a text says is only ever set as text. */
export function nodesOf(tokens: readonly Token[], around: Around): readonly Node[] {
  return tokens.flatMap((token) => (isPiece(token) ? nodeOf(token, around) : []));
}

function isPiece(token: Token): token is MarkedToken {
  return typeof token.type === "string";
}

function nodeOf(token: MarkedToken, around: Around): Node | readonly Node[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "code":
      return codeBlock(token.text, languageOf(token.lang), around);
    case "list":
      return listOf(token, around);
    case "table":
      return tableOf(token, around);
    case "hr":
    case "br":
      return element(token.type);
    case "checkbox":
      return new Text(token.checked ? "☑ " : "☐ ");
    case "html":
      return /^\s*<br\s*\/?>\s*$/i.test(token.text) ? element("br") : new Text(token.text);
    default:
      return inlineOf(token, around);
  }
}

function inlineOf(
  token: Exclude<
    MarkedToken,
    { type: "space" | "def" | "code" | "list" | "table" | "hr" | "br" | "checkbox" | "html" }
  >,
  around: Around,
): Node | readonly Node[] {
  switch (token.type) {
    case "heading":
      // Under the heading of its turn; a model's own levels leave gaps.
      return filled(element("h3", `h${token.depth}`), nodesOf(token.tokens, around));
    case "paragraph":
      return filled(element("p"), nodesOf(token.tokens, around));
    case "blockquote":
    case "strong":
    case "em":
    case "del":
      return filled(element(token.type), nodesOf(token.tokens, around));
    case "codespan":
      return link(token.text, [filled(element("code"), [new Text(token.text)])], false);
    case "link":
      return link(token.href, nodesOf(token.tokens, around), true);
    case "image":
      return link(token.href, [new Text(token.text === "" ? token.href : token.text)], true);
    case "escape":
      return new Text(token.text);
    case "text":
      return token.tokens ? nodesOf(token.tokens, around) : new Text(decoded(token.text));
    case "list_item":
      return filled(element("li", token.task ? "task" : ""), nodesOf(token.tokens, around));
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

function listOf({ ordered, start, items }: Tokens.List, around: Around): Node {
  const list = filled(element(ordered ? "ol" : "ul"), nodesOf(items, around));
  // Its marks stand on the side where its text begins.
  list.dir = "auto";
  if (list instanceof HTMLOListElement && typeof start === "number" && start !== 1) list.start = start;
  return list;
}

function tableOf({ header, rows }: Tokens.Table, around: Around): Node {
  const row = (cells: readonly Tokens.TableCell[]): Node =>
    filled(
      element("tr"),
      cells.map(({ header: heads, align, tokens }) => {
        const cell = filled(element(heads ? "th" : "td"), nodesOf(tokens, around));
        if (align) cell.setAttribute("align", align);
        return cell;
      }),
    );
  const body = rows.length === 0 ? [] : [filled(element("tbody"), rows.map(row))];
  return filled(element("table"), [filled(element("thead"), [row(header)]), ...body]);
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
