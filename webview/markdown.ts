// Markdown as safe DOM, piece by piece: a piece whose source did not change keeps its nodes while the text streams on.
import type { ToHost } from "../src/protocol/wire.ts";
import { press } from "./clicks.ts";
import { boxAt, drawAfter, isAway, watchParts } from "./parts.ts";
import type { Parts, Shown } from "./parts.ts";
import { readOn, unread } from "./pieces.ts";
import type { Piece, Pieces } from "./pieces.ts";

export interface MarkdownRenderer {
  /**
   * Draws a text into an element, again and again as it grows.
   * @returns false when a part of it is left for the next frame: nobody waits for a long text
   */
  readonly draw: (element: HTMLElement, text: string, settled: boolean) => boolean;
  /** An element goes from the page. */
  readonly forget: (element: HTMLElement) => void;
  /** Does what a click or a key inside drawn text is for: follows a link, copies a code block. */
  readonly press: (event: MouseEvent | KeyboardEvent, post: (message: ToHost) => void) => void;
}

interface Progress {
  readonly pieces: Pieces;
  readonly shown: readonly Shown[];
}

interface Drawn extends Progress {
  readonly text: string;
  readonly named: string;
  readonly parts: Parts;
}

/** Milliseconds after which the rest of a text is left for the next frame: the browser needs several times as long for what was drawn. */
const mostAtOnce = 5;
const mostInPassing = 3;

/** Lines that say where a link leads: often at the very end, once for all of the text. */
const definitions = /^ {0,3}\[[^\]\n]+\]:.*$/gm;

/** Opens a renderer; it remembers what it drew into each element. */
export function createRenderer(): MarkdownRenderer {
  const memory = new WeakMap<HTMLElement, Drawn>();
  return {
    press,
    forget(element) {
      memory.get(element)?.parts.forget();
      memory.delete(element);
    },
    draw: (element, source, settled) => {
      const text = source.replace(/\r\n?/g, "\n");
      const named = settled ? (text.match(definitions) ?? []).join("\n") : "";
      const last = memory.get(element);
      const before = last && staysFor(element, last, text, named) ? last : null;
      if (!before) {
        last?.parts.forget();
        element.replaceChildren();
      }
      const drawn = drawOn(element, text, progressOf(before, text, named), settled ? mostAtOnce : mostInPassing);
      const parts = before?.parts ?? watchParts(element, () => memory.get(element)?.shown ?? []);
      memory.set(element, { text, named, parts, ...drawn });
      parts.arrange();
      element.toggleAttribute("data-unfinished", !drawn.pieces.whole);
      return drawn.pieces.whole;
    },
  };
}

/** Whether what is drawn can stay: links by name lead to where they led, and nothing is put away that would have to be compared. */
function staysFor(element: HTMLElement, last: Drawn, text: string, named: string): boolean {
  return last.named === named && (grows(last, text) || ![...element.children].some(isAway));
}

function progressOf(before: Drawn | null, text: string, named: string): Progress {
  return { pieces: before && grows(before, text) ? before.pieces : unread(named), shown: before?.shown ?? [] };
}

function grows({ text: before, pieces }: Drawn, text: string): boolean {
  return text.startsWith(before.slice(0, pieces.end));
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
    const start = at;
    shown.push(drawAfter(shown.at(-1), piece, () => boxAt(element, start)));
    at += piece.raw.length;
  }
  return shown;
}

function takeOut(element: HTMLElement, gone: readonly Shown[]): void {
  for (const node of gone.flatMap(({ nodes }) => nodes)) node.parentNode?.removeChild(node);
  while (element.lastElementChild?.matches(".part:empty")) element.lastElementChild.remove();
}

function isSame(a: Piece | undefined, b: Piece | undefined): boolean {
  return a !== undefined && b !== undefined && a.raw === b.raw && a.nth === b.nth;
}
