// OpenTelemetry's names for agents, models and tools (semantic conventions for generative AI).
import type { ToolCall } from "../protocol/messages.ts";
import type { Usage } from "../protocol/usage.ts";
import type { TraceEnd, Traced } from "../protocol/tracing.ts";
import { redacted } from "./redact.ts";
import type { Attribute, TraceSpan } from "./span.ts";

type Attributes = Readonly<Record<string, Attribute>>;

/** Brain's providers by the names of the conventions; a server of the same kind goes by the kind. */
const providers: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  anthropic: "anthropic",
};

/** What a span is called, of which kind it is and what it says from the beginning. @param contents what was said, too (PROMPTY-3-6) */
export function beginning(
  what: Traced,
  contents: boolean,
): Pick<TraceSpan, "name" | "kind"> & { readonly attributes: Attributes } {
  switch (what.kind) {
    case "agent": {
      const { name, description, sessionId } = what;
      const about = { "gen_ai.agent.name": name, "gen_ai.provider.name": "brain" };
      const more = given({ "gen_ai.agent.description": description, "gen_ai.conversation.id": sessionId });
      return inner("invoke_agent", name, { ...about, ...more });
    }
    case "chat": {
      const { model, provider = "brain", options = {} } = what;
      const about = { "gen_ai.provider.name": providers[provider] ?? provider, "gen_ai.request.model": model };
      const wished = given({
        "gen_ai.request.temperature": options.temperature,
        "gen_ai.request.max_tokens": options.maxOutputTokens,
        "gen_ai.request.top_p": options.topP,
      });
      const more = { ...wished, ...(contents && asked(what)) };
      const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.stream": true, ...about, ...more };
      return { name: `chat ${model}`, kind: "client", attributes };
    }
    case "tool":
      return inner("execute_tool", what.call.name, toolAttributes(what, contents));
    case "step":
      return { name: what.name, kind: "internal", attributes: { "gen_ai.operation.name": what.name } };
  }
}

/** What a span says at its end, beside its usage. */
export function ending(what: Traced, { finish, output, error }: TraceEnd, contents: boolean): Attributes {
  const place = outputs[what.kind];
  const said = contents && output !== undefined && place !== undefined ? { [place]: inWords(output) } : {};
  return {
    ...(finish !== undefined && { "gen_ai.response.finish_reasons": [finishes[finish] ?? finish] }),
    ...said,
    ...(error && { "error.type": error.type }),
  };
}

/** Brain's tokens of a cache are part of the input, as the conventions have them. */
export function usageAttributes({ input, output, cached, written, reasoning }: Usage): Attributes {
  return {
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    ...given({
      "gen_ai.usage.cache_read.input_tokens": cached,
      "gen_ai.usage.cache_creation.input_tokens": written,
      "gen_ai.usage.reasoning.output_tokens": reasoning,
    }),
  };
}

const finishes: Readonly<Record<string, string>> = { calls: "tool_calls", refusal: "content_filter" };

const outputs: Readonly<Record<Traced["kind"], string | undefined>> = {
  agent: "gen_ai.output.messages",
  chat: "gen_ai.output.messages",
  tool: "gen_ai.tool.call.result",
  step: undefined,
};

function toolAttributes(
  { call, description }: { readonly call: ToolCall; readonly description?: string | undefined },
  contents: boolean,
): Attributes {
  return {
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call.id": call.id,
    "gen_ai.tool.type": "function",
    ...given({ "gen_ai.tool.description": description }),
    ...(contents && { "gen_ai.tool.call.arguments": inWords(call.arguments) }),
  };
}

function asked({ system, messages }: Extract<Traced, { kind: "chat" }>): Attributes {
  const plain = messages.map(({ role, content, ...rest }) => ({
    role,
    content,
    ...("tool_calls" in rest && { tool_calls: rest.tool_calls }),
    ...("tool_call_id" in rest && { tool_call_id: rest.tool_call_id }),
  }));
  return { "gen_ai.system_instructions": system, "gen_ai.input.messages": inWords(plain) };
}

function inWords(value: unknown): string {
  const kept = redacted(value);
  return typeof kept === "string" ? kept : JSON.stringify(kept);
}

function inner(operation: string, name: string, attributes: Attributes): ReturnType<typeof beginning> {
  return {
    name: `${operation} ${name}`,
    kind: "internal",
    attributes: { "gen_ai.operation.name": operation, ...attributes },
  };
}

function given(members: Readonly<Record<string, Attribute | undefined>>): Attributes {
  const there: Record<string, Attribute> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) there[name] = value;
  return there;
}
