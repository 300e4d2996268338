// A list with one tab stop: arrows move by row and, inside a row, by button. Rows carry `data-row`.

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

export function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
}

export function isField(element: Element): boolean {
  return element.matches("input, textarea, select");
}

/** Sees to it that exactly one row can be reached by Tab: the one that last had the focus, or the last or first one. */
export function keepTabStop(list: HTMLElement, otherwise: "first" | "last"): void {
  const rows = rowsOf(list);
  const current = rows.filter((row) => row.tabIndex === 0);
  const stop = current[0] ?? (otherwise === "first" ? rows[0] : rows.at(-1));
  for (const row of rows) if (row !== stop && row.tabIndex !== -1) row.tabIndex = -1;
  if (stop && stop.tabIndex !== 0) stop.tabIndex = 0;
}

/** Makes the row that got the focus the tab stop of its list. */
export function rememberRow(event: FocusEvent, list: HTMLElement): void {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-row]") : null;
  if (!row || !list.contains(row)) return;
  for (const other of rowsOf(list)) if (other.tabIndex === 0) other.tabIndex = -1;
  row.tabIndex = 0;
}

export function rowsOf(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-row]")];
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
