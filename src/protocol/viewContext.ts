// What the panel shows of a compaction: one card, from the moment it begins until somebody rewrites or undoes it.
import type { EventOf } from "./events.ts";
import type { CarriedPart } from "./messages.ts";

/** The earlier part of a session, made shorter for the model. */
export interface CompactionItem {
  readonly kind: "compaction";
  /** That of the compaction as it was first made; edits keep it. */
  readonly id: string;
  readonly state: "working" | "done" | "undone";
  readonly summary: string;
  /** What the model reads word for word beside the summary. */
  readonly carried: readonly CarriedPart[];
  /** Parts that had no room. */
  readonly leftOut: number;
  /** Messages that gave way. */
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly instructions: string | null;
  /** A person has rewritten the summary. */
  readonly edited: boolean;
}

/** What was noted for good, by calls or before a compaction. */
export interface MemoryItem {
  readonly kind: "memory";
  readonly id: string;
  /** Oldest first. */
  readonly notes: readonly string[];
}

/** Adds a note; notes that come one after the other are one item. */
export function withNote<Item extends { readonly kind: string; readonly id: string }>(
  items: readonly (Item | MemoryItem)[],
  note: string,
): readonly (Item | MemoryItem)[] {
  const last = items.at(-1);
  if (last?.kind === "memory" && "notes" in last)
    return [...items.slice(0, -1), { ...last, notes: [...last.notes, note] }];
  return [...items, { kind: "memory", id: `memory-${items.length}`, notes: [note] }];
}

/**
 * Which compaction the model reads: the newest that was not undone.
 * @returns its id; null when there is none
 */
export function compactionInUse(
  turns: readonly { readonly items: readonly { readonly kind: string }[] }[],
): string | null {
  const isIt = (item: { readonly kind: string }): item is CompactionItem =>
    item.kind === "compaction" && "state" in item && item.state === "done";
  for (const { items } of turns.toReversed()) {
    const item = items.findLast(isIt);
    if (item) return item.id;
  }
  return null;
}

/** Folds one event into the items of a turn. */
export function withCompaction<Item extends { readonly kind: string; readonly id: string }>(
  items: readonly (Item | CompactionItem)[],
  event: EventOf<"context:compacting" | "context:compacted" | "context:undone">,
): readonly (Item | CompactionItem)[] {
  const id = (event.type === "context:compacted" ? event.edits : undefined) ?? event.compactionId;
  const isIt = (item: Item | CompactionItem): item is CompactionItem => item.kind === "compaction" && item.id === id;
  const index = items.findLastIndex(isIt);
  const known = items[index];
  const item = known && isIt(known) ? known : null;
  const changed = after(item, id, event);
  if (!changed) return items;
  return item ? items.with(index, changed) : [...items, changed];
}

/** Null where there is nothing to change. */
function after(
  item: CompactionItem | null,
  id: string,
  event: EventOf<"context:compacting" | "context:compacted" | "context:undone">,
): CompactionItem | null {
  switch (event.type) {
    case "context:compacting":
      return { ...fresh, id, tokensBefore: event.tokensBefore };
    case "context:undone":
      return item && { ...item, state: "undone" };
    case "context:compacted": {
      const { summary, carried, leftOut, messages, tokensBefore, tokensAfter, instructions = null, edits } = event;
      const said = { summary, carried, leftOut, messages, tokensBefore, tokensAfter, instructions };
      return { ...fresh, id, state: "done", ...said, edited: edits !== undefined };
    }
  }
}

const fresh: CompactionItem = {
  kind: "compaction",
  id: "",
  state: "working",
  summary: "",
  carried: [],
  leftOut: 0,
  messages: 0,
  tokensBefore: 0,
  tokensAfter: 0,
  instructions: null,
  edited: false,
};

/** A compaction that did not come to its end has changed nothing. Items without one keep their identity. */
export function dropWorking<Item extends { readonly kind: string }>(
  items: readonly (Item | CompactionItem)[],
): readonly (Item | CompactionItem)[] {
  const isWorking = (item: Item | CompactionItem): boolean =>
    item.kind === "compaction" && "state" in item && item.state === "working";
  return items.some(isWorking) ? items.filter((item) => !isWorking(item)) : items;
}
