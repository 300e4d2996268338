// Which calls are part of the work of which: a delegate's calls stand under the call that began it.
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item } from "../src/protocol/viewTurn.ts";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

export interface CallTree {
  /** What stands in the conversation itself. */
  readonly top: readonly Item[];
  /** Calls under a call, by its id. */
  readonly parts: ReadonlyMap<string, readonly CallItem[]>;
}

/** Sorts the items of a turn. A call whose delegate is not known stands at the top, so that it can be seen. */
export function treeOf(items: readonly Item[]): CallTree {
  if (!items.some((item) => item.kind === "call" && item.within !== null)) return { top: items, parts: new Map() };
  const known = new Set<string>();
  const top: Item[] = [];
  const parts = new Map<string, CallItem[]>();
  for (const item of items) {
    if (item.kind !== "call" || item.within === null || !known.has(item.within)) top.push(item);
    else parts.set(item.within, [...(parts.get(item.within) ?? []), item]);
    if (item.kind === "call") known.add(item.id);
  }
  return { top, parts };
}

/** "3 calls, 1 waiting, 1 failed": all that is under a call; "" when nothing is. */
export function partsInWords({ parts }: CallTree, id: string): string {
  const all = under(parts, id);
  if (all.length === 0) return "";
  const number = (state: CallItem["state"]): number => all.filter((call) => call.state === state).length;
  const waiting = number("pending");
  const failed = number("failed");
  return [
    count("{0} call", "{0} calls", all.length),
    waiting > 0 ? t("{0} waiting", waiting) : "",
    failed > 0 ? t("{0} failed", failed) : "",
  ]
    .filter((words) => words !== "")
    .join(", ");
}

function under(parts: CallTree["parts"], id: string): readonly CallItem[] {
  return (parts.get(id) ?? []).flatMap((call) => [call, ...under(parts, call.id)]);
}
