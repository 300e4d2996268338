// The part of the view that a panel is sent: its newest turns. It asks for those before them when somebody looks there.
import type { PanelEvent } from "../protocol/events.ts";
import type { View } from "../protocol/view.ts";
import type { Turn } from "../protocol/viewTurn.ts";

/** Turns that are sent at once, and what they may hold together, in items; one turn is always sent. */
const mostTurns = 60;
const mostItems = 1_000;
/** What a panel gets back that was showing earlier turns, at the most. */
const mostAgain = 10_000;

/**
 * The view with its newest turns only.
 * @param from a turn that is to be among them, as far as that is not too much
 */
function sliceOf(view: View, from?: string): View {
  const { turns } = view;
  const wanted = turns.findIndex(({ runId }) => runId === from);
  const usual = firstOf(turns, turns.length);
  const asked = wanted === -1 ? usual : Math.min(firstOf(turns, wanted + 1), usual);
  const first = sizeOf(turns.slice(asked)) <= mostAgain ? asked : usual;
  return first === 0 ? view : { ...view, turns: turns.slice(first), more: true };
}

/**
 * The turns before one of them, as many as are sent at once.
 * @returns null when there are none, or the turn is not known
 */
function turnsBefore(view: View, runId: string): Pick<View, "turns" | "more"> | null {
  const end = view.turns.findIndex((turn) => turn.runId === runId);
  if (end <= 0) return null;
  const first = firstOf(view.turns, end);
  return { turns: view.turns.slice(first, end), more: first > 0 || view.more };
}

function firstOf(turns: readonly Turn[], end: number): number {
  let items = 0;
  for (let index = end - 1; index >= 0; index -= 1) {
    items += turns[index]?.items.length ?? 0;
    if (end - index > mostTurns || (items > mostItems && index < end - 1)) return index + 1;
  }
  return 0;
}

function sizeOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, { items }) => sum + 1 + items.length, 0);
}

/** What a panel has of the host's turns: all, or those from one of them on. */
export interface Sent {
  /** The view for a panel that begins. */
  readonly begin: (from: string | undefined) => View;
  /** Turns that it does not have yet, the nearest first; from here on it has them. */
  readonly earlier: () => Pick<View, "turns" | "more"> | null;
  readonly has: (runId: string) => boolean;
  /** @returns false for an event that it must not be told of */
  readonly heard: (event: PanelEvent) => boolean;
}

export function createSent(view: () => View): Sent {
  /** The first turn that it has, where there are others before it. */
  let first: string | null = null;
  const beginsWith = ([start]: readonly Turn[]): void => {
    first = start === view().turns[0] ? null : (start?.runId ?? null);
  };
  return {
    begin(from) {
      const slice = sliceOf(view(), from);
      beginsWith(slice.turns);
      return slice;
    },
    earlier() {
      const before = first === null ? null : turnsBefore(view(), first);
      if (before) beginsWith(before.turns);
      return before;
    },
    has(runId) {
      const { turns } = view();
      const from = turns.findIndex((turn) => turn.runId === first);
      return turns.findIndex((turn) => turn.runId === runId) >= Math.max(from, 0);
    },
    heard({ type }) {
      if (type === "session:open") first = null;
      // Without the turns between, what was there before would stand in the wrong place.
      return type !== "session:earlier" || first === null;
    },
  };
}
