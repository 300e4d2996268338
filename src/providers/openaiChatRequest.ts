// From a ModelRequest to the body of a Chat Completions request. Pure.
import type { JsonSchema, ModelRequest, ToolSpec } from "../engine/ports.ts";
import type { AssistantEntry, ContentPart, Message, ToolCall, ToolEntry, UserEntry } from "../protocol/messages.ts";
import { given, withMore, type ReplyOptions } from "../protocol/replyOptions.ts";
import { addressOfPart, audioFormat, fileName, partsOf, sourceOf, wordsOnly } from "./parts.ts";
import { idFor, shaped, unsigned, usual, type Shape } from "./openaiChatShape.ts";
import { strictSchema } from "./strictSchema.ts";
import { isRecord, recordOf, textOf, type WireRecord } from "./wireValue.ts";

export interface RequestOptions {
  readonly model: string;
  /** What a server wanted back is sent to that server only. */
  readonly host: string;
  /** Absent: as the model does by default, without a limit of tokens (C-44). */
  readonly reply?: ReplyOptions | undefined;
  /** Absent: as most servers take it. */
  readonly shape?: Shape;
}

/** The body of a request, as the wire has it: the library's types know OpenAI's own members only. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly WireRecord[];
  readonly tools?: readonly WireRecord[];
  readonly response_format?: WireRecord;
  readonly stream: true;
  readonly stream_options: { readonly include_usage: true };
}

/** Builds the body: system first, one tool message per call, no `tools` when there are none. */
export function toRequest(request: ModelRequest, options: RequestOptions): ChatBody {
  const task = request.messages.findLastIndex((message) => message.role === "user");
  const system: WireRecord[] = request.system === "" ? [] : [{ role: "system", content: request.system }];
  const { model, host, reply = {}, shape = usual } = options;
  const messages = toMessages(request.messages, (index) => ({ ...options, shape, current: index > task }));
  const body: ChatBody = {
    model,
    messages: marked(shaped([...system, ...messages], shape), options),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    ...formatOf(request.output),
    ...replyOf(reply, host, request.tools.length > 0),
    stream: true,
    stream_options: { include_usage: true },
  };
  return withMore(body, reply);
}

/** OpenAI's own models want the newer name of the limit, other servers know the older one (C-44). */
function replyOf(reply: ReplyOptions, host: string, hasTools: boolean): WireRecord {
  const { maxOutputTokens, effort } = reply;
  const own = /(^|\.)(openai\.com|(openai|cognitiveservices|services\.ai)\.azure\.com)(:\d+)?$/.test(host);
  return given({
    temperature: reply.temperature,
    top_p: reply.topP,
    frequency_penalty: reply.frequencyPenalty,
    presence_penalty: reply.presencePenalty,
    seed: reply.seed,
    stop: reply.stopSequences,
    [own ? "max_completion_tokens" : "max_tokens"]: maxOutputTokens,
    // Without tools endpoints refuse it.
    parallel_tool_calls: hasTools ? reply.allowMultipleToolCalls : undefined,
    reasoning_effort: effort === "default" ? undefined : effort,
  });
}

function formatOf(output: JsonSchema | undefined): Pick<ChatBody, "response_format"> {
  const schema = output && strictSchema(output);
  if (!schema) return {};
  return {
    response_format: { type: "json_schema", json_schema: { name: "structured_output", strict: true, schema } },
  };
}

function toTool({ name, description, parameters, strict }: ToolSpec): WireRecord {
  const closed = strict === true ? strictSchema(parameters) : null;
  const shape = closed ? { parameters: closed, strict: true } : { parameters };
  return { type: "function", function: { name, description, ...shape } };
}

interface Place extends RequestOptions {
  readonly shape: Shape;
  /** Part of the turn that is going on: only there servers want the reasoning back. */
  readonly current: boolean;
}

