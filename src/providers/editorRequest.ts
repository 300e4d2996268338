// From a ModelRequest to what the editor's models are sent: messages of two roles, made of parts. Pure.
import type { ModelRequest } from "../engine/ports.ts";
import type { AssistantEntry, Message } from "../protocol/messages.ts";
import { isRecord, type WireRecord } from "./wireValue.ts";

export type EditorRequestPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly input: WireRecord }
  | { readonly type: "result"; readonly id: string; readonly text: string };

export interface EditorMessage {
  readonly role: "user" | "assistant";
  readonly parts: readonly EditorRequestPart[];
}

export interface EditorRequest {
  readonly messages: readonly EditorMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: WireRecord }[];
}

/** The system prompt is the first message, because there is no other place for it; all results of a reply are one message. */
export function toRequest({ system, messages, tools }: ModelRequest): EditorRequest {
  const made: EditorMessage[] = system === "" ? [] : [userText(system)];
  let results: EditorRequestPart[] | null = null;
  for (const message of messages) {
    if (message.role === "tool") {
      if (!results) made.push({ role: "user", parts: (results = []) });
      results.push({ type: "result", id: message.tool_call_id, text: spoken(message.content) });
      continue;
    }
    results = null;
    made.push(...(message.role === "user" ? [userText(message.content)] : assistant(message)));
  }
  return {
    messages: made,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
  };
}

/** The texts of a request for counting, each with what it belongs to. */
export function textsOf({ system, messages, tools }: ModelRequest): readonly { owner: string; text: string }[] {
  return [
    { owner: "system", text: system },
    ...(tools.length > 0 ? [{ owner: "tools", text: JSON.stringify(tools) }] : []),
    ...messages.map((message) => ({ owner: message.id, text: textOfMessage(message) })),
  ];
}

function textOfMessage(message: Message): string {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return [message.content, ...calls.map((call) => `${call.name}${call.arguments}`)].join("");
}

function userText(text: string): EditorMessage {
  return { role: "user", parts: [{ type: "text", text: spoken(text) }] };
}

function assistant({ content, tool_calls: calls = [] }: AssistantEntry): EditorMessage[] {
  const parts: EditorRequestPart[] = content === "" ? [] : [{ type: "text", text: content }];
  for (const call of calls) parts.push({ type: "call", id: call.id, name: call.name, input: inputOf(call.arguments) });
  return parts.length === 0 ? [] : [{ role: "assistant", parts }];
}

/** Some of the services behind the editor refuse a whole conversation for one empty text. */
function spoken(text: string): string {
  return text === "" ? "(empty)" : text;
}

/** What a model wrote badly has its error as the result. */
function inputOf(text: string): WireRecord {
  try {
    const input: unknown = JSON.parse(text);
    return isRecord(input) ? input : {};
  } catch {
    return {};
  }
}
