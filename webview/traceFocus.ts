// From a row of a trace to what it is about in the conversation: goes there, unfolds what it is in, and gives it the focus.
import type { TraceSpan } from "../src/protocol/trace.ts";
import type { Turn } from "../src/protocol/viewTurn.ts";
import { blocksOf } from "./blocks.ts";
import type { Store } from "./store.ts";

/** Frames in which what is near is drawn, or never. */
const patience = 30;

/** What stands for a span in the conversation, by id, the outermost first; empty: nothing does. */
export function placesOf(
  span: TraceSpan,
  spans: readonly TraceSpan[],
  { items }: Pick<Turn, "items">,
): readonly string[] {
  const inside = callsAround(span, spans);
  if (span.kind !== "request" || inside.length > 0) return inside;
  if (items.some(({ id }) => id === span.id)) return [span.id];
  const first = spans.find(({ parent }) => parent === span.id);
  return first ? callsAround(first, spans) : [];
}

/** The calls that it is part of the work of, and itself. */
function callsAround(span: TraceSpan, spans: readonly TraceSpan[]): readonly string[] {
  const above = spans.find(({ id }) => id === span.parent);
  return [...(above ? callsAround(above, spans) : []), ...(span.toolCallId === null ? [] : [span.toolCallId])];
}

/** @param places as of `placesOf`: what is inside of a folded row is unfolded */
export function focusIn(turn: Turn, places: readonly string[], store: Store): void {
  const block = blocksOf([turn]).find(({ items }) => items.some(({ id }) => places.includes(id)));
  if (!block) return;
  store.wish({ at: "block", key: block.key });
  follow(places, patience);
}

function follow(places: readonly string[], frames: number): void {
  const found = places.flatMap((place) => rowOf(place) ?? []);
  const row = found.at(-1);
  row?.scrollIntoView({ block: "center" });
  row?.focus({ preventScroll: true });
  const isThere = row !== undefined && row === rowOf(places.at(-1) ?? "");
  // What is inside of a row that is folded is not drawn.
  if (row && !isThere && row.getAttribute("aria-expanded") === "false") row.click();
  if (!isThere && frames > 0) requestAnimationFrame(() => follow(places, frames - 1));
}

function rowOf(place: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.transcript [data-item~="${CSS.escape(place)}"]`);
}
