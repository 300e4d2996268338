// Replies on the Chat Completions wire, for scripted servers: words, calls, and what goes wrong.
import type { Params } from "../../src/protocol/messages.ts";
import { frames, type Script } from "./sse.ts";

interface WireReply {
  readonly text?: string;
  /** `[tool, parameters]` */
  readonly calls?: readonly (readonly [string, Params])[];
}

/** One streamed reply as a script for `startSse`; ids are made from `turn`. */
export function chatReply(turn: number, { text, calls = [] }: WireReply): Script {
  const delta = (value: Params, finish: string | null = null) => ({
    id: `chatcmpl-${turn}`,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: value, finish_reason: finish }],
  });
  const chunks: unknown[] = [delta({ role: "assistant" })];
  if (text !== undefined) for (const word of text.match(/\S+\s*/g) ?? []) chunks.push(delta({ content: word }));
  calls.forEach(([name, params], index) => {
    const id = `call_${turn}_${index}`;
    const json = JSON.stringify(params);
    chunks.push(delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }));
    for (const part of json.match(/.{1,20}/gs) ?? [])
      chunks.push(delta({ tool_calls: [{ index, function: { arguments: part } }] }));
  });
  chunks.push(delta({}, calls.length > 0 ? "tool_calls" : "stop"));
  chunks.push({ id: `chatcmpl-${turn}`, choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } });
  return { parts: [frames(chunks)] };
}

/** An error as an HTTP answer. */
export function httpError(status: number, message: string): Script {
  return { status, headers: { "content-type": "application/json" }, parts: [JSON.stringify({ error: { message } })] };
}
