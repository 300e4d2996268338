// Where the reader of a long list is: at its end, which is then followed, or at a place that stays where it is on the screen.
import type { Block } from "./blocks.ts";
import { isAway, layOut } from "./parts.ts";
import { blockAt, piecesOf, spanOf, startsOf } from "./sight.ts";
import type { Mark, Piece, Place, Span } from "./sight.ts";

/** The list on the page, and the reader before it. */
export interface Reader {
  /** What scrolls; null before the first drawing. */
  box: HTMLElement | null;
  /** Holds the blocks and the gaps, in order. */
  list: HTMLElement | null;
  blocks: readonly Block[];
  readonly heights: Map<string, number>;
  starts: readonly number[];
  drawn: Span;
  following: boolean;
  place: Place | null;
  /** What is at the upper edge, and how far from it. */
  anchor: { readonly element: Element; readonly top: number } | null;
  /** As it was last seen: when it is another, the reader has moved. */
  scrollTop: number;
  width: number;
  /** Of what scrolls, as it was last measured: who asks the page while it is being changed waits for its layout. */
  height: number;
  /** The row that gets the focus once it is drawn. */
  wish: "first" | "last" | null;
}

/** Pixels from the end that still count as the end. */
const nearEnd = 24;
/** Pixels beyond what is seen that are drawn; and that must be. */
const drawnBeyond = 800;
const neededBeyond = 250;
/** As long as there is no page to measure. */
const usualHeight = 800;

export function newReader(place: Place | null): Reader {
  return {
    box: null,
    list: null,
    blocks: [],
    heights: new Map(),
    starts: [0],
    drawn: { from: 0, to: 0 },
    following: place === null,
    place,
    anchor: null,
    scrollTop: 0,
    width: 0,
    height: 0,
    wish: null,
  };
}

/** What to draw of these blocks. */
export function plan(reader: Reader, blocks: readonly Block[]): readonly Piece[] {
  reader.blocks = blocks;
  reader.starts = startsOf(blocks, reader.heights);
  reader.drawn = spanAround(reader, drawnBeyond);
  return piecesOf(blocks, reader.starts, reader.drawn, focusedBlock(reader));
}

/**
 * After a drawing, or a change of a size: measures, and puts what is being read back to where it was.
 * @returns false when something near is not drawn yet
 */
export function settle(reader: Reader): boolean {
  const { box } = reader;
  if (!box) return true;
  measure(reader);
  if (reader.following) box.scrollTop = box.scrollHeight;
  else if (hasMoved(reader, box)) look(reader);
  else hold(reader, box);
  reader.scrollTop = box.scrollTop;
  return covers(reader);
}

/**
 * After the reader has scrolled.
 * @returns false when something near is not drawn yet
 */
export function scrolled(reader: Reader): boolean {
  const { box } = reader;
  if (!box) return true;
  // The end of what is drawn so far is not where the reader wants to be.
  const isEnd = restOf(box) < nearEnd && (hasMoved(reader, box) || !isGrowing(reader));
  // Content that grew is no reason to stop following: only a reader who goes up is.
  if (isEnd) reader.following = true;
  else if (box.scrollTop < reader.scrollTop) reader.following = false;
  const stays = !hasMoved(reader, box) && isAwaited(reader);
  reader.scrollTop = box.scrollTop;
  if (!reader.following && !stays) look(reader);
  return covers(reader);
}

function restOf(box: HTMLElement): number {
  return box.scrollHeight - box.scrollTop - box.clientHeight;
}

/** Whether the page stands elsewhere, and not because it ends before where it stood. */
function hasMoved({ scrollTop }: Reader, box: HTMLElement): boolean {
  const isCut = box.scrollTop < scrollTop && restOf(box) <= 1;
  return Math.abs(box.scrollTop - scrollTop) > 1 && !isCut;
}

/** Goes to a block; what is there is drawn the next time. */
export function goTo(reader: Reader, key: string | undefined): void {
  reader.following = false;
  reader.place = key === undefined ? null : { key, offset: 0 };
  reader.anchor = null;
  // What is drawn there may be less high than what was: that the page then stands elsewhere is not the reader's doing.
  reader.scrollTop = NaN;
}

export function goToEnd(reader: Reader): void {
  reader.following = true;
  reader.anchor = null;
  if (reader.box) reader.scrollTop = reader.box.scrollTop = reader.box.scrollHeight;
}

function spanAround(reader: Reader, beyond: number): Span {
  const height = reader.height > 0 ? reader.height : (reader.box?.clientHeight ?? usualHeight);
  const end = reader.starts.at(-1) ?? 0;
  const top = Math.min(reader.following ? end - height : placeInPixels(reader), end);
  return spanOf(reader.starts, top - beyond, top + height + beyond);
}

function placeInPixels({ blocks, starts, place }: Reader): number {
  const index = blocks.findIndex(({ key }) => key === place?.key);
  const [start = 0, end = start] = starts.slice(index);
  // As long as its text is being drawn, a block is less high than where it is read.
  return index === -1 ? (starts.at(-1) ?? 0) : Math.min(start + (place?.offset ?? 0), end);
}