/** What tools have shown follows behind the results of a reply, as a message of the user: tool messages hold words only. */
function toMessages(messages: readonly Message[], placeOf: (index: number) => Place): readonly WireRecord[] {
  const made: WireRecord[] = [];
  let shown: WireRecord[] = [];
  const show = (): void => {
    if (shown.length > 0) made.push({ role: "user", content: shown });
    shown = [];
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = idFor(message.tool_call_id, placeOf(index).shape);
      made.push({ role: "tool", tool_call_id: id, content: message.content });
      shown.push(...shownBy(message));
      continue;
    }
    show();
    made.push(...(message.role === "user" ? [toUser(message)] : toAssistant(message, placeOf(index))));
  }
  show();
  return made;
}

function shownBy({ name, tool_call_id: id, parts = [] }: ToolEntry): readonly WireRecord[] {
  if (parts.length === 0) return [];
  return [{ type: "text", text: `Shown by the call ${id} of ${name}:` }, ...parts.map(toPart)];
}

function toUser(message: UserEntry): WireRecord {
  return { role: "user", content: wordsOnly(message) ?? partsOf(message).map(toPart) };
}

function toPart(part: ContentPart): WireRecord {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.value };
    case "image":
      return {
        type: "image_url",
        image_url: { url: addressOfPart(part), ...given({ detail: part.detail }) },
      };
    case "audio":
      return { type: "input_audio", input_audio: { data: dataOf(part), format: audioFormat(part) } };
    case "file":
      return { type: "file", file: fileOf(part) };
  }
}

function dataOf(part: ContentPart): string {
  const source = sourceOf(part);
  return source.kind === "url" ? source.url : source.data;
}

function fileOf(part: ContentPart): WireRecord {
  const source = sourceOf(part);
  if (source.kind === "url") return { url: source.url };
  return { filename: fileName(part), file_data: addressOfPart(part) };
}

function toAssistant(message: AssistantEntry, place: Place): readonly WireRecord[] {
  const { content, tool_calls: calls = [] } = message;
  if (calls.length === 0 && content === "") return [];
  const { shape } = place;
  const kept = recordOf(message.providerData);
  const extra = kept["host"] === place.host ? recordOf(kept["extra"]) : {};
  const extraOf = (id: string): unknown => extra[id] ?? (shape.signed ? unsigned : undefined);
  return [
    {
      role: "assistant",
      ...((content !== "" || shape.worded) && { content }),
      ...reasoningOf(kept, place),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({
          id: idFor(call.id, shape),
          type: "function" as const,
          function: { name: call.name, arguments: readableArguments(call) },
          ...given({ extra_content: extraOf(call.id) }),
        })),
      }),
    },
  ];
}

/** Only the model that has written its details can read them. */
function reasoningOf(kept: WireRecord, { host, model, current, shape }: Place): WireRecord {
  const ours = kept["host"] === host && !shape.unreasoned;
  const { of, items } = recordOf(kept["details"]);
  if (ours && of === model && Array.isArray(items)) return { reasoning_details: items };
  const thinking = ours && (current || shape.reasoned) ? textOf(kept["thinking"]) : "";
  // Servers that insist on it refuse an empty one.
  const text = thinking === "" && shape.reasoned ? " " : thinking;
  return text === "" ? {} : { reasoning_content: text };
}

/** Claude behind OpenRouter keeps what it has read only up to marks; other models there need none. */
function marked(messages: readonly WireRecord[], { host, model }: RequestOptions): readonly WireRecord[] {
  if (host !== "openrouter.ai" || !/\bclaude\b/i.test(model)) return messages;
  const ends = messages.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : [])).slice(-2);
  return messages.map((message, index) =>
    message["role"] === "system" || ends.includes(index) ? withMark(message) : message,
  );
}

function withMark(message: WireRecord): WireRecord {
  const { content } = message;
  const parts = Array.isArray(content) ? content.map(recordOf) : [{ type: "text", text: content }];
  const at = parts.findLastIndex(({ type, text }) => type === "text" && text !== "");
  if (at === -1) return message;
  return { ...message, content: parts.with(at, { ...parts[at], cache_control: { type: "ephemeral" } }) };
}

/** Several servers parse earlier arguments and refuse the whole conversation for one that a model wrote badly. */
function readableArguments(call: ToolCall): string {
  try {
    return isRecord(JSON.parse(call.arguments)) ? call.arguments : "{}";
  } catch {
    return "{}";
  }
}
