// The rows of a trace as they are shown: without what is folded away, and the marks on the axis of time. Pure.
import type { TraceSpan } from "../src/protocol/trace.ts";

export interface TraceRow {
  readonly span: TraceSpan;
  /** Whether it can be folded, and is. */
  readonly fold: "none" | "open" | "closed";
}

/** @param closed ids of spans whose parts are not shown */
export function rowsOf(spans: readonly TraceSpan[], closed: ReadonlySet<string>): readonly TraceRow[] {
  const parents = new Set(spans.map(({ parent }) => parent));
  const hidden = new Set<string>();
  const rows: TraceRow[] = [];
  for (const span of spans) {
    const isHidden = span.parent !== null && (hidden.has(span.parent) || closed.has(span.parent));
    if (isHidden) hidden.add(span.id);
    else rows.push({ span, fold: parents.has(span.id) ? (closed.has(span.id) ? "closed" : "open") : "none" });
  }
  return rows;
}

/** Milliseconds: what people count in. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000];
const minutes = [2, 5, 10, 15, 30, 60, 120, 300, 600, 1_440].map((count) => count * 60_000);

/**
 * The distance between two marks of an axis.
 * @param duration milliseconds of the whole
 * @param most marks, beside the one at its beginning
 */
export function stepOf(duration: number, most: number): number {
  return [...steps, ...minutes].find((step) => duration / step <= most) ?? Math.ceil(duration / most);
}

/** The marks of an axis, in milliseconds. */
export function marksOf(duration: number, most: number): readonly number[] {
  const step = stepOf(duration, most);
  return Array.from({ length: Math.floor(duration / step) + 1 }, (_, n) => n * step);
}

/** What can be seen of rows of one height, with a few around it. */
export function windowOf(count: number, top: number, height: number, row: number): { from: number; to: number } {
  const around = 8;
  const from = Math.max(0, Math.floor(top / row) - around);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((top + height) / row) + around) };
}
