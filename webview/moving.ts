// Keys in a list with one tab stop: arrows by row and, inside a row, by button; Home and End, in the conversation farther than what is drawn.
import { hasModifier, isField, rowsOf } from "./roving.ts";
import type { Follow } from "./scroll.ts";

const inner = "button:not(:disabled), [role=link]";

/** Moves the focus for an arrow, Home or End; true when it did. Leaves fields alone. */
export function moveByKey(event: KeyboardEvent, list: HTMLElement): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement) || isField(target) || hasModifier(event)) return false;
  const next = destination(event.key, target, list);
  if (!next) return false;
  event.preventDefault();
  next.focus();
  return true;
}

function destination(key: string, from: HTMLElement, list: HTMLElement): HTMLElement | undefined {
  const rows = rowsOf(list);
  const row = from.closest<HTMLElement>("[data-row]") ?? rows.findLast((one) => detailsOf(one)?.contains(from));
  const index = row ? rows.indexOf(row) : -1;
  switch (key) {
    case "ArrowDown":
      return rows[Math.min(index + 1, rows.length - 1)];
    case "ArrowUp":
      return rows[Math.max(index - 1, 0)];
    case "Home":
      return rows[0];
    case "End":
      return rows.at(-1);
    case "ArrowRight":
    case "ArrowLeft":
      return row ? sideways(row, from, key === "ArrowRight" ? 1 : -1) : undefined;
    default:
      return undefined;
  }
}

/** The next or previous button of a row; before the first one stands the row itself. */
function sideways(row: HTMLElement, from: HTMLElement, step: number): HTMLElement | undefined {
  const stops = [row, ...partsOf(row)];
  return stops[Math.max(stops.indexOf(from) + step, 0)];
}

function detailsOf(row: HTMLElement): HTMLElement | null {
  return document.getElementById(row.getAttribute("aria-controls") ?? "");
}

/** Buttons and links of a row: inside it, or in the details that it names with `aria-controls`. */
function partsOf(row: HTMLElement): readonly HTMLElement[] {
  const details = detailsOf(row);
  const boxes = details ? [row, details] : [row];
  return boxes.flatMap((box) => [...box.querySelectorAll<HTMLElement>(inner)]).filter((part) => !isField(part));
}

/** The first and the last row need not be drawn yet; true when they have to be. */
export function reachByKey(event: KeyboardEvent, { reach, pieces }: Follow): boolean {
  const { key, target } = event;
  const row = key === "Home" ? "first" : key === "End" ? "last" : null;
  if (row === null || !(target instanceof HTMLElement) || isField(target) || hasModifier(event)) return false;
  if (pieces.at(row === "first" ? 0 : -1)?.kind !== "gap") return false;
  event.preventDefault();
  reach(row);
  return true;
}
