// The output items of a Responses reply while they arrive: which one an event is for, and what is known of it.
import type { ItemType, Part, Place, WireItem } from "./openaiResponsesEvent.ts";
import type { Endpoint } from "./providerFailure.ts";
import type { WireRecord } from "./wireValue.ts";

interface Arriving extends Place {
  /** Its end was marked by the wire. */
  readonly finished: boolean;
  /** What the server wants back; null until the item is whole. */
  readonly kept: WireRecord | null;
}

export interface SpokenItem extends Arriving {
  readonly type: "message" | "reasoning";
  /** What of it was shown. */
  readonly said: string;
  /** The part of reasoning that is being shown. */
  readonly part: Part | null;
}

export interface CallItem extends Arriving {
  readonly type: "function_call";
  readonly name: string;
  /** The call's id as the server gave it. */
  readonly wireId: string;
  /** The call's id in the engine; `""` until the call is announced. */
  readonly callId: string;
  /** The pieces that came so far. */
  readonly arguments: string;
  /** Arguments that were there from the start: they count only when no others come. */
  readonly initial: string;
  /** The arguments it was given out with; null before that. */
  readonly given: string | null;
}

export type Item = SpokenItem | CallItem;

export interface FoldOptions {
  readonly endpoint: Endpoint;
  /** Makes an id for a call that came without one, or with one that is taken. */
  readonly newId: () => string;
  /** Ids of earlier calls in the conversation: some servers count from zero in every reply. */
  readonly taken: ReadonlySet<string>;
}

/** What is known of a reply so far. */
export interface Fold {
  readonly options: FoldOptions;
  /** In the order in which they began. */
  readonly items: readonly Item[];
  readonly refused: boolean;
}

/** Puts an item at its position; with -1 it is a new one. */
export function put(fold: Fold, position: number, item: Item): Fold {
  return { ...fold, items: position === -1 ? [...fold.items, item] : fold.items.with(position, item) };
}

/** An item of which nothing was shown yet. */
export function newSpoken(type: SpokenItem["type"], { id, index }: Place): SpokenItem {
  return { type, id, index, finished: false, kept: null, said: "", part: null };
}

/** A call of which no more is known than what the wire says here. */
export function newCall({ id, index }: Place, wire?: WireItem): CallItem {
  return {
    type: "function_call",
    id,
    index,
    finished: false,
    kept: null,
    name: wire?.name ?? "",
    wireId: wire?.callId ?? "",
    callId: "",
    arguments: "",
    initial: wire?.arguments ?? "",
    given: null,
  };
}

/**
 * The position of the item that an event is for, or -1. Ids decide where they agree; some servers change them with every
 * event, then the index does; some give neither, then it is the item that is being written.
 */
export function positionAt(items: readonly Item[], type: ItemType, at: Place): number {
  const byId = at.id === "" ? -1 : items.findLastIndex((item) => item.type === type && item.id === at.id);
  if (byId !== -1) return byId;
  return items.findLastIndex((item) => {
    if (item.type !== type || item.finished) return false;
    if (at.index !== undefined && item.index !== undefined) return item.index === at.index;
    return type !== "function_call" || at.id === "" || item.id === "";
  });
}

/** The position of the item that ends, or -1 when nothing of it came before. */
export function positionOf(items: readonly Item[], wire: WireItem): number {
  if (wire.type !== "function_call") return positionAt(items, wire.type, wire);
  const maybe = (item: Item): item is CallItem => item.type === "function_call" && agree(item, wire);
  const tests: readonly ((item: CallItem) => boolean)[] = [
    (item) => wire.id !== "" && item.id === wire.id,
    (item) => wire.callId !== "" && item.wireId === wire.callId && item.index === wire.index && !item.finished,
    (item) => wire.callId !== "" && item.wireId === wire.callId && !item.finished,
    (item) => !item.finished && wire.index !== undefined && item.index === wire.index,
    (item) => !item.finished && item.index === undefined && (wire.id === "" || item.id === ""),
    (item) => wire.callId !== "" && item.wireId === wire.callId && item.index === wire.index,
  ];
  for (const test of tests) {
    const position = items.findIndex((item) => maybe(item) && test(item));
    if (position !== -1) return position;
  }
  return -1;
}

/** Whether an event with this place can be for no other open call than this one. */
export function isSure(items: readonly Item[], call: CallItem, at: Place): boolean {
  if (at.id !== "" && at.id === call.id) return true;
  return (
    items.filter((item) => item.type === "function_call" && !item.finished && item.index === call.index).length < 2
  );
}

/**
 * For each item of the list that closes the reply its position among those that arrived, -1 for a new one, null where that
 * cannot be told. Ids decide; some servers make new ones for the list, then the order does, when nothing is missing.
 */
export function positionsIn(items: readonly Item[], output: readonly WireItem[]): (number | null)[] {
  const byId = output.map((wire) => items.findLastIndex((item) => isNamed(item, wire)));
  return output.map((wire, index) => {
    if (byId[index] !== -1) return byId[index] ?? null;
    const left = [...items.keys()].filter((at) => items[at]?.type === wire.type && !byId.includes(at));
    if (left.length === 0) return -1;
    const unnamed = [...output.keys()].filter((at) => output[at]?.type === wire.type && byId[at] === -1);
    const position = left[unnamed.indexOf(index)] ?? -1;
    const item = items[position];
    return left.length === unnamed.length && item && agree(item, wire) ? position : null;
  });
}

function isNamed(item: Item, wire: WireItem): boolean {
  if (item.type !== wire.type) return false;
  const called = item.type === "function_call" && wire.callId !== "" && item.wireId === wire.callId;
  return (called || (wire.id !== "" && item.id === wire.id)) && agree(item, wire);
}

/** A call is never taken for one of another name. */
function agree(item: Item, { name }: WireItem): boolean {
  return item.type !== "function_call" || item.name === "" || name === "" || item.name === name;
}
