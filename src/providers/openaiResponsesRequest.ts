// From a ModelRequest to the body of a Responses request. Pure.
import type { JsonSchema, ModelRequest, ToolSpec } from "../engine/ports.ts";
import type { AssistantEntry, ContentPart, Message, ToolCall, ToolEntry } from "../protocol/messages.ts";
import { given, withMore, type ReplyOptions } from "../protocol/replyOptions.ts";
import { paragraph, wordsOf } from "./openaiResponsesEvent.ts";
import { without } from "./openaiResponsesKept.ts";
import { addressOfPart, audioFormat, fileName, partsOf, sourceOf, wordsOnly } from "./parts.ts";
import { strictSchema } from "./strictSchema.ts";
import { isRecord, listOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** The body of a request. Its items are the wire's own, kept as they came: the library's types know fewer of them. */
export interface ResponsesBody {
  readonly model: string;
  readonly instructions?: string;
  readonly input: readonly WireRecord[];
  readonly tools?: readonly WireRecord[];
  readonly text?: WireRecord;
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
  /** Absent: as the model does by default, without a limit of tokens (C-44). */
  readonly reply?: ReplyOptions | undefined;
  /** It may think: a summary of that is asked for, without which OpenAI shows none of it. */
  readonly thinks?: boolean | undefined;
}

/** Builds the body: nothing is stored at the server, no `tools` when there are none. */
export function toRequest(request: ModelRequest, options: RequestOptions): ResponsesBody {
  const { system, messages, tools, output } = request;
  const { reply = {}, thinks = false } = options;
  const body: ResponsesBody = {
    model: options.model,
    ...(system !== "" && { instructions: system }),
    input: messages.flatMap((message) => toItems(message, options)),
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    ...formatOf(output),
    ...replyOf(reply, tools.length > 0),
    ...reasoningOf(reply, thinks),
    ...(options.accepted.include && { include: ["reasoning.encrypted_content"] }),
    store: false,
    stream: true,
  };
  return withMore(body, reply);
}

function replyOf(reply: ReplyOptions, hasTools: boolean): WireRecord {
  return given({
    temperature: reply.temperature,
    top_p: reply.topP,
    max_output_tokens: reply.maxOutputTokens,
    parallel_tool_calls: hasTools ? reply.allowMultipleToolCalls : undefined,
  });
}

function reasoningOf({ effort = "default" }: ReplyOptions, thinks: boolean): WireRecord {
  const reasoning = { ...(effort !== "default" && { effort }), ...(thinks && { summary: "auto" }) };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

function formatOf(output: JsonSchema | undefined): Pick<ResponsesBody, "text"> {
  const schema = output && strictSchema(output);
  return schema ? { text: { format: { type: "json_schema", name: "structured_output", strict: true, schema } } } : {};
}

/** Not strict unless it is asked for: strict schemas may have no optional parameters, and are this API's default. */
function toTool({ name, description, parameters, strict }: ToolSpec): WireRecord {
  const closed = strict === true ? strictSchema(parameters) : null;
  return { type: "function", name, description, parameters: closed ?? parameters, strict: closed !== null };
}

function toItems(message: Message, options: RequestOptions): readonly WireRecord[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: wordsOnly(message) ?? partsOf(message).map(toPart) }];
    case "tool":
      return [toOutput(message)];
    case "assistant":
      return replayed(message, options) ?? converted(message);
  }
}

function toOutput(message: ToolEntry): WireRecord {
  const output = wordsOnly(message) ?? partsOf(message).map(toPart);
  return { type: "function_call_output", call_id: message.tool_call_id, output };
}

function toPart(part: ContentPart): WireRecord {
  const source = sourceOf(part);
  switch (part.kind) {
    case "text":
      return { type: "input_text", text: part.value };
    case "image":
      return { type: "input_image", image_url: addressOfPart(part), ...given({ detail: part.detail }) };
    case "audio": {
      const data = source.kind === "url" ? source.url : source.data;
      return { type: "input_audio", input_audio: { data, format: audioFormat(part) } };
    }
    case "file":
      if (source.kind === "url") return { type: "input_file", file_url: source.url };
      return { type: "input_file", filename: fileName(part), file_data: addressOfPart(part) };
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
