// A list with one tab stop: the row that had the focus last. Rows carry `data-row`.

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
