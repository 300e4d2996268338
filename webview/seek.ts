// Goes to a place in the conversation, however far up: has it drawn, unfolds what it is in, gives it the focus, or the next Tab, marks it and the words looked for.
import type { Turn } from "../src/protocol/viewTurn.ts";
import { blocksOf } from "./blocks.ts";
import { highlight, rangesIn } from "./highlight.ts";
import { layOut } from "./parts.ts";
import type { Store } from "./store.ts";

/** Frames in which what is near is drawn, or never. */
const patience = 30;
/** Milliseconds that a row stays marked. */
const markedFor = 1_600;

/** What an item is inside of, by id, the outermost first, and itself. A call that was never heard of says by its id where it would be. */
export function placesTo(id: string, items: Turn["items"]): readonly string[] {
  const item = items.find((one) => one.id === id);
  const around = item?.kind === "call" ? item.within : item ? null : id.slice(0, Math.max(0, id.lastIndexOf("/")));
  return [...(around ? placesTo(around, items) : []), id];
}

/** What is looked for at a place. */
export interface Manner {
  /** Are highlighted there, and brought into sight; "": none. */
  readonly words: string;
  /** The focus stays where it is; the next Tab leads there. */
  readonly stay?: boolean | undefined;
}

/** Of several that are sought at once the last one counts. */
let latest: Goal | null = null;

/**
 * Shows the innermost of some places that is drawn, else where their turn begins.
 * @param places ids of items of the turn, or of its message, the outermost first: what is inside of a folded row is unfolded
 */
export function seek(turn: Turn, places: readonly string[], store: Store, manner: Manner = { words: "" }): void {
  const blocks = blocksOf([turn]);
  const block = blocks.find(({ items }) => items.some(({ id }) => places.includes(id))) ?? blocks[0];
  if (!block || places.length === 0) return;
  store.wish({ at: "block", key: block.key });
  latest = { key: block.key, places, ...manner };
  follow(latest, patience);
}

interface Goal extends Manner {
  readonly key: string;
  readonly places: readonly string[];
}

function follow(goal: Goal, frames: number): void {
  const { key, places } = goal;
  if (goal !== latest) return;
  const row = places.flatMap((place) => rowOf(place) ?? []).at(-1) ?? null;
  const isThere = row !== null && isPlace(row, goal);
  // What is inside of a row that is folded is not drawn.
  if (!isThere && row?.getAttribute("aria-expanded") === "false") row.click();
  if (!isThere && frames > 0) {
    requestAnimationFrame(() => follow(goal, frames - 1));
    return;
  }
  const nearest = row ?? document.querySelector<HTMLElement>(`[data-block="${CSS.escape(key)}"] [data-row]`);
  if (nearest) arrive(nearest, goal);
}

/** The line of several calls stands for each of them, but what they returned is not in it. */
function isPlace(row: HTMLElement, { places, words }: Goal): boolean {
  const last = places.at(-1) ?? "";
  return words === "" ? row === rowOf(last) : row.dataset["item"] === last;
}

function rowOf(place: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.transcript [data-item~="${CSS.escape(place)}"]`);
}

function arrive(row: HTMLElement, goal: Goal): void {
  row.scrollIntoView({ block: "center" });
  // As the list hears of it, it makes the row its tab stop.
  if (goal.stay) row.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  else row.focus({ preventScroll: true });
  row.dataset["sought"] = "";
  setTimeout(() => delete row.dataset["sought"], markedFor);
  highlight([]);
  if (goal.words !== "") uncover(row, goal, patience);
}

/** Unfolds a row until the words can be seen: what a call has returned is not in its row. */
function uncover(row: HTMLElement, goal: Goal, frames: number): void {
  if (goal !== latest) return;
  const isOver = frames === 0;
  const { folded, shown } = insideOf(row);
  const inside = shown ? rangesIn(shown, goal.words) : [];
  // Who goes from place to place reads what is there already; nothing need unfold for that.
  const mayStay = isOver || !folded || goal.stay;
  const ranges = inside.length === 0 && mayStay ? rangesIn(row, goal.words) : inside;
  const [first] = ranges;
  highlight(ranges);
  if (first) bring(first);
  else folded?.click();
  // However long a text is, all of it will be there.
  const left = row.querySelector("[data-unfinished]") ? frames : frames - 1;
  if (!isOver && !isDrawn(first)) requestAnimationFrame(() => uncover(row, goal, left));
}

/** Of a long text what is far away is there as mere text. */
function isDrawn(range: Range | undefined): boolean {
  return range !== undefined && !range.startContainer.parentElement?.closest("[data-away]");
}

/** Where the text of a row is drawn, and what shows more of it; null: nothing is, or does. */
function insideOf(row: HTMLElement): { readonly folded: HTMLElement | null; readonly shown: HTMLElement | null } {
  if (row.getAttribute("aria-expanded") === "false") return { folded: row, shown: null };
  const details = row.getAttribute("aria-controls");
  const shown = details === null ? row : document.getElementById(details);
  return { folded: shown?.querySelector<HTMLElement>("button.more") ?? null, shown };
}

/** Pixels from an edge at which what is there is not well seen. */
const margin = 40;

function bring(range: Range): void {
  const part = range.startContainer.parentElement?.closest<HTMLElement>(".part");
  if (part) layOut(part);
  for (let box = range.startContainer.parentElement; box; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight) continue;
    const below = range.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (below < margin || below > box.clientHeight - margin) box.scrollTop += below - box.clientHeight / 2;
    if (box.matches(".transcript")) return;
  }
}
