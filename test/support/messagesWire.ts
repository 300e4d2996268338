// The Anthropic Messages wire, for scripted servers: events framed by name, and whole messages taken apart into events.
import type { Params } from "../../src/protocol/messages.ts";

/** Frames events as the API does; without names, as some compatible servers do. */
export function namedFrames(events: readonly object[], named = true): string {
  return events
    .map((event) => {
      const name = "type" in event && typeof event.type === "string" && named ? `event: ${event.type}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}

interface WireMessage {
  readonly content: readonly Params[];
  readonly stop_reason: string;
  readonly usage?: Params;
}

/** The events that would have brought this message. */
export function eventsOfMessage({ content, stop_reason, usage = {} }: WireMessage): object[] {
  return [
    { type: "message_start", message: { role: "assistant", content: [], usage: { ...usage, output_tokens: 1 } } },
    ...content.flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

/** The events of one block: begun empty, filled piece by piece, ended. Other kinds than these come whole. */
export function blockEvents(block: Params, index: number): object[] {
  const start = (begun: Params): object => ({ type: "content_block_start", index, content_block: begun });
  const delta = (part: object): object => ({ type: "content_block_delta", index, delta: part });
  const stop = { type: "content_block_stop", index };
  switch (block["type"]) {
    case "text":
      return [
        start({ ...block, text: "" }),
        ...pieces(block["text"]).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        start({ ...block, thinking: "", signature: "" }),
        ...pieces(block["thinking"]).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block["signature"] }),
        stop,
      ];
    case "tool_use":
      return [
        start({ ...block, input: {} }),
        delta({ type: "input_json_delta", partial_json: "" }),
        ...pieces(JSON.stringify(block["input"])).map((part) =>
          delta({ type: "input_json_delta", partial_json: part }),
        ),
        stop,
      ];
    default:
      return [start(block), stop];
  }
}

function pieces(value: unknown): string[] {
  return typeof value === "string" ? (value.match(/.{1,12}/gsu) ?? []) : [];
}
