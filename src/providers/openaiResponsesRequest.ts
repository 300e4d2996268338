// From a ModelRequest to the body of a Responses request. Pure.
import type { ModelRequest, ToolSpec } from "../engine/ports.ts";
import type { AssistantEntry, Message, ToolCall } from "../protocol/messages.ts";
import { paragraph, wordsOf } from "./openaiResponsesEvent.ts";
import { without } from "./openaiResponsesKept.ts";
import { isRecord, listOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** The body of a request. Its items are the wire's own, kept as they came: the library's types know fewer of them. */
export interface ResponsesBody {
  readonly model: string;
  readonly instructions?: string;
  readonly input: readonly WireRecord[];
  readonly tools?: readonly WireRecord[];
  readonly include?: readonly string[];
  readonly store: false;
  readonly stream: true;
}

/** What of a conversation a server takes; all of it until it refuses. */
export interface Accepted {
  /** The ids of items: without a store some servers look for them all the same, and find nothing. */
  readonly itemIds: boolean;
  /** Reasoning of earlier replies: another model, or another account, cannot read it. */
  readonly reasoning: boolean;
  /** The wish for encrypted reasoning, which models that do not reason refuse. */
  readonly include: boolean;
}

export const all: Accepted = { itemIds: true, reasoning: true, include: true };

export interface RequestOptions {
  readonly model: string;
  /** What a server wanted back is sent to that server only. */
  readonly host: string;
  readonly accepted: Accepted;
}

/** Builds the body: nothing is stored at the server, no `tools` when there are none, no limit of tokens (C-44). */
export function toRequest(request: ModelRequest, options: RequestOptions): ResponsesBody {
  const { system, messages, tools } = request;
  return {
    model: options.model,
    ...(system !== "" && { instructions: system }),
    input: messages.flatMap((message) => toItems(message, options)),
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    ...(options.accepted.include && { include: ["reasoning.encrypted_content"] }),
    store: false,
    stream: true,
  };
}

/** Not strict: strict schemas may have no optional parameters. */
function toTool({ name, description, parameters }: ToolSpec): WireRecord {
  return { type: "function", name, description, parameters, strict: false };
}

function toItems(message: Message, options: RequestOptions): readonly WireRecord[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }];
    case "assistant":
      return replayed(message, options) ?? converted(message);
  }
}

/** A reply of another provider, or one that is no longer what this one kept: its words, then its calls. */
function converted({ content, tool_calls: calls = [] }: AssistantEntry): readonly WireRecord[] {
  const words = { type: "message", role: "assistant", content: [{ type: "output_text", text: content }] };
  return [...(content === "" ? [] : [words]), ...calls.map((call) => toCall(call))];
}

function toCall(call: ToolCall, own: WireRecord = {}): WireRecord {
  return { ...own, type: "function_call", call_id: call.id, name: call.name, arguments: readableArguments(call) };
}

/** The items of a reply as its server sent them, in its order (C-45); null when they do not tell this message. */
function replayed(message: AssistantEntry, { host, accepted }: RequestOptions): readonly WireRecord[] | null {
  const kept = recordOf(message.providerData);
  const items = listOf(kept["items"]).filter(isRecord);
  if (kept["host"] !== host || !tells(items, message)) return null;
  const lost = new Set(items.filter((item) => item["type"] === "reasoning" && !isReadable(item, accepted)));
  const sent = items.filter((item, index) => !lost.has(item) && leadsOn(items, index));
  // Items name the reasoning before them by their ids: without it they must come without names.
  const named = accepted.itemIds && lost.size === 0;
  return sent.map((item) => toItem(named ? item : without(item, ["id"]), message.tool_calls ?? []));
}

function toItem(item: WireRecord, calls: readonly ToolCall[]): WireRecord {
  const call = calls.find(({ id }) => id === item["call_id"]);
  if (call) return toCall(call, item);
  if (item["type"] === "reasoning") return without(item, ["status"]);
  return { ...item, content: listOf(item["content"]).map((part) => without(recordOf(part), ["logprobs"])) };
}

/** Whether the kept items are this message's words and calls: reasoning without what it led to is refused. */
function tells(items: readonly WireRecord[], { content, tool_calls: calls = [] }: AssistantEntry): boolean {
  const words = items.filter((item) => item["type"] === "message").map(wordsOf);
  const ids = items.filter((item) => item["type"] === "function_call").map((item) => textOf(item["call_id"]));
  const same = ids.length === calls.length && calls.every(({ id }) => ids.includes(id));
  return items.length > 0 && same && words.filter((text) => text !== "").join(paragraph) === content;
}

/** Reasoning without its text, encrypted or in clear, is only a name for what the server did not store. */
function isReadable(item: WireRecord, accepted: Accepted): boolean {
  return accepted.reasoning && (textOf(item["encrypted_content"]) !== "" || listOf(item["content"]).length > 0);
}

/** Reasoning behind which nothing of its reply follows is refused. */
function leadsOn(items: readonly WireRecord[], index: number): boolean {
  return items.slice(index).some((item) => item["type"] !== "reasoning");
}

/** Several servers parse earlier arguments and refuse the whole conversation for one that a model wrote badly. */
function readableArguments(call: ToolCall): string {
  try {
    return isRecord(JSON.parse(call.arguments)) ? call.arguments : "{}";
  } catch {
    return "{}";
  }
}
