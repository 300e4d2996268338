// What of a Responses reply its server wants back with the conversation, as it sent it (C-45).
import type { ModelEvent } from "../engine/ports.ts";
import type { Place, WireItem } from "./openaiResponsesEvent.ts";
import type { CallItem, Fold, Item } from "./openaiResponsesItem.ts";
import type { ErrorEvent } from "./providerFailure.ts";
import { textOf, type WireRecord } from "./wireValue.ts";

/** The item as it came. An id that changed on the way names nothing, and is left out. */
export function keepable(wire: WireItem, known: Place): WireRecord {
  const steady = known.id === "" || wire.id === "" || known.id === wire.id;
  const id = steady ? wire.id || known.id : "";
  return { ...without(wire.raw, ["id"]), ...(id !== "" && { id }) };
}

/** The place of a call among the items. What it said is in the transcript, and is not kept twice. */
export function keepableCall(wire: WireItem, call: CallItem): WireRecord {
  const own = wire.raw["type"] === "function_call" ? keepable(wire, call) : {};
  return { ...without(own, ["name", "arguments", "status"]), type: "function_call", call_id: call.callId };
}

/** The item with what the list at the reply's end adds: some servers encrypt the reasoning only there. */
export function withSecret(item: Item, wire: WireItem): Item {
  const late = wire.type === "reasoning" && textOf(wire.raw["encrypted_content"]) !== "";
  return late && textOf(item.kept?.["encrypted_content"]) === "" ? { ...item, kept: keepable(wire, item) } : item;
}

/** The event for the transcript, if there is anything to keep: a plain answer needs no more than its words. */
export function keptOf({ items, options }: Fold): ModelEvent[] {
  const wanted = items.flatMap(({ kept }): WireRecord[] => (kept ? [kept] : []));
  const plain = wanted.every((item) => item["type"] === "message" && textOf(item["phase"]) === "");
  return plain ? [] : [{ type: "provider", data: { host: options.endpoint.host, items: wanted } }];
}

/** Whether a call of this reply was given out. */
export function hasCalls({ items }: Fold): boolean {
  return items.some((item) => item.type === "function_call" && item.given !== null);
}

/** The last events of a reply that failed: calls that were given out have run, and their reasoning must stay with them. */
export function broken(fold: Fold, error: ErrorEvent): ModelEvent[] {
  return [...(hasCalls(fold) ? keptOf(fold) : []), error];
}

/** A copy without these fields. */
export function without(record: WireRecord, names: readonly string[]): WireRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
