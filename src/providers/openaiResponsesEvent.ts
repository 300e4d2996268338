// One event of a Responses stream, read leniently: compatible servers leave out ids, indexes and whole kinds of events.
import { reportedCost, type Report } from "./reportedCost.ts";
import { countOf, isRecord, listOf, numberOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** Where in the reply an event belongs; what the server did not say is `""` or undefined. */
export interface Place {
  readonly id: string;
  readonly index: number | undefined;
}

/** An output item that Brain knows. Other kinds are the server's own business. */
export interface WireItem extends Place {
  readonly type: ItemType;
  /** Words to show: text and refusals of a message, or reasoning. */
  readonly words: string;
  readonly refused: boolean;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  /** `""` when the server does not say. */
  readonly status: string;
  readonly raw: WireRecord;
}

export type ItemType = "message" | "reasoning" | "function_call";

/** How a reply ended, by the server's own word. */
export interface WireEnd {
  readonly kind: "end";
  readonly status: "completed" | "incomplete" | "failed";
  /** Why it is incomplete. */
  readonly reason: string;
  readonly output: readonly WireItem[];
  readonly report: Report | null;
  readonly error: unknown;
}

export type WireEvent =
  | { readonly kind: "added" | "done"; readonly item: WireItem }
  | { readonly kind: "text" | "refusal"; readonly at: Place; readonly delta: string }
  | { readonly kind: "thinking"; readonly at: Place; readonly part: Part; readonly delta: string }
  | { readonly kind: "arguments"; readonly at: Place; readonly delta: string }
  | { readonly kind: "arguments:done"; readonly at: Place; readonly arguments: string }
  | WireEnd
  | { readonly kind: "error"; readonly error: unknown }
  | { readonly kind: "other" };

/** A piece of reasoning: summaries and the reasoning itself are told apart, and each has several parts. */
export interface Part {
  readonly of: "summary" | "text";
  readonly number: number;
}

const other: WireEvent = { kind: "other" };

/** Between two parts of reasoning, as between two paragraphs. */
export const paragraph = "\n\n";

/** Reads whatever one event of the stream held; one that Brain does not know reads as `other`. */
export function readEvent(raw: unknown): WireEvent {
  const event = recordOf(raw);
  const at: Place = { id: textOf(event["item_id"]), index: numberOf(event["output_index"]) };
  const delta = textOf(event["delta"]);
  switch (textOf(event["type"])) {
    case "response.output_item.added":
      return itemEvent("added", event["item"], at);
    case "response.output_item.done":
      return itemEvent("done", event["item"], at);
    case "response.output_text.delta":
      return { kind: "text", at, delta };
    case "response.refusal.delta":
      return { kind: "refusal", at, delta };
    case "response.reasoning_summary_text.delta":
      return { kind: "thinking", at, delta, part: { of: "summary", number: numberOf(event["summary_index"]) ?? 0 } };
    case "response.reasoning_text.delta":
      return { kind: "thinking", at, delta, part: { of: "text", number: numberOf(event["content_index"]) ?? 0 } };
    case "response.function_call_arguments.delta":
      return { kind: "arguments", at, delta };
    case "response.function_call_arguments.done":
      return { kind: "arguments:done", at, arguments: argumentsIn(event["arguments"]) };
    default:
      return readEnd(event);
  }
}

/** Whether the model begins to think: that can last, also behind words, and it may be that nothing of it is shown. */
export function beginsReasoning(raw: unknown): boolean {
  const event = recordOf(raw);
  return event["type"] === "response.output_item.added" && recordOf(event["item"])["type"] === "reasoning";
}

function itemEvent(kind: "added" | "done", raw: unknown, at: Place): WireEvent {
  const item = readItem(raw, at.index);
  return item ? { kind, item: item.id === "" ? { ...item, id: at.id } : item } : other;
}

const endings = new Map<string, WireEnd["status"]>([
  ["completed", "completed"],
  ["incomplete", "incomplete"],
  ["failed", "failed"],
  ["cancelled", "failed"],
]);

function readEnd(event: WireRecord): WireEvent {
  const type = textOf(event["type"]);
  if (type === "error" || (type === "" && event["error"] !== undefined))
    return { kind: "error", error: event["error"] ?? event };
  const named = /^response\.(completed|incomplete|failed|cancelled|done)$/.exec(type)?.[1];
  if (named === undefined) return other;
  const response = recordOf(event["response"]);
  return {
    kind: "end",
    status: endings.get(textOf(response["status"])) ?? endings.get(named) ?? "completed",
    reason: textOf(recordOf(response["incomplete_details"])["reason"]),
    output: listOf(response["output"]).flatMap((item) => readItem(item, undefined) ?? []),
    report: readReport(response["usage"]),
    error: response["error"] ?? {},
  };
}

function readItem(raw: unknown, index: number | undefined): WireItem | null {
  const item = recordOf(raw);
  const type = typeOf(item);
  if (type === null) return null;
  const parts = listOf(item["content"]).map(recordOf);
  return {
    type,
    id: textOf(item["id"]),
    index,
    words: type === "message" ? wordsOf(item) : reasoningIn(item, parts),
    refused: type === "message" && parts.some((part) => part["type"] === "refusal"),
    callId: textOf(item["call_id"]),
    name: textOf(item["name"]),
    // A free-form call that was never offered: the model is told so in the same way as for any unknown tool.
    arguments: isRecord(raw) && raw["type"] === "custom_tool_call" ? freeForm(raw) : argumentsIn(item["arguments"]),
    status: textOf(item["status"]),
    raw: item,
  };
}

function typeOf(item: WireRecord): ItemType | null {
  const type = item["type"];
  if (type === "custom_tool_call") return "function_call";
  return type === "message" || type === "reasoning" || type === "function_call" ? type : null;
}

/** The text of a message, and its refusal if it has one. */
export function wordsOf(message: WireRecord): string {
  return listOf(message["content"]).map(recordOf).map(wordsIn).join("");
}

function wordsIn(part: WireRecord): string {
  return part["type"] === "refusal" ? textOf(part["refusal"]) : textOf(part["text"]);
}

function reasoningIn(item: WireRecord, content: readonly WireRecord[]): string {
  const summary = listOf(item["summary"]).map(recordOf);
  return (summary.length > 0 ? summary : content).map((part) => textOf(part["text"])).join(paragraph);
}

function argumentsIn(given: unknown): string {
  return isRecord(given) ? JSON.stringify(given) : textOf(given);
}

function freeForm(item: WireRecord): string {
  const input = textOf(item["input"]);
  return input === "" ? "" : JSON.stringify({ input });
}

function readReport(raw: unknown): Report | null {
  if (!isRecord(raw)) return null;
  const cached = countOf(recordOf(raw["input_tokens_details"])["cached_tokens"]);
  const reasoning = countOf(recordOf(raw["output_tokens_details"])["reasoning_tokens"]);
  const usage = {
    input: countOf(raw["input_tokens"]) ?? 0,
    output: countOf(raw["output_tokens"]) ?? 0,
    ...(cached !== undefined && { cached }),
    ...(reasoning !== undefined && { reasoning }),
  };
  return { usage, ...reportedCost(raw) };
}
