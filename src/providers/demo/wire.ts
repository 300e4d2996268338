// A reply of the demo as chunks of the Chat Completions stream, cut as small as a model's tokens arrive.
import type { DemoReply } from "./conversation.ts";

export interface WireOptions {
  readonly id: string;
  /** Makes the id of a call. */
  readonly newId: () => string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Length of what was asked, in characters. */
  readonly asked: number;
  readonly includeUsage: boolean;
}

/** The chunks of one reply, in order, without the closing `[DONE]`. */
export function* chunksOf(reply: DemoReply, options: WireOptions): Generator<object> {
  const head = { id: options.id, object: "chat.completion.chunk", created: options.created, model: "demo" };
  const chunk = (delta: object, reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  yield chunk({ role: "assistant", content: "" });
  for (const content of inPieces(reply.text)) yield chunk({ content });
  const texts = reply.calls.map(({ params }) => JSON.stringify(params));
  for (const [index, { name }] of reply.calls.entries()) {
    const start = { index, id: options.newId(), type: "function", function: { name, arguments: "" } };
    yield chunk({ tool_calls: [start] });
    for (const piece of (texts[index] ?? "").match(/.{1,24}/gsu) ?? [])
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, reply.calls.length > 0 ? "tool_calls" : "stop");
  if (!options.includeUsage) return;
  const input = tokens(options.asked);
  const output = tokens(reply.text.length + texts.join("").length);
  yield {
    ...head,
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

/** A few words at a time; joined again they are the text. */
function inPieces(text: string): readonly string[] {
  return text.match(/\s*(?:\S+\s*){1,3}/g) ?? [];
}

/** Nothing is tokenised here: four characters a token is the usual rule of thumb. */
function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}
