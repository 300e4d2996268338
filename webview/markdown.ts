// Markdown as safe DOM, piece by piece: a piece whose source did not change keeps its nodes while the text streams on.
import type { ToHost } from "../src/protocol/wire.ts";
import { press } from "./clicks.ts";
import { homeOf, nodesOfPiece } from "./markdownDom.ts";
import { readOn, unread } from "./pieces.ts";
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

interface Progress {
  readonly pieces: Pieces;
  readonly shown: readonly Shown[];
}

interface Drawn extends Progress {
  readonly text: string;
  readonly named: string;
}

/** Milliseconds after which the rest of a text is left for the next frame: the browser needs several times as long for what was drawn. */
const mostAtOnce = 10;
const mostInPassing = 3;

/** Lines that say where a link leads: often at the very end, once for all of the text. */
const definitions = /^ {0,3}\[[^\]\n]+\]:.*$/gm;

/** Opens a renderer; it remembers what it drew into each element. */
export function createRenderer(): MarkdownRenderer {
  const memory = new WeakMap<HTMLElement, Drawn>();
  return {
    press,
    draw: (element, source, settled) => {
      const text = source.replace(/\r\n?/g, "\n");
      const named = settled ? (text.match(definitions) ?? []).join("\n") : "";
      const last = memory.get(element);
      const before = last?.named === named ? last : undefined;
      if (!before) element.replaceChildren();
      const grows = before && text.startsWith(before.text.slice(0, before.pieces.end));
      const from = { pieces: grows ? before.pieces : unread(named), shown: before?.shown ?? [] };
      const drawn = drawOn(element, text, from, settled ? mostAtOnce : mostInPassing);
      memory.set(element, { text, named, ...drawn });
      return drawn.pieces.whole;
    },
  };
}

/** Reads and draws on, until that has taken so many milliseconds. */
function drawOn(element: HTMLElement, text: string, from: Progress, milliseconds: number): Progress {
  const until = performance.now() + milliseconds;
  let { pieces, shown } = from;
  do {
    pieces = readOn(text, pieces);
    shown = replace(element, shown, pieces.all);
  } while (!pieces.whole && performance.now() < until);
  return { pieces, shown };
}

/** Puts the new pieces after those that stay, which are not touched. */
function replace(element: HTMLElement, old: readonly Shown[], next: readonly Piece[]): readonly Shown[] {
  let same = 0;
  while (same < old.length && isSame(old[same]?.piece, next[same])) same += 1;
  takeOut(element, old.slice(same));
  const shown = old.slice(0, same);
  let at = shown.reduce((sum, { piece }) => sum + piece.raw.length, 0);
  for (const piece of next.slice(same)) {
    const nodes = nodesOfPiece(piece);
    const last = shown.at(-1)?.nodes.at(-1);
    const home = homeOf(piece);
    const box = home !== null && last instanceof HTMLElement ? inside(last, home) : boxAt(element, at);
    box.append(...nodes);
    shown.push({ piece, nodes });
    at += piece.raw.length;
  }
  return shown;
}

function takeOut(element: HTMLElement, gone: readonly Shown[]): void {
  for (const node of gone.flatMap(({ nodes }) => nodes)) node.parentNode?.removeChild(node);
  while (element.lastElementChild?.matches(".part:empty")) element.lastElementChild.remove();
}

/** Where the rest of a block goes. */
function inside(last: HTMLElement, home: string): Element {
  return last.closest(home) ?? last.querySelector(home) ?? last;
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
