// Markdown as safe DOM, piece by piece: a piece whose source did not change keeps its nodes while the text streams on.
import type { Links } from "marked";
import type { ToHost } from "../src/protocol/wire.ts";
import { press } from "./clicks.ts";
import { isRest, nodesOfPiece } from "./markdownDom.ts";
import { noPieces, readAgain, readOn } from "./pieces.ts";
import type { Piece, Pieces } from "./pieces.ts";

export interface MarkdownRenderer {
  /**
   * Draws a text into an element, again and again as it grows.
   * @returns false when a part of it is left for the next frame: nobody waits for a long text
   */
  readonly draw: (element: HTMLElement, text: string, settled: boolean) => boolean;
  /** Does what a click or a key inside drawn text is for: follows a link, copies a code block. */
  readonly press: (event: MouseEvent | KeyboardEvent, post: (message: ToHost) => void) => void;
}

interface Shown {
  readonly piece: Piece;
  readonly nodes: readonly Node[];
}

interface Drawn {
  readonly text: string;
  readonly pieces: Pieces;
  readonly shown: readonly Shown[];
}

/** Opens a renderer; it remembers what it drew into each element. */
export function createRenderer(): MarkdownRenderer {
  const memory = new WeakMap<HTMLElement, Drawn>();
  return {
    press,
    draw: (element, source, settled) => {
      const text = source.replace(/\r\n?/g, "\n");
      const before = memory.get(element);
      if (!before) element.replaceChildren();
      const grows = before && text.startsWith(before.text.slice(0, before.pieces.end));
      const pieces = readOn(text, grows ? before.pieces : noPieces);
      const shown = replace(element, before?.shown ?? [], pieces.all);
      const links = settled && pieces.whole ? pieces.allLinks : pieces.links;
      memory.set(element, { text, pieces, shown: withLinks(shown, before?.pieces.links ?? {}, links) });
      return pieces.whole;
    },
  };
}

/** Puts the new pieces after those that stay, which are not touched. */
function replace(element: HTMLElement, old: readonly Shown[], next: readonly Piece[]): readonly Shown[] {
  let same = 0;
  while (same < old.length && isSame(old[same]?.piece, next[same])) same += 1;
  for (const node of old.slice(same).flatMap(({ nodes }) => nodes)) node.parentNode?.removeChild(node);
  while (element.lastElementChild?.matches(".part:empty")) element.lastElementChild.remove();
  const shown = old.slice(0, same);
  let at = shown.reduce((sum, { piece }) => sum + piece.raw.length, 0);
  for (const piece of next.slice(same)) {
    const nodes = nodesOfPiece(piece);
    const last = shown.at(-1)?.nodes.at(-1);
    const box = isRest(piece) && last instanceof HTMLElement ? insideOf(last) : boxAt(element, at);
    box.append(...nodes);
    shown.push({ piece, nodes });
    at += piece.raw.length;
  }
  return shown;
}

/** A link can be used long before it is said where it leads. */
function withLinks(shown: readonly Shown[], before: Links, now: Links): readonly Shown[] {
  const names = Object.keys(now).filter((name) => !(name in before));
  if (names.length === 0) return shown;
  return shown.map(({ piece, nodes }) => {
    const [first, ...rest] = nodes;
    const source = piece.raw.toLowerCase();
    if (!first || piece.nth > 0 || !names.some((name) => source.includes(`[${name}]`))) return { piece, nodes };
    const again = nodesOfPiece(readAgain(piece, now));
    first.parentNode?.insertBefore(fragmentOf(again), first);
    for (const node of [first, ...rest]) node.parentNode?.removeChild(node);
    return { piece, nodes: again };
  });
}

function fragmentOf(nodes: readonly Node[]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...nodes);
  return fragment;
}

/** Where the rest of a block goes. */
function insideOf(last: HTMLElement): HTMLElement {
  return (last.matches("code, tbody") ? last.parentElement : last.querySelector("pre")) ?? last;
}

/** Characters of the text that stand in its element itself, and in each part of the rest of a long one. */
const partSize = 8_000;

/** Where a block goes that begins at a character. The browser leaves parts out of its work that cannot be seen. */
function boxAt(element: HTMLElement, at: number): HTMLElement {
  if (at < partSize) return element;
  const number = String(Math.floor(at / partSize));
  const last = element.lastElementChild;
  if (last instanceof HTMLElement && last.dataset["part"] === number) return last;
  const part = element.appendChild(document.createElement("div"));
  part.className = "part";
  part.dataset["part"] = number;
  return part;
}

function isSame(a: Piece | undefined, b: Piece | undefined): boolean {
  return a !== undefined && b !== undefined && a.raw === b.raw && a.nth === b.nth;
}
