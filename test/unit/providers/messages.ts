// What the tests of the Anthropic provider share: a model at a loopback server, and what it was sent.
import { anthropic, type AnthropicOptions } from "../../../src/providers/anthropic.ts";
import type { Model } from "../../../src/engine/ports.ts";
import * as z from "zod";
import { eventsOfMessage, namedFrames } from "../../support/messagesWire.ts";
import type { Asked } from "../../support/sse.ts";
import { realClock } from "./chat.ts";

export function messagesAt(baseUrl: string, more: Partial<AnthropicOptions> = {}): Model {
  return anthropic({
    baseUrl,
    apiKey: "sk-secret",
    model: "m-1",
    contextWindow: 200_000,
    idleTimeout: 10_000,
    clock: realClock,
    ...more,
  });
}

const Block = z.looseObject({ type: z.string() });
const Body = z.looseObject({
  messages: z.array(z.object({ role: z.string(), content: z.array(Block) })),
});

/** The messages of a request, without the marks of the cache. */
export function messagesIn(asked: Asked | undefined): z.infer<typeof Body>["messages"] {
  return Body.parse(JSON.parse(asked?.body ?? "")).messages.map(({ role, content }) => ({
    role,
    content: content.map(({ cache_control: _mark, ...block }) => block),
  }));
}

export const usage = { input_tokens: 3, output_tokens: 2 };

/** A whole answer in words, as bytes. */
export const answer = namedFrames(
  eventsOfMessage({ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage }),
);
