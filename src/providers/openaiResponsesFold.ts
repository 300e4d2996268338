// From events of a Responses stream to ModelEvents: a pure state machine, one event at a time.
import type { FinishReason, ModelEvent } from "../engine/ports.ts";
import { appended } from "../protocol/appended.ts";
import { beginCall, endArguments, endCall, growCall } from "./openaiResponsesCall.ts";
import {
  paragraph,
  readEvent,
  type Part,
  type Place,
  type WireEnd,
  type WireEvent,
  type WireItem,
} from "./openaiResponsesEvent.ts";
import {
  newSpoken,
  positionAt,
  positionOf,
  positionsIn,
  put,
  type Fold,
  type FoldOptions,
  type Item,
  type SpokenItem,
} from "./openaiResponsesItem.ts";
import { broken, hasCalls, keepable, keptOf, withSecret } from "./openaiResponsesKept.ts";
import { brokenReply, failureOf } from "./providerFailure.ts";

export interface Step {
  readonly fold: Fold;
  /** When one of them is a `finish` or an `error` it is the last, and the reply is over. */
  readonly events: readonly ModelEvent[];
}

export function startFold(options: FoldOptions): Fold {
  return { options, items: [], refused: false };
}

/**
 * Takes in one event. A call is complete when the wire says so: at the end of its arguments when they are whole, at the
 * end of its item, or in the list that closes the reply; whichever comes first, and once (C-47).
 */
export function foldEvent(fold: Fold, raw: unknown): Step {
  const events: ModelEvent[] = [];
  return { fold: take(fold, readEvent(raw), events), events };
}

/** Whether a step was the reply's last. */
export function isOver(events: readonly ModelEvent[]): boolean {
  const type = events.at(-1)?.type;
  return type === "error" || type === "finish";
}

/** What remains to be said when the stream has ended without the reply's end. */
export function foldEnd(fold: Fold): ModelEvent[] {
  return broken(fold, brokenReply(fold.options.endpoint));
}

function take(fold: Fold, event: WireEvent, events: ModelEvent[]): Fold {
  switch (event.kind) {
    case "added":
      return begin(fold, event.item, events);
    case "done":
      return done(fold, positionOf(fold.items, event.item), event.item, events);
    case "text":
      return say(fold, spokenAt(fold, "message", event.at), event.delta, events);
    case "refusal":
      return { ...say(fold, spokenAt(fold, "message", event.at), event.delta, events), refused: true };
    case "thinking":
      return think(fold, event, events);
    case "arguments":
      return growCall(fold, event.at, event.delta, events);
    case "arguments:done":
      return endArguments(fold, event.at, event.arguments, events);
    case "end":
      return end(fold, event, events);
    case "error":
      events.push(...broken(fold, failureOf({ error: event.error }, fold.options.endpoint, "streaming")));
      return fold;
    case "other":
      return fold;
  }
}

// ── Items ──────────────────────────────────────────────────────────────────────────────────────────────────────

function begin(fold: Fold, wire: WireItem, events: ModelEvent[]): Fold {
  return wire.type === "function_call" ? beginCall(fold, wire, events) : put(fold, -1, newSpoken(wire.type, wire));
}

function done(fold: Fold, position: number, wire: WireItem, events: ModelEvent[]): Fold {
  if (wire.type === "function_call") return endCall(fold, position, wire, events);
  const known = fold.items[position];
  const item = known && known.type !== "function_call" ? known : newSpoken(wire.type, wire);
  const rest = wire.words.startsWith(item.said) ? wire.words.slice(item.said.length) : "";
  const whole: SpokenItem = { ...item, finished: true, kept: keepable(wire, item) };
  return say({ ...fold, refused: fold.refused || wire.refused }, { position, item: whole }, rest, events);
}

// ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Spoken {
  readonly position: number;
  readonly item: SpokenItem;
}

function spokenAt(fold: Fold, type: SpokenItem["type"], at: Place): Spoken {
  const position = positionAt(fold.items, type, at);
  const item = fold.items[position];
  return item && item.type !== "function_call" ? { position, item } : { position: -1, item: newSpoken(type, at) };
}

/** Shows more of an item. Two messages of one reply are two paragraphs. */
function say(fold: Fold, { position, item }: Spoken, text: string, events: ModelEvent[]): Fold {
  if (text !== "") {
    const before = fold.items.some((other) => other.type === item.type && other.said !== "");
    const gap = item.said === "" && before ? paragraph : "";
    events.push({ type: item.type === "message" ? "text" : "thinking", text: gap + text });
  }
  return put(fold, position, { ...item, said: appended(item.said, text) });
}

type Thinking = Extract<WireEvent, { kind: "thinking" }>;

/** A server that sends reasoning and its summary sends the same twice: the first that comes is shown. */
function think(fold: Fold, { at, part, delta }: Thinking, events: ModelEvent[]): Fold {
  const { position, item } = spokenAt(fold, "reasoning", at);
  if (item.part && item.part.of !== part.of) return fold;
  const gap = startsPart(item, part) ? paragraph : "";
  return say(fold, { position, item: { ...item, part } }, delta === "" ? "" : gap + delta, events);
}

function startsPart({ said, part: last }: SpokenItem, part: Part): boolean {
  return said !== "" && last !== null && last.number !== part.number;
}

// ── The end ────────────────────────────────────────────────────────────────────────────────────────────────────

function end(fold: Fold, wire: WireEnd, events: ModelEvent[]): Fold {
  const { endpoint } = fold.options;
  const next = wire.status === "failed" ? fold : settle(fold, wire, events);
  const usage: ModelEvent[] = wire.report ? [{ type: "usage", ...wire.report }] : [];
  if (isOver(events)) {
    events.splice(-1, 0, ...usage);
    return next;
  }
  events.push(...usage);
  if (wire.status === "failed") events.push(...broken(next, failureOf({ error: wire.error }, endpoint, "streaming")));
  else if (wire.status === "completed" && next.items.some(isOpen))
    events.push(...broken(next, brokenReply(endpoint, "ended its reply in the middle of a call")));
  else events.push(...keptOf(next), { type: "finish", reason: finishOf(next, wire) });
  return next;
}

/** Takes from the list that closes the reply what was not sent, or not whole, before it. */
function settle(fold: Fold, { status, output }: WireEnd, events: ModelEvent[]): Fold {
  const positions = positionsIn(fold.items, output);
  let next = fold;
  for (const [index, wire] of output.entries()) {
    const position = positions[index] ?? null;
    if (position === null) continue;
    const item = next.items[position];
    if (item?.finished) next = put(next, position, withSecret(item, wire));
    else if (wire.type !== "function_call" || status === "completed" || wire.status === "completed")
      next = done(next, position, wire, events);
    if (isOver(events)) return next;
  }
  return next;
}

function isOpen(item: Item): boolean {
  return item.type === "function_call" && item.given === null;
}

function finishOf(fold: Fold, { status, reason }: WireEnd): FinishReason {
  if (fold.refused || (status === "incomplete" && reason === "content_filter")) return "refusal";
  if (status === "incomplete") return "length";
  return hasCalls(fold) ? "calls" : "stop";
}
