// How many tokens a request will take, before it is sent. Pure.
import type { ModelRequest } from "./ports.ts";

/** Characters per token, on the careful side for source code. */
const charactersPerToken = 3.5;
/** What a message costs beside its text. */
const perMessage = 4;

/** Estimates system prompt, tools and messages together (BRAIN-CTX-5). */
export function estimateTokens(request: ModelRequest): number {
  let characters = request.system.length;
  for (const tool of request.tools) {
    characters += tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length;
  }
  for (const message of request.messages) {
    characters += message.content.length;
    if (message.role === "assistant" && message.tool_calls)
      for (const call of message.tool_calls) characters += call.name.length + call.arguments.length;
  }
  return Math.ceil(characters / charactersPerToken) + perMessage * request.messages.length;
}