function covers(reader: Reader): boolean {
  reader.starts = startsOf(reader.blocks, reader.heights);
  const { from, to } = spanAround(reader, neededBeyond);
  return reader.drawn.from <= from && to <= reader.drawn.to;
}

function focusedBlock({ box, blocks }: Reader): number {
  const focused = box?.contains(document.activeElement) ? document.activeElement : null;
  const key = focused?.closest<HTMLElement>("[data-block]")?.dataset["block"];
  return key === undefined ? -1 : blocks.findIndex((block) => block.key === key);
}

function measure(reader: Reader): void {
  const { box, list, heights } = reader;
  if (!box || !list) return;
  // Everything has another height in another width.
  if (reader.width !== box.clientWidth) heights.clear();
  reader.width = box.clientWidth;
  reader.height = box.clientHeight;
  for (const element of drawnBlocks(list)) {
    const key = keyOf(element);
    if (key !== undefined) heights.set(key, element.getBoundingClientRect().height);
  }
}

/** The blocks that are on the page, in order. */
function drawnBlocks(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > [data-block]")];
}

/** Remembers what is at the upper edge, or of what is seen the first that is drawn. */
function look(reader: Reader): void {
  const { box, list, starts, blocks } = reader;
  if (!box || !list) return;
  const { top: edge, bottom } = box.getBoundingClientRect();
  const first = firstBelow(list.children, edge);
  const element = keyOf(first) === undefined ? (first?.nextElementSibling ?? null) : first;
  const key = keyOf(element);
  if (element && key !== undefined && element.getBoundingClientRect().top < bottom) {
    const deepest = elementAt(element, edge);
    reader.place = { key, offset: edge - element.getBoundingClientRect().top, ...marked(deepest, edge) };
    reader.anchor = { element: deepest, top: deepest.getBoundingClientRect().top - edge };
    return;
  }
  const pixels = edge - list.getBoundingClientRect().top;
  const index = blockAt(starts, pixels);
  const block = blocks[index];
  reader.anchor = null;
  reader.place = block ? { key: block.key, offset: pixels - (starts[index] ?? 0) } : null;
}

function keyOf(element: Element | null): string | undefined {
  return element instanceof HTMLElement ? element.dataset["block"] : undefined;
}

function marked(element: Element, edge: number): { readonly mark?: Mark } {
  const part = element.closest<HTMLElement>(".part");
  const item = part?.closest<HTMLElement>("[data-item]")?.dataset["item"];
  if (!part || item === undefined) return {};
  return { mark: { item, part: part.dataset["part"] ?? "", offset: edge - part.getBoundingClientRect().top } };
}

/** Puts what was at the upper edge back there, or as near as there is something by now. */
function hold(reader: Reader, box: HTMLElement): void {
  const edge = box.getBoundingClientRect().top;
  const { anchor, place } = reader;
  const block = blockOf(reader);
  if (anchor?.element.isConnected) move(box, anchor.element.getBoundingClientRect().top - edge - anchor.top);
  else if (block && place) move(box, Math.min(heightOf(block, place), block.getBoundingClientRect().bottom) - edge);
  if (!isAwaited(reader)) look(reader);
}

function blockOf({ list, place }: Reader): HTMLElement | null {
  return (list && drawnBlocks(list).find((element) => keyOf(element) === place?.key)) ?? null;
}

/** Where on the page a place in a block is, or will be. */
function heightOf(block: HTMLElement, { offset, mark }: Place): number {
  const part = mark && partOf(block, mark);
  if (!part) return block.getBoundingClientRect().top + offset;
  layOut(part);
  return part.getBoundingClientRect().top + mark.offset;
}

function partOf(block: HTMLElement, { item, part }: Mark): HTMLElement | null {
  return block.querySelector(`[data-item="${CSS.escape(item)}"] .part[data-part="${CSS.escape(part)}"]`);
}

/** Whether what was at the upper edge is still to be drawn: it comes back. */
function isAwaited(reader: Reader): boolean {
  const { anchor, box, place } = reader;
  const block = anchor?.element.isConnected ? null : blockOf(reader);
  if (!box || !block || !place) return false;
  const part = place.mark ? partOf(block, place.mark) : block;
  if (part && isAway(part)) return true;
  const isThere = part && Math.abs(heightOf(block, place) - box.getBoundingClientRect().top) < 1;
  return !isThere && isGrowing(reader);
}

function isGrowing(reader: Reader): boolean {
  return !reader.following && blockOf(reader)?.querySelector("[data-unfinished]") != null;
}

function move(box: HTMLElement, pixels: number): void {
  if (Math.abs(pixels) >= 0.5) box.scrollTop += pixels;
}

/** Deeper than this nothing in a block is higher than a line. */
const deepest = 8;

function elementAt(block: Element, edge: number): Element {
  let found = block;
  for (let depth = 0; depth < deepest; depth += 1) {
    const child = firstBelow(found.children, edge);
    if (!child) return found;
    found = child;
  }
  return found;
}

/** The first of elements that stand below each other whose end is below a height. */
function firstBelow(elements: HTMLCollection, edge: number): Element | null {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((elements[middle]?.getBoundingClientRect().bottom ?? 0) > edge) high = middle;
    else low = middle + 1;
  }
  return elements[low] ?? null;
}
