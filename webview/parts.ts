// The parts of a long text: those far from the reader are put away as mere text of the same height, and drawn again before they come into sight.
import { homeOf, nodesOfPiece } from "./markdownDom.ts";
import type { Piece } from "./pieces.ts";

/** A piece of a text, and what stands for it on the page. */
export interface Shown {
  readonly piece: Piece;
  /** The part in which it stands, or the text's own element. */
  readonly box: HTMLElement;
  /** None while its part is put away. */
  nodes: readonly Node[];
}

/** Draws a piece behind the last one: inside of that when it goes on in it, else in a box of its own choice. */
export function drawAfter(last: Shown | undefined, piece: Piece, ownBox: () => HTMLElement): Shown {
  const nodes = nodesOfPiece(piece);
  const home = homeOf(piece);
  const before = home === null ? undefined : last?.nodes.at(-1);
  const isInside = last !== undefined && home !== null && before instanceof HTMLElement;
  const box = isInside ? last.box : ownBox();
  const place = isInside ? (before.closest(home) ?? before.querySelector(home) ?? before) : box;
  place.append(...nodes);
  return { piece, box, nodes };
}

/** Characters of the text that stand in its element itself, and in each part of the rest of a long one. */
const partSize = 4_000;

/** Where a block goes that begins at a character. The browser leaves parts out of its work that cannot be seen. */
export function boxAt(element: HTMLElement, at: number): HTMLElement {
  if (at < partSize) return element;
  const number = String(Math.floor(at / partSize));
  const last = element.lastElementChild;
  if (last instanceof HTMLElement && last.dataset["part"] === number) return last;
  const part = element.appendChild(document.createElement("div"));
  part.className = "part";
  part.dataset["part"] = number;
  return part;
}

export interface Parts {
  /** To be called when there may be a part more. */
  readonly arrange: () => void;
  readonly forget: () => void;
}

/** So many parts stay drawn: most of what people read, select and search has fewer. */
const mostDrawn = 16;

/** Where the text grows. */
const atEnd = 4;

/** Parts that are put away in one go. */
const mostGoing = 4;

/** Screens beyond what is seen in which parts are drawn. */
const beyond = "200%";

/** Characters that are drawn again in one go: a part with more, all of it one block of code, stays. */
const mostAgain = 10 * partSize;

/** Watches which parts of a text are near. What is drawn in it is asked for when it is needed. */
export function watchParts(element: HTMLElement, shown: () => readonly Shown[]): Parts {
  const watched = new WeakSet<Element>();
  const far = new WeakSet<Element>();
  let next: number | undefined;
  const look = (entries: readonly IntersectionObserverEntry[]): void => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) far.delete(target);
      else far.add(target);
    next ??= requestAnimationFrame(move);
  };
  let observer: IntersectionObserver | undefined;
  const piecesIn = (part: HTMLElement): readonly Shown[] => shown().filter(({ box }) => box === part);
  const canGo = (part: HTMLElement): boolean =>
    far.has(part) && !isAway(part) && !isInUse(part) && lengthOf(piecesIn(part)) < mostAgain;
  /** Some at a time, so that no frame waits. */
  const move = (): void => {
    const parts = partsOf(element);
    const back = parts.find((part) => isAway(part) && !far.has(part));
    const away = back ? [] : parts.slice(0, -atEnd).filter(canGo).slice(0, mostGoing);
    if (back) bringBack(back, piecesIn(back));
    putAway(away);
    for (const piece of away.flatMap(piecesIn)) piece.nodes = [];
    next = back || away.length > 0 ? requestAnimationFrame(move) : undefined;
  };
  return {
    arrange: () => {
      const parts = partsOf(element);
      if (parts.length <= mostDrawn) return;
      observer ??= new IntersectionObserver(look, { root: element.closest(".transcript"), rootMargin: beyond });
      for (const part of parts.filter((one) => !watched.has(one))) {
        watched.add(part);
        observer.observe(part);
      }
      next ??= requestAnimationFrame(move);
    },
    // A browser keeps what it watches, on the page or not.
    forget: () => observer?.disconnect(),
  };
}

function partsOf(element: HTMLElement): readonly HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(":scope > .part")];
}

function putAway(parts: readonly HTMLElement[]): void {
  // All are measured before the first changes: the page is laid out once.
  const heights = parts.map((part) => part.getBoundingClientRect().height);
  for (const [index, part] of parts.entries()) {
    part.style.height = `${heights[index] ?? 0}px`;
    part.dataset["away"] = "";
    // One node instead of thousands, which can still be read out, searched and copied.
    part.replaceChildren(linesOf(part));
  }
}

/** What is read in one line when it is copied. */
const line = "p, h3, li, tr, pre, .code-head, blockquote";

/** The text of a part as it would be copied from what is drawn. */
function linesOf(part: HTMLElement): string {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  let text = "";
  let last: Element | null | undefined;
  while (walker.nextNode()) {
    const { parentElement: around, nodeValue } = walker.currentNode;
    const next = around?.closest(line);
    if (last !== undefined && next !== last) text += "\n";
    else if (around?.matches("td + td, th + th") && nodeValue === around.textContent) text += "\t";
    text += nodeValue ?? "";
    last = next;
  }
  return `${text}\n`;
}

function bringBack(part: HTMLElement, pieces: readonly Shown[]): void {
  part.replaceChildren();
  let last: Shown | undefined;
  for (const one of pieces) {
    one.nodes = drawAfter(last, one.piece, () => part).nodes;
    last = one;
  }
  part.style.height = "";
  delete part.dataset["away"];
}

/** Whether this is a part of which only the text is there. */
export function isAway(part: Element): boolean {
  return part.matches("[data-away]");
}

/** Measures a part as it is: until it has been seen the browser guesses how high it is. */
export function layOut(part: HTMLElement): void {
  part.style.contentVisibility = "visible";
}

/** A person is at something in it. */
function isInUse(part: HTMLElement): boolean {
  const selection = getSelection();
  return part.contains(document.activeElement) || (selection?.type === "Range" && selection.containsNode(part, true));
}

function lengthOf(shown: readonly Shown[]): number {
  return shown.reduce((sum, { piece }) => sum + piece.raw.length, 0);
}
