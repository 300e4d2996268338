// The rows of a trace: those that can be seen, moved through by arrows, folded, and led from to the conversation.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Trace } from "../src/protocol/trace.ts";
import type { Turn } from "../src/protocol/viewTurn.ts";
import { useTools } from "./context.ts";
import { hasModifier } from "./roving.ts";
import { Axis, Row } from "./traceRow.tsx";
import { placesOf } from "./traceFocus.ts";
import { rowsOf, windowOf, type TraceRow } from "./traceRows.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly trace: Trace;
  readonly turn: Turn;
  /** A row is looked at; `""`: none. */
  readonly onShow: (id: string) => void;
}

/** Pixels, as the style sheet has it. */
const rowHeight = 24;

export function TraceGrid({ trace, turn, onShow }: Props) {
  const { store } = useTools();
  const { spans, duration } = trace;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(spans[0]?.id ?? "");
  const rows = useMemo(() => rowsOf(spans, closed), [spans, closed]);
  const { box, seen, look, focusRow } = useWindow(rows);
  const current = Math.max(
    0,
    rows.findIndex(({ span }) => span.id === active),
  );
  const goTo = (index: number): void => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setActive(row.span.id);
    focusRow(row.span.id, rows.indexOf(row));
  };
  const open = ({ span }: TraceRow): void =>
    void import("./seek.ts").then(({ seek }) => seek(turn, placesOf(span, spans, turn), store));
  const fold = (row: TraceRow): void => {
    const next = new Set(closed);
    if (!next.delete(row.span.id)) next.add(row.span.id);
    setClosed(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[current];
    if (!row || hasModifier(event) || !pressed(event.key, { rows, row, current, goTo, fold, open })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const enter = ({ span }: TraceRow): void => {
    setActive(span.id);
    onShow(span.id);
  };
  return (
    <div ref={box} class="trace-rows" onScroll={look}>
      <table role="treegrid" aria-label={t("Requests and calls")} aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
        <Axis duration={duration} />
        <Rows
          rows={rows}
          seen={seen}
          current={current}
          duration={duration}
          onOpen={open}
          onEnter={enter}
          onFold={fold}
          onShow={onShow}
        />
      </table>
    </div>
  );
}

interface RowsProps extends Pick<Props, "onShow"> {
  readonly rows: readonly TraceRow[];
  /** By number; the one that is active is drawn, too. */
  readonly seen: { readonly from: number; readonly to: number };
  readonly current: number;
  readonly duration: number;
  readonly onOpen: (row: TraceRow) => void;
  /** The focus has come to it. */
  readonly onEnter: (row: TraceRow) => void;
  readonly onFold: (row: TraceRow) => void;
}

function Rows({ rows, seen, current, duration, onOpen, onEnter, onFold, onShow }: RowsProps) {
  const drawn = [...new Set([current, ...numbers(seen.from, seen.to)])].toSorted((a, b) => a - b);
  return (
    <tbody style={{ height: `${rows.length * rowHeight}px` }}>
      {drawn.map((index) => {
        const row = rows[index];
        return (
          row && (
            <Row
              key={row.span.id}
              row={row}
              place={{ index, top: index * rowHeight }}
              duration={duration}
              active={index === current}
              onFold={() => onFold(row)}
              onOpen={() => onOpen(row)}
              onFocus={() => onEnter(row)}
              onShow={onShow}
            />
          )
        );
      })}
    </tbody>
  );
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

interface Pressing {
  readonly rows: readonly TraceRow[];
  readonly row: TraceRow;
  readonly current: number;
  readonly goTo: (index: number) => void;
  readonly fold: (row: TraceRow) => void;
  readonly open: (row: TraceRow) => void;
}

/** Rows at once, for the keys that go further. */
const page = 10;

/** What a key does; false when it does nothing here. */
function pressed(key: string, { rows, row, current, goTo, fold, open }: Pressing): boolean {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: rows.length - 1,
  };
  const to = moves[key];
  if (to !== undefined) goTo(to);
  else if (key === "Enter" || key === " ") open(row);
  else if (key === "ArrowRight")
    sideways(
      row.fold,
      "closed",
      () => fold(row),
      () => goTo(current + 1),
    );
  else if (key === "ArrowLeft")
    sideways(
      row.fold,
      "open",
      () => fold(row),
      () => goTo(parentOf(rows, row)),
    );
  else return false;
  return true;
}

/** A row that can be folded is; else the focus goes in or out. */
function sideways(is: TraceRow["fold"], when: TraceRow["fold"], fold: () => void, move: () => void): void {
  if (is === when) fold();
  else if (when === "open" || is === "open") move();
}

function parentOf(rows: readonly TraceRow[], { span }: TraceRow): number {
  return rows.findIndex((row) => row.span.id === (span.parent ?? span.id));
}

/** What of the rows is seen, and how a row gets the focus that may not be drawn yet. */
function useWindow(rows: readonly TraceRow[]) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  const [seen, setSeen] = useState({ from: 0, to: Math.min(rows.length, 40) });
  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const next = windowOf(rows.length, element.scrollTop, element.clientHeight, rowHeight);
    if (next.from !== seen.from || next.to !== seen.to) setSeen(next);
  };
  const focusRow = (id: string, index: number): void => {
    const element = box.current;
    if (!element) return;
    const top = index * rowHeight;
    // The axis stays at the upper edge.
    const room = element.clientHeight - rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + room) element.scrollTop = top + rowHeight - room;
    wanted.current = id;
  };
  useLayoutEffect(() => {
    look();
    const row = wanted.current === null ? null : box.current?.querySelector<HTMLElement>(rowSelector(wanted.current));
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const sizes = new ResizeObserver(look);
    sizes.observe(box.current);
    return () => sizes.disconnect();
  });
  return { box, seen: { from: Math.min(seen.from, rows.length), to: Math.min(seen.to, rows.length) }, look, focusRow };
}

function rowSelector(id: string): string {
  return `[data-span="${CSS.escape(id)}"]`;
}
