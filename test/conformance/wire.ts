// Requests as each provider's wire wants them, from a prompt's messages, tools, options and outputs.
import assert from "node:assert/strict";
import * as z from "zod";
import { replyOptionsOf, requestOf } from "../../src/agents/promptyRequest.ts";
import { PromptyFrontMatter, settingsOf } from "../../src/agents/promptyShape.ts";
import type { ModelRequest } from "../../src/engine/ports.ts";
import { ContentPart } from "../../src/protocol/messages.ts";
import type { ReplyOptions } from "../../src/protocol/replyOptions.ts";
import { toRequest as toMessagesBody } from "../../src/providers/anthropicRequest.ts";
import { toRequest as toChatBody } from "../../src/providers/openaiChatRequest.ts";
import { all, toRequest as toResponsesBody } from "../../src/providers/openaiResponsesRequest.ts";

const Case = z.looseObject({
  input: z.object({
    provider: z.string(),
    apiType: z.string(),
    model_id: z.string(),
    messages: z.array(
      z.object({
        role: z.string(),
        content: z.array(ContentPart),
        metadata: z.record(z.string(), z.unknown()).exactOptional(),
      }),
    ),
    tools: z.array(z.record(z.string(), z.unknown())).default([]),
    options: z.record(z.string(), z.unknown()).default({}),
    outputs: z.array(z.record(z.string(), z.unknown())).default([]),
  }),
  expected: z.object({ request_body: z.record(z.string(), z.unknown()) }),
});

/** What the specification gives a reply where a file sets no limit; Brain itself gives more. */
const usualTokens = 4_096;

export function checkWire(raw: unknown): Promise<"skipped" | void> {
  const { input, expected } = Case.parse(raw);
  if (input.apiType === "embedding" || input.apiType === "image") return Promise.resolve("skipped");
  const { tools, outputs, model_id: model, options } = input;
  const prompty = settingsOf(PromptyFrontMatter.parse({ model: { id: model, options }, tools, outputs }));
  const request = requestOf(input.messages, prompty);
  const body = bodyOf(input, request, replyOptionsOf(prompty));
  assert.deepEqual(bare(JSON.parse(JSON.stringify(body))), expected.request_body);
  return Promise.resolve();
}

function bodyOf(
  { provider, apiType, model_id: model }: z.infer<typeof Case>["input"],
  request: ModelRequest,
  reply: ReplyOptions,
): object {
  if (provider === "anthropic") {
    const maxTokens = reply.maxOutputTokens ?? usualTokens;
    const host = "api.anthropic.com";
    return toMessagesBody(request, { model, host, maxTokens, reply, distrusted: new Set() }).body;
  }
  const about = { model, host: "api.openai.com", reply };
  return apiType === "responses" ? toResponsesBody(request, { ...about, accepted: all }) : toChatBody(request, about);
}

const Tool = z.looseObject({ strict: z.unknown() });

/** Without what the cases do not look at: how the reply is sent and kept; and a no that is this API's yes when left out. */
function bare(body: Record<string, unknown>): object {
  const { stream: _stream, stream_options: _options, store: _store, include: _include, ...rest } = body;
  const tools = z.array(Tool).safeParse(rest["tools"]);
  if (!tools.success) return rest;
  return { ...rest, tools: tools.data.map(({ strict, ...tool }) => (strict === false ? tool : { ...tool, strict })) };
}
