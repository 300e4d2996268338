// Answers that come whole although a stream was asked for, as the events that a stream would have had. Pure.
import { isRecord, listOf, recordOf, type WireRecord } from "./wireValue.ts";

/** Null when the body is no answer of this wire. */
export type Unfold = (body: WireRecord) => readonly WireRecord[] | null;

/** Of Chat Completions. */
export function unfoldChat(body: WireRecord): readonly WireRecord[] | null {
  const choice = listOf(body["choices"])[0];
  if (!isRecord(choice)) return null;
  const message = recordOf(choice["message"]);
  const calls = listOf(message["tool_calls"]).map((call, index) => ({ ...recordOf(call), index }));
  const delta = { ...message, tool_calls: calls };
  const finish_reason = choice["finish_reason"] ?? "stop";
  const { usage } = body;
  return [{ choices: [{ index: 0, delta }] }, { choices: [{ index: 0, delta: {}, finish_reason }], usage }];
}

/** Of Responses: the event that ends a reply has all of it. */
export function unfoldResponse(body: WireRecord): readonly WireRecord[] | null {
  if (!Array.isArray(body["output"])) return null;
  const { status } = body;
  const type = status === "incomplete" || status === "failed" ? `response.${status}` : "response.completed";
  return [{ type, response: body }];
}

/** Of Anthropic Messages. */
export function unfoldMessage(body: WireRecord): readonly WireRecord[] | null {
  if (!Array.isArray(body["content"])) return null;
  const { stop_reason, stop_details, usage } = body;
  const blocks = listOf(body["content"]).flatMap((content_block, index): WireRecord[] => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: { usage } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: stop_reason ?? "end_turn", stop_details }, usage },
    { type: "message_stop" },
  ];
}
