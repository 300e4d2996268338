// Calls on the Responses wire: announced, gathered, and given out once when the wire marks their end (C-47).
import type { ModelEvent } from "../engine/ports.ts";
import { appended } from "../protocol/appended.ts";
import type { Place, WireItem } from "./openaiResponsesEvent.ts";
import { isSure, newCall, positionAt, put, type CallItem, type Fold } from "./openaiResponsesItem.ts";
import { broken, keepableCall } from "./openaiResponsesKept.ts";
import { brokenReply } from "./providerFailure.ts";
import { isRecord } from "./wireValue.ts";

/** A call begins: it is announced when its name and id are there. */
export function beginCall(fold: Fold, wire: WireItem, events: ModelEvent[]): Fold {
  const call = newCall(wire, wire);
  return put(fold, -1, call.name === "" || call.wireId === "" ? call : announce(fold, call, events));
}

/** More of a call's arguments. What comes after the call was given out makes an error, not another call. */
export function growCall(fold: Fold, at: Place, delta: string, events: ModelEvent[]): Fold {
  const { position, call } = callAt(fold, at);
  if (call.given !== null && delta.trim() !== "") return mixedUp(fold, events);
  if (call.callId !== "" && delta !== "") events.push({ type: "call:delta", id: call.callId, text: delta });
  return put(fold, position, { ...call, arguments: appended(call.arguments, delta) });
}

/** The end of the arguments, believed when they are whole and the same as their pieces; else the item's end decides. */
export function endArguments(fold: Fold, at: Place, text: string, events: ModelEvent[]): Fold {
  const { position, call } = callAt(fold, at);
  if (call.given !== null) return text.trim() === "" || isSame(call.given, text) ? fold : mixedUp(fold, events);
  const agreed = call.arguments === "" || isSame(call.arguments, text);
  const ended = { ...call, arguments: call.arguments || text };
  const believed = agreed && isWhole(text) && call.callId !== "" && isSure(fold.items, call, at);
  if (!believed) return put(fold, position, ended);
  const kept = { type: "function_call", call_id: call.callId, ...(call.id !== "" && { id: call.id }) };
  return put(fold, position, give({ ...ended, kept }, text, events));
}

/**
 * The end of a call's item.
 * @param position of what was known of it, -1 when nothing was
 */
export function endCall(fold: Fold, position: number, wire: WireItem, events: ModelEvent[]): Fold {
  const known = fold.items[position];
  const call = known?.type === "function_call" ? known : newCall(wire, wire);
  if (contradicts(call, wire)) return mixedUp(fold, events);
  const ended = { ...call, finished: true, name: call.name || wire.name, wireId: call.wireId || wire.callId };
  if (wire.status === "incomplete") return put(fold, position, ended);
  if (call.given !== null) return put(fold, position, { ...ended, kept: keepableCall(wire, call) });
  if (ended.name === "") return broke(fold, "sent a call without a name", events);
  const announced = announce(fold, ended, events);
  const text = wire.arguments || call.arguments || call.initial;
  return put(fold, position, give({ ...announced, kept: keepableCall(wire, announced) }, text, events));
}

/** Pieces that make no JSON may be put right at the end; two whole objects that differ leave no way to know which is meant. */
function contradicts(call: CallItem, wire: WireItem): boolean {
  if (call.given !== null && wire.status === "incomplete") return true;
  const before = call.given ?? (isWhole(call.arguments) ? call.arguments : "");
  if (before === "" || wire.arguments.trim() === "") return false;
  return !isSame(before, wire.arguments) && (call.given !== null || isWhole(wire.arguments));
}

function callAt(fold: Fold, at: Place): { readonly position: number; readonly call: CallItem } {
  const position = positionAt(fold.items, "function_call", at);
  const call = fold.items[position];
  return call?.type === "function_call" ? { position, call } : { position: -1, call: newCall(at) };
}

function announce(fold: Fold, call: CallItem, events: ModelEvent[]): CallItem {
  if (call.callId !== "") return call;
  const callId = call.wireId === "" || isTaken(fold, call.wireId) ? fold.options.newId() : call.wireId;
  events.push({ type: "call:start", id: callId, name: call.name });
  return { ...call, callId };
}

function isTaken({ options, items }: Fold, id: string): boolean {
  return options.taken.has(id) || items.some((item) => item.type === "function_call" && item.callId === id);
}

function give(call: CallItem, text: string, events: ModelEvent[]): CallItem {
  const given = text.trim() === "" ? "{}" : text;
  events.push({ type: "call", call: { id: call.callId, name: call.name, arguments: given } });
  return { ...call, given };
}

function mixedUp(fold: Fold, events: ModelEvent[]): Fold {
  return broke(fold, "mixed up the parts of its calls", events);
}

function broke(fold: Fold, what: string, events: ModelEvent[]): Fold {
  events.push(...broken(fold, brokenReply(fold.options.endpoint, what)));
  return fold;
}

/** Servers format arguments anew between two events: what counts is what they say. */
function isSame(a: string, b: string): boolean {
  return a.trim() === b.trim() || normal(a) === normal(b);
}

/** Whether a text is one JSON object from end to end. */
function isWhole(text: string): boolean {
  return isRecord(parsed(text));
}

function normal(text: string): string {
  const value = parsed(text.trim() === "" ? "{}" : text);
  return value === undefined ? text : JSON.stringify(value, inOrder);
}

function inOrder(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
