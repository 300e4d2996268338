// Between the messages of a prompt and those of the loop: what a template gave to begin with, and the whole as the specification has it. Pure.
import { ToolCall, type Message } from "../protocol/messages.ts";
import * as z from "zod";
import type { PromptMessage } from "./promptyMessages.ts";

/** What a conversation begins with. */
export interface Beginning {
  readonly system: string;
  /** Oldest first. */
  readonly messages: readonly Message[];
}

const WireCall = z
  .object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) })
  .transform(({ id, function: called }): ToolCall => ({ id, ...called }));
const Metadata = z.looseObject({
  tool_calls: z.array(z.union([WireCall, ToolCall])).optional(),
  tool_call_id: z.string().optional(),
});

/** What the system says goes to the front, together: every provider takes it there. */
export function beginningOf(messages: readonly PromptMessage[]): Beginning {
  const [system, rest] = [messages.filter(isSystem), messages.filter((message) => !isSystem(message))];
  return { system: system.map(textOf).join("\n\n"), messages: rest.map(toMessage) };
}

function isSystem({ role }: PromptMessage): boolean {
  return role === "system" || role === "developer";
}

function textOf({ content }: PromptMessage): string {
  return content.flatMap(({ kind, value }) => (kind === "text" ? [value] : [])).join("\n\n");
}

function toMessage(message: PromptMessage, index: number): Message {
  const about = { id: `prompt-${index + 1}`, runId: "", timestamp: "" };
  const content = textOf(message);
  const { tool_calls: calls = [], tool_call_id: callId = "" } = Metadata.safeParse(message.metadata).data ?? {};
  if (message.role === "assistant")
    return { role: "assistant", content, ...about, iteration: 0, ...(calls.length > 0 && { tool_calls: calls }) };
  if (message.role === "tool")
    return { role: "tool", tool_call_id: callId, content, ...about, name: "", status: "succeeded", duration: 0 };
  const parts = message.content.some(({ kind }) => kind !== "text") ? { parts: [...message.content] } : {};
  return { role: "user", content, ...parts, ...about };
}

/** The conversation in the form of the specification (PROMPTY-9.2-2, -3). */
export function promptMessagesOf(system: string, messages: readonly Message[]): readonly PromptMessage[] {
  const front: PromptMessage[] = system === "" ? [] : [{ role: "system", content: [{ kind: "text", value: system }] }];
  return [...front, ...messages.map(toPromptMessage)];
}

function toPromptMessage(message: Message): PromptMessage {
  const { role, content: value } = message;
  const parts = role === "assistant" ? undefined : message.parts;
  const content = role === "assistant" && value === "" ? [] : (parts ?? [{ kind: "text", value } as const]);
  if (role === "tool") return { role, content, metadata: { tool_call_id: message.tool_call_id } };
  const calls = role === "assistant" ? (message.tool_calls ?? []) : [];
  if (calls.length === 0) return { role, content };
  const wire = calls.map(({ id, ...called }) => ({ id, type: "function", function: called }));
  return { role, content, metadata: { tool_calls: wire } };
}
