// From a ModelRequest to the body of a Chat Completions request. Pure.
import type OpenAI from "openai";
import type { ModelRequest, ToolSpec } from "../engine/ports.ts";
import type { AssistantEntry, Message, ToolCall } from "../protocol/messages.ts";
import { isRecord, recordOf, textOf } from "./wireValue.ts";

export type ChatBody = OpenAI.ChatCompletionCreateParamsStreaming;
type ChatMessage = OpenAI.ChatCompletionMessageParam;

export interface RequestOptions {
  readonly model: string;
  /** What a server wanted back is sent to that server only. */
  readonly host: string;
}

/** Builds the body: system first, one tool message per call, no `tools` when there are none, no limit of tokens (C-44). */
export function toRequest(request: ModelRequest, options: RequestOptions): ChatBody {
  const task = request.messages.findLastIndex((message) => message.role === "user");
  const system: ChatMessage[] = request.system === "" ? [] : [{ role: "system", content: request.system }];
  return {
    model: options.model,
    messages: [
      ...system,
      ...request.messages.flatMap((message, index) => toMessages(message, { ...options, current: index > task })),
    ],
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toTool({ name, description, parameters }: ToolSpec): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters } };
}

interface Place extends RequestOptions {
  /** Part of the turn that is going on: only there servers want the reasoning back. */
  readonly current: boolean;
}

function toMessages(message: Message, place: Place): ChatMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content }];
    case "tool":
      return [{ role: "tool", tool_call_id: message.tool_call_id, content: message.content }];
    case "assistant":
      return toAssistant(message, place);
  }
}

function toAssistant(message: AssistantEntry, { host, current }: Place): ChatMessage[] {
  const { content, tool_calls: calls = [] } = message;
  if (calls.length === 0) return content === "" ? [] : [{ role: "assistant", content }];
  const kept = recordOf(message.providerData);
  const ours = kept["host"] === host;
  const thinking = ours && current ? textOf(kept["thinking"]) : "";
  const extra = ours ? recordOf(kept["extra"]) : {};
  return [
    {
      role: "assistant",
      ...(content !== "" && { content }),
      ...(thinking !== "" && { reasoning_content: thinking }),
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: "function" as const,
        function: { name: call.name, arguments: readableArguments(call) },
        ...(extra[call.id] !== undefined && { extra_content: extra[call.id] }),
      })),
    },
  ];
}

/** Several servers parse earlier arguments and refuse the whole conversation for one that a model wrote badly. */
function readableArguments(call: ToolCall): string {
  try {
    return isRecord(JSON.parse(call.arguments)) ? call.arguments : "{}";
  } catch {
    return "{}";
  }
}
