// The list of the page of sessions: draws the rows that are near the reader's eyes, one of which has the focus; keys act on that.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionRow } from "../src/protocol/sessions.ts";
import { isField } from "./roving.ts";
import { SessionLine } from "./sessionLine.tsx";
import { startsOf } from "./sessionRows.ts";
import type { ListItem } from "./sessionRows.ts";
import { useSessionActs } from "./sessionActs.ts";
import type { SessionActs } from "./sessionActs.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly items: readonly ListItem[];
  readonly inTrash: boolean;
  /** What is searched for. */
  readonly words: string;
  readonly busy: boolean;
  readonly onDeleted: (row: SessionRow) => void;
  readonly search: RefObject<HTMLInputElement | null>;
}

/** Pixels beyond what is seen that are drawn. */
const beyond = 400;

export function SessionList({ items, inTrash, words, busy, onDeleted, search }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const look = (): void => {
    if (box.current) setSeen({ top: box.current.scrollTop, height: box.current.clientHeight });
  };
  const starts = startsOf(items);
  const active = useActive({ items, starts, box, search });
  const acts = useSessionActs(onDeleted, words);
  const now = new Date();
  const span = spanOf(starts, seen.top - beyond, seen.top + seen.height + beyond);
  useLayoutEffect(look, []);
  const drawn = numbers(span.from, span.to, active.index);
  return (
    <div
      ref={box}
      class="session-list"
      role="grid"
      aria-label={inTrash ? t("Deleted sessions") : t("Sessions")}
      aria-rowcount={items.length}
      aria-busy={busy}
      onScroll={look}
      onKeyDown={(event) => pressed(event, { items, active, acts, inTrash, search })}
    >
      <div role="presentation" class="session-rows" style={{ height: `${starts.at(-1) ?? 0}px` }}>
        {drawn.map((index) => {
          const item = items[index];
          if (!item) return null;
          const place = {
            top: `${starts[index] ?? 0}px`,
            height: `${(starts[index + 1] ?? 0) - (starts[index] ?? 0)}px`,
          };
          return item.kind === "group" ? (
            <div key={item.key} class="session-group" role="row" aria-rowindex={index + 1} style={place}>
              <span role="gridcell">{item.words}</span>
            </div>
          ) : (
            <SessionLine
              key={item.key}
              row={item.row}
              number={index + 1}
              place={place}
              look={{ active: index === active.index, inTrash, words, now }}
              acts={acts}
              onFocus={() => active.set(index)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The items between two heights. */
function spanOf(
  starts: readonly number[],
  top: number,
  bottom: number,
): { readonly from: number; readonly to: number } {
  const from = starts.findLastIndex((start) => start <= Math.max(top, 0));
  const to = starts.findIndex((start) => start > bottom);
  const last = starts.length - 1;
  return { from: Math.min(from, last), to: to === -1 ? last : to };
}

/** What is seen, and the row with the focus, wherever it is. */
function numbers(from: number, to: number, kept: number): readonly number[] {
  const inSpan = Array.from({ length: to - from }, (_, n) => from + n);
  if (kept >= 0 && kept < from) return [kept, ...inSpan];
  return kept >= to ? [...inSpan, kept] : inSpan;
}

interface Active {
  readonly index: number;
  readonly set: (index: number) => void;
  /** Gives a row the focus, and shows it. */
  readonly go: (index: number) => void;
}

interface ActiveOptions extends Pick<Props, "items" | "search"> {
  readonly starts: readonly number[];
  readonly box: RefObject<HTMLDivElement | null>;
}

/** The row that Tab reaches: it is the same session when others come, and its neighbour when it goes. */
function useActive({ items, starts, box, search }: ActiveOptions): Active {
  const [key, setKey] = useState("");
  const last = useRef({ index: -1, focused: false });
  const known = items.findIndex((item) => item.key === key);
  const index = known === -1 ? nearest(items, last.current.index) : known;
  const wish = useRef(false);
  const set = (at: number): void => setKey(items[at]?.key ?? "");
  useLayoutEffect(() => {
    const row = box.current?.querySelector<HTMLElement>(".session-row[tabindex='0']") ?? null;
    const lost = last.current.focused && document.activeElement === document.body;
    if (wish.current || lost) (row ?? search.current)?.focus({ preventScroll: true });
    wish.current = false;
    last.current = { index, focused: box.current?.contains(document.activeElement) ?? false };
  });
  return {
    index,
    set,
    go(at) {
      const [from = 0, to = 0] = [starts[at], starts[at + 1]];
      const { current } = box;
      if (current && from < current.scrollTop + group) current.scrollTop = from - group;
      else if (current && to > current.scrollTop + current.clientHeight) current.scrollTop = to - current.clientHeight;
      wish.current = true;
      set(at);
    },
  };
}

/** Pixels of the name of a group, which is shown with its first row. */
const group = 28;

function nearest(items: readonly ListItem[], index: number): number {
  const after = items.findIndex((item, at) => at >= index && item.kind === "session");
  return after === -1 ? items.findLastIndex((item) => item.kind === "session") : after;
}

interface Pressed extends Pick<Props, "items" | "inTrash" | "search"> {
  readonly active: Active;
  readonly acts: SessionActs;
}

function pressed(event: KeyboardEvent, { items, active, acts, inTrash, search }: Pressed): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || isField(target) || target.closest("[role=menu]")) return;
  const item = items[active.index];
  const to = destination(key, items, active.index);
  if (to === "search") search.current?.focus();
  else if (to !== null) active.go(to);
  else if (item?.kind !== "session" || !target.matches(".session-row") || !acts.press(event, item.row, inTrash)) return;
  event.preventDefault();
}

const page = 8;

/** Where a key leads from a row; null: nowhere. */
function destination(key: string, items: readonly ListItem[], from: number): number | "search" | null {
  const rows = items.flatMap((item, index) => (item.kind === "session" ? [index] : []));
  const at = rows.indexOf(from);
  const within = (to: number): number | null => rows[Math.max(0, Math.min(to, rows.length - 1))] ?? null;
  switch (key) {
    case "ArrowDown":
      return within(at + 1);
    case "ArrowUp":
      return at <= 0 ? "search" : within(at - 1);
    case "PageDown":
      return within(at + page);
    case "PageUp":
      return within(at - page);
    case "Home":
      return within(0);
    case "End":
      return within(rows.length - 1);
    default:
      return null;
  }
}
