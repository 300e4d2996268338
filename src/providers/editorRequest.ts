// From a ModelRequest to what the editor's models are sent: messages of two roles, made of parts. Pure.
import type { ModelRequest } from "../engine/ports.ts";
import type { AssistantEntry, ContentPart, Message } from "../protocol/messages.ts";
import { fileName, partsOf, sourceOf, type MessageWithParts } from "./parts.ts";
import { isRecord, type WireRecord } from "./wireValue.ts";

/** `data` of an image is base64. */
export type EditorContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string };

export type EditorRequestPart =
  | EditorContent
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly input: WireRecord }
  | { readonly type: "result"; readonly id: string; readonly content: readonly EditorContent[] };

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
  const made: EditorMessage[] = system === "" ? [] : [user({ content: system })];
  let results: EditorRequestPart[] | null = null;
  for (const message of messages) {
    if (message.role === "tool") {
      if (!results) made.push({ role: "user", parts: (results = []) });
      results.push({ type: "result", id: message.tool_call_id, content: contentOf(message) });
      continue;
    }
    results = null;
    made.push(...(message.role === "user" ? [user(message)] : assistant(message)));
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

function user(message: MessageWithParts): EditorMessage {
  return { role: "user", parts: contentOf(message) };
}

/** Its words and its images; of what the editor has no form for the model is told that it is missing. */
function contentOf(message: MessageWithParts): readonly EditorContent[] {
  const parts = partsOf(message).map(toContent);
  return parts.length === 0 ? [{ type: "text", text: spoken("") }] : parts;
}

function toContent(part: ContentPart): EditorContent {
  if (part.kind === "text") return { type: "text", text: spoken(part.value) };
  const source = sourceOf(part);
  if (part.kind === "image" && source.kind === "data")
    return { type: "image", mediaType: source.mediaType, data: source.data };
  const what = source.kind === "url" ? source.url : fileName(part);
  return { type: "text", text: `[${what} is not shown to you: VS Code hands on images only.]` };
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
