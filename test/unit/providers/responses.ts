// What the tests of the Responses wire share: the model, and events as servers send them.
import type { Model } from "../../../src/engine/ports.ts";
import { openaiResponses, type OpenaiResponsesOptions } from "../../../src/providers/openaiResponses.ts";
import { realClock } from "./chat.ts";

export function responsesAt(baseUrl: string, more: Partial<OpenaiResponsesOptions> = {}): Model {
  return openaiResponses({
    baseUrl,
    apiKey: "sk-secret",
    model: "m-1",
    contextWindow: 8_000,
    idleTimeout: 10_000,
    clock: realClock,
    ...more,
  });
}

/** Events as the wire frames them: named, and without `[DONE]`. */
export function eventFrames(events: readonly object[]): string {
  return events.map((event) => `event: ${nameOf(event)}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function nameOf(event: object): string {
  return "type" in event && typeof event.type === "string" ? event.type : "message";
}

/** A place in the reply: the item's id and its index. */
export type At = readonly [id: string, index: number];

const place = ([id, index]: At): object => ({ item_id: id, output_index: index });

export function message(id: string, text: string, more = {}): object {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id, role: "assistant", status: "completed", content, ...more };
}

export function reasoning(id: string, secret: string, ...summary: readonly string[]): object {
  return {
    type: "reasoning",
    id,
    encrypted_content: secret,
    summary: summary.map((text) => ({ type: "summary_text", text })),
  };
}

/** A call's item; its id is made from its call id. */
export function callItem(callId: string, name: string, text: string, more = {}): object {
  return {
    type: "function_call",
    id: `fc_${callId}`,
    call_id: callId,
    name,
    arguments: text,
    status: "completed",
    ...more,
  };
}

export function added(index: number, item: object): object {
  return { type: "response.output_item.added", output_index: index, item };
}

export function done(index: number, item: object): object {
  return { type: "response.output_item.done", output_index: index, item };
}

export function textDelta(at: At, delta: string): object {
  return { type: "response.output_text.delta", ...place(at), content_index: 0, delta };
}

export function summaryDelta(at: At, part: number, delta: string): object {
  return { type: "response.reasoning_summary_text.delta", ...place(at), summary_index: part, delta };
}

export function argumentsDelta(at: At, delta: string): object {
  return { type: "response.function_call_arguments.delta", ...place(at), delta };
}

export function argumentsDone(at: At, text: string): object {
  return { type: "response.function_call_arguments.done", ...place(at), arguments: text };
}

export const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
};

export function completed(output: readonly object[] = [], more = {}): object {
  return { type: "response.completed", response: { status: "completed", output, usage, ...more } };
}
