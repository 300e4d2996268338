// Which delegates a call works for, in words.
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item } from "../src/protocol/viewTurn.ts";
import { title } from "./words.ts";

/** The delegates that a call works for, outermost first: "Ask researcher › Ask reader"; "" for the run's own. */
export function delegatesOf(call: CallItem, items: readonly Item[]): string {
  const parent = items.find((item): item is CallItem => item.kind === "call" && item.id === call.within);
  if (!parent || parent === call) return "";
  const before = items.slice(0, items.indexOf(parent));
  return [delegatesOf(parent, before), title(parent)].filter((words) => words !== "").join(" › ");
}
