// Puts the spans of a run into a tree in which everything lies within what it stands under, and writes it down as a list. Pure.
import { addUsage } from "./usage.ts";
import type { Draft } from "./traceDrafts.ts";
import type { Stretch, TraceSpan } from "./trace.ts";

interface Placed {
  readonly span: TraceSpan;
  /** Everything under it, in order. */
  readonly under: readonly TraceSpan[];
}

/** @param duration of the run, in milliseconds: nothing lies outside of it */
export function arranged(drafts: readonly Draft[], duration: number): readonly TraceSpan[] {
  const inside = new Map(drafts.map((draft) => [draft, clamped(draft, duration)]));
  const calls = Map.groupBy(inside.values(), ({ toolCallId }) => toolCallId);
  const below = Map.groupBy(inside.values(), (draft) =>
    draft.under ? (inside.get(draft.under) ?? null) : callOf(draft, calls.get(draft.within ?? null) ?? []),
  );
  return listed(null, { below, parent: null, depth: 0 });
}

/** The call that a span is part of the work of: of those with its name, the last that had begun by then. */
function callOf(draft: Draft, calls: readonly Draft[]): Draft | null {
  if (draft.within === undefined) return null;
  return calls.findLast((call) => ownStretch(call).from <= ownStretch(draft).from) ?? calls[0] ?? null;
}

interface Level {
  readonly below: ReadonlyMap<Draft | null, readonly Draft[]>;
  readonly parent: string | null;
  readonly depth: number;
}

function listed(draft: Draft | null, level: Level): readonly TraceSpan[] {
  const placed = (level.below.get(draft) ?? []).map((child) => place(child, level));
  const inOrder = placed.toSorted(
    ({ span: a }, { span: b }) => a.all.from - b.all.from || (a.kind === b.kind ? a.number - b.number : 0),
  );
  return inOrder.flatMap(({ span, under }) => [span, ...under]);
}

function place(draft: Draft, { below, parent, depth }: Level): Placed {
  const under = listed(draft, { below, parent: draft.id, depth: depth + 1 });
  const { under: _under, within: _within, ...own } = draft;
  const all = under.reduce((sum, { all }) => around(sum, all), ownStretch(draft));
  const took = draft.kind === "call" ? tookBelow(under) : {};
  return { span: { ...own, ...took, parent, depth, all }, under };
}

/** What the requests under a call took together. */
function tookBelow(under: readonly TraceSpan[]): Pick<TraceSpan, "usage" | "cost"> {
  const requests = under.filter(({ kind }) => kind !== "call" && kind !== "plan" && kind !== "pause");
  const [first, ...rest] = requests.flatMap(({ usage }) => usage ?? []);
  const costs = requests.flatMap(({ cost }) => cost ?? []);
  const isPriced = requests.length > 0 && costs.length === requests.length;
  return {
    usage: first ? rest.reduce(addUsage, first) : null,
    cost: isPriced ? costs.reduce((sum, cost) => sum + cost, 0) : null,
  };
}

function ownStretch({ work, waits }: Draft): Stretch {
  const own = [...(work ? [work] : []), ...waits];
  return own.slice(1).reduce(around, own[0] ?? { from: 0, to: 0 });
}

function around(a: Stretch, b: Stretch): Stretch {
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
}

function clamped(draft: Draft, duration: number): Draft {
  const within = (time: number): number => Math.min(Math.max(0, time), duration);
  const fit = ({ from, to }: Stretch): Stretch => ({ from: within(from), to: Math.max(within(from), within(to)) });
  return { ...draft, work: draft.work && fit(draft.work), waits: draft.waits.map(fit) };
}
