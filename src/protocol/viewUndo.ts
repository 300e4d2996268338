// What the panel shows of undoing: a line for each time, and which calls' changes are gone.
import type { EventOf } from "./events.ts";
import type { Changes } from "./changes.ts";

/** A person has put back what calls had changed, or taken that back. */
export interface UndoItem {
  readonly kind: "undo";
  readonly id: string;
  /** It took back an undo. */
  readonly redo: boolean;
  readonly changes: Changes;
  /** Files that were left as they are. */
  readonly left: readonly string[];
  /** So many places of one file; null: whole files. */
  readonly places: number | null;
  /** It was taken back itself. */
  readonly over: boolean;
}

/** Folds one undo into the items of its turn. */
export function withUndo<Item extends { readonly kind: string; readonly id: string }>(
  items: readonly (Item | UndoItem)[],
  event: EventOf<"changes:undone">,
): readonly (Item | UndoItem)[] {
  const { undoId: id, calls, undoes, changes, left, places = null } = event;
  const whole = left.length === 0;
  const changed = items.map((item) => {
    if (item.kind === "call" && whole && calls.includes(item.id)) return { ...item, undone: undoes === undefined };
    return item.kind === "undo" && whole && item.id === undoes ? { ...item, over: true } : item;
  });
  return [...changed, { kind: "undo", id, redo: undoes !== undefined, changes, left, places, over: false }];
}
