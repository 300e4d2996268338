// Which blocks of a long list are near the reader's eyes, and where they are: the arithmetic, without a page.
import type { Block } from "./blocks.ts";

/** A place in the list that stays the same when what is before it grows. */
export interface Place {
  readonly key: string;
  /** Pixels of that block above the upper edge of what is seen. */
  readonly offset: number;
  /** The part of a long text that is there: how high those before it are is a guess until they are seen. */
  readonly mark?: Mark;
}

export interface Mark {
  /** The id of the text. */
  readonly item: string;
  readonly part: string;
  /** Pixels of it above the upper edge. */
  readonly offset: number;
}

/** Blocks by number, the last one not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Blocks that are drawn one after the other, or pixels in the place of some that are not. */
export type Piece =
  | { readonly kind: "block"; readonly block: Block }
  | { readonly kind: "gap"; readonly key: string; readonly height: number };

/** Where each block begins, in pixels from the first; after the last of them where the list ends. */
export function startsOf(blocks: readonly Block[], heights: ReadonlyMap<string, number>): readonly number[] {
  const starts = [0];
  let at = 0;
  for (const { key, estimate } of blocks) starts.push((at += heights.get(key) ?? estimate));
  return starts;
}

/** The block at some pixels from the first; the nearest where there is none. */
export function blockAt(starts: readonly number[], pixels: number): number {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= pixels) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** The blocks between two heights. */
export function spanOf(starts: readonly number[], top: number, bottom: number): Span {
  if (starts.length < 2) return { from: 0, to: 0 };
  return { from: blockAt(starts, top), to: blockAt(starts, bottom) + 1 };
}

/**
 * What to draw of the list.
 * @param kept the number of a block that must stay with its neighbours, wherever it is: it has the focus; -1 for none
 */
export function piecesOf(
  blocks: readonly Block[],
  starts: readonly number[],
  span: Span,
  kept: number,
): readonly Piece[] {
  const around = kept === -1 ? [] : [kept - 1, kept, kept + 1].filter((index) => blocks[index] !== undefined);
  const inSpan = Array.from({ length: span.to - span.from }, (_, n) => span.from + n);
  const drawn = [...new Set([...around, ...inSpan])].toSorted((a, b) => a - b);
  const pieces: Piece[] = [];
  let done = 0;
  const gapTo = (index: number): void => {
    const height = (starts[index] ?? 0) - (starts[done] ?? 0);
    if (index > done) pieces.push({ kind: "gap", key: `gap-${pieces.length === 0 ? "first" : done}`, height });
  };
  for (const index of drawn) {
    gapTo(index);
    const block = blocks[index];
    if (block) pieces.push({ kind: "block", block });
    done = index + 1;
  }
  gapTo(blocks.length);
  return pieces;
}
