// From the messages of a rendered .prompty, its tools and its outputs to one request to a model (PROMPTY-7). Pure.
import type { ModelRequest, ToolSpec } from "../engine/ports.ts";
import type { DeclaredTool } from "../protocol/agents.ts";
import type { Message } from "../protocol/messages.ts";
import { ReplyOptions } from "../protocol/replyOptions.ts";
import type { PromptMessage } from "./promptyMessages.ts";
import { schemaOf } from "./promptySchema.ts";
import type { Prompty } from "./promptyShape.ts";

/** All messages of the system become one text; what was said before becomes the conversation (PROMPTY-7-3). */
export function requestOf(
  messages: readonly PromptMessage[],
  { tools, outputs }: Pick<Prompty, "tools" | "outputs">,
): ModelRequest {
  return {
    system: messages.filter(isSystem).map(wordsOf).join("\n\n"),
    messages: messages.filter((message) => !isSystem(message)).map(toMessage),
    tools: tools.filter(({ kind }) => kind === "function").map(toSpec),
    ...(outputs.length > 0 && { output: schemaOf(outputs) }),
  };
}

/** What the file asks of replies; members that are none of its options go to the endpoint as they are (PROMPTY-7-2). */
export function replyOptionsOf({ model }: Pick<Prompty, "model">): ReplyOptions {
  const written = Object.entries(Object(model?.["options"]));
  const known = written.filter(([name, value]) => ReplyOptions.safeParse({ [name]: value }).success);
  return ReplyOptions.parse(Object.fromEntries(known));
}

/** A function as the model is told of it, without what bindings fill in. */
export function toSpec({ name, ...tool }: DeclaredTool): ToolSpec {
  const { description, parameters, bindings, strict } = tool;
  const bound = new Set(Object.keys(Object(bindings)));
  return {
    name,
    description: typeof description === "string" ? description : "",
    parameters: schemaOf(Array.isArray(parameters) ? parameters : [], bound),
    ...(strict === true && { strict }),
  };
}

function isSystem({ role }: PromptMessage): boolean {
  return role === "system" || role === "developer";
}

function wordsOf({ content }: PromptMessage): string {
  return content.flatMap(({ kind, value }) => (kind === "text" ? [value] : [])).join("\n\n");
}

function toMessage(message: PromptMessage, index: number): Message {
  const { role, content } = message;
  const line = { id: `prompt-${index}`, runId: "", timestamp: "", content: wordsOf(message) };
  if (role === "assistant") return { ...line, role, iteration: 0 };
  return { ...line, role: "user", ...(content.some(({ kind }) => kind !== "text") && { parts: [...content] }) };
}
