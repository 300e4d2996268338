// What the provider tests share: a real clock, a plain request, and ways to gather what a model says.
import type { Clock, Model, ModelEvent, ModelRequest, ToolSpec } from "../../../src/engine/ports.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import type { FakeClock } from "../../support/kit.ts";
import { openaiChat, type OpenaiChatOptions } from "../../../src/providers/openaiChat.ts";

export const realClock: Clock = {
  now: Date.now,
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

const line = { id: "m", runId: "r", timestamp: "2026-01-01T00:00:00.000Z" };

export function user(content: string): Message {
  return { role: "user", content, ...line };
}

export function assistant(
  content: string,
  calls: readonly { id: string; name: string; arguments: string }[] = [],
  more = {},
): Message {
  return {
    role: "assistant",
    content,
    ...(calls.length > 0 && { tool_calls: [...calls] }),
    ...line,
    iteration: 1,
    ...more,
  };
}

/** The message that the engine would keep of these events. */
export function assistantOf(events: readonly ModelEvent[]): Message {
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
  const kept = events.find((event) => event.type === "provider");
  return assistant(text, calls, kept && { providerData: kept.data });
}

export function tool(id: string, content: string): Message {
  return { role: "tool", tool_call_id: id, content, ...line, name: "t", status: "succeeded", duration: 1 };
}

export const hello: ModelRequest = { system: "Be short.", messages: [user("Hello")], tools: [] };

export function toolNamed(name: string): ToolSpec {
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: { path: { type: "string" } } },
  };
}

export function chatAt(baseUrl: string, more: Partial<OpenaiChatOptions> = {}): Model {
  return openaiChat({
    baseUrl,
    apiKey: "sk-secret",
    model: "m-1",
    contextWindow: 8_000,
    idleTimeout: 10_000,
    clock: realClock,
    ...more,
  });
}

export async function collect(
  model: Model,
  request: ModelRequest = hello,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  return Array.fromAsync(model.stream(request, signal));
}

/**
 * A fetch whose answer comes in these parts, so many milliseconds of the clock apart. A stream of events has no end by itself
 * then, other answers have.
 */
export function slowly(
  parts: readonly string[],
  clock: FakeClock,
  pause: number,
  type = "text/event-stream",
): typeof fetch {
  const bytes = new TextEncoder();
  const waiting = [...parts];
  return (_address, init) => {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => init?.signal?.addEventListener("abort", () => stream.error(new Error("aborted"))),
      async pull(stream) {
        const next = waiting.shift();
        if (next !== undefined) stream.enqueue(bytes.encode(next));
        else if (type !== "text/event-stream") stream.close();
        await clock.advance(pause);
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": type } }));
  };
}

/** Gathers a reply while the fake time goes on, by a second or so many milliseconds with each turn of the event loop; from its first word on, where one is to come. */
export async function whileTimePasses(
  model: Model,
  clock: FakeClock,
  hasWord: boolean,
  by = 1_000,
): Promise<ModelEvent[]> {
  const over = new AbortController();
  const go = async (): Promise<void> => {
    while (!over.signal.aborted) await clock.advance(by);
  };
  let passing = hasWord ? null : go();
  const got: ModelEvent[] = [];
  for await (const event of model.stream(hello, new AbortController().signal)) {
    got.push(event);
    if (event.type === "text") passing ??= go();
  }
  over.abort();
  await passing;
  return got;
}

/** Text events joined, made-up ids counted: what a reply is, however it was cut. */
export function summary(events: readonly ModelEvent[]): {
  text: string;
  thinking: string;
  calls: { name: string; arguments: string }[];
  usage: unknown;
  end: ModelEvent | undefined;
} {
  const joined = (type: "text" | "thinking"): string =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  return {
    text: joined("text"),
    thinking: joined("thinking"),
    calls: events.flatMap((event) =>
      event.type === "call" ? [{ name: event.call.name, arguments: event.call.arguments }] : [],
    ),
    usage: events.find((event) => event.type === "usage")?.usage,
    end: events.at(-1),
  };
}

/** A chunk of the wire with this delta. */
export function delta(part: object, finish: string | null = null): object {
  return { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: part, finish_reason: finish }] };
}

/** Index, id, name, arguments; undefined where the wire has nothing. */
type CallPiece = readonly [number | undefined, string | undefined, string | undefined, string];

/** A chunk with pieces of calls. */
export function callDelta(...pieces: readonly CallPiece[]): object {
  return delta({
    tool_calls: pieces.map(([index, id, name, text]) => ({
      ...(index !== undefined && { index }),
      ...(id !== undefined && { id }),
      function: { ...(name !== undefined && { name }), arguments: text },
    })),
  });
}
