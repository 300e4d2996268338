// Replies with a time for every piece, on each of the three wires, served on loopback: for what must happen while a reply still streams.
import { createServer, type ServerResponse } from "node:http";
import type { Params } from "../../src/protocol/messages.ts";

export const wires = ["openai-chat", "openai-responses", "anthropic"] as const;
export type Wire = (typeof wires)[number];

export interface TimedCall {
  readonly name: string;
  readonly params: Params;
  /** Milliseconds from the request to the call's last byte. */
  readonly at: number;
}

interface Piece {
  readonly at: number;
  readonly text: string;
  /** Calls, by their index, that are complete once this was read. */
  readonly completes?: readonly number[];
}

interface TimedServer {
  readonly baseUrl: string;
  /** Times by `performance.now()`: when each request came. */
  readonly requests: readonly number[];
  /** When the sign was sent that a call of the first reply is complete, by the call's index. */
  readonly signs: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

interface TimedOptions {
  /** Characters a millisecond at which arguments arrive before their time; absent: all at once. */
  readonly pace?: number | undefined;
  /** Called when the sign was sent that a call is complete; nothing more is sent before it has settled. */
  readonly sent?: (call: number) => void | Promise<void>;
}

/** Serves one reply of calls, and to every further request the answer “Done.”. */
export async function startTimed(
  wire: Wire,
  calls: readonly TimedCall[],
  { pace, sent = () => undefined }: TimedOptions = {},
): Promise<TimedServer> {
  const requests: number[] = [];
  const signs = new Map<number, number>();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      requests.push(performance.now());
      const pieces = requests.length === 1 ? writers[wire].calls(calls, pace) : writers[wire].answer();
      const sign = (call: number): void | Promise<void> => {
        signs.set(call, performance.now());
        return sent(call);
      };
      void play(pieces, response, sign);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}${wire === "anthropic" ? "" : "/v1"}`,
    requests,
    signs,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function play(
  pieces: readonly Piece[],
  response: ServerResponse,
  sent: (call: number) => void | Promise<void>,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const begun = performance.now();
  for (const { at, text, completes = [] } of pieces) {
    const left = begun + at - performance.now();
    if (left > 0) await new Promise((resolve) => void setTimeout(resolve, left));
    if (response.destroyed) return;
    response.write(text);
    for (const call of completes) await sent(call);
  }
  response.end();
}

interface Writer {
  calls(calls: readonly TimedCall[], pace: number | undefined): readonly Piece[];
  answer(): readonly Piece[];
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;

/** Arguments in pieces that arrive before `at`, the last of them then. */
function inPieces({ params, at }: TimedCall, pace: number | undefined): { at: number; text: string }[] {
  const json = JSON.stringify(params);
  if (pace === undefined) return [{ at, text: json }];
  const size = Math.max(1, Math.round(pace * 20));
  const parts = json.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
  return parts.map((text, index) => ({ at: at - (parts.length - 1 - index) * 20, text }));
}

const chat: Writer = {
  calls(calls, pace) {
    const delta = (value: Params, finish: string | null = null): string =>
      data({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: value, finish_reason: finish }] });
    const last = calls.at(-1)?.at ?? 0;
    return [
      ...calls.flatMap((call, index): Piece[] => {
        const pieces = inPieces(call, pace);
        const head = { index, id: `call_${index}`, type: "function", function: { name: call.name, arguments: "" } };
        return [
          // The next call is the sign that the one before it is complete (C-47).
          { at: pieces[0]?.at ?? 0, text: delta({ tool_calls: [head] }), completes: index > 0 ? [index - 1] : [] },
          ...pieces.map(({ at, text }) => ({
            at,
            text: delta({ tool_calls: [{ index, function: { arguments: text } }] }),
          })),
        ];
      }),
      { at: last, text: delta({}, "tool_calls"), completes: [calls.length - 1] },
      { at: last, text: "data: [DONE]\n\n" },
    ];
  },
  answer: () => [
    {
      at: 0,
      text: data({ id: "c", choices: [{ index: 0, delta: { content: "Done." }, finish_reason: "stop" }] }),
    },
    { at: 0, text: "data: [DONE]\n\n" },
  ],
};

const anthropic: Writer = {
  calls(calls, pace) {
    const last = calls.at(-1)?.at ?? 0;
    return [
      { at: 0, text: event(messageStart) },
      ...calls.flatMap((call, index): Piece[] => {
        const pieces = inPieces(call, pace);
        const block = { type: "tool_use", id: `toolu_${index}`, name: call.name, input: {} };
        return [
          {
            at: pieces[0]?.at ?? 0,
            text: event(typed("content_block_start", { index, content_block: block })),
          },
          ...pieces.map(({ at, text }) => ({
            at,
            text: event(
              typed("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: text } }),
            ),
          })),
          { at: call.at, text: event(typed("content_block_stop", { index })), completes: [index] },
        ];
      }),
      {
        at: last,
        text: event(typed("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } })),
      },
      { at: last, text: event({ type: "message_stop" }) },
    ];
  },
  answer: () => [
    { at: 0, text: event(messageStart) },
    { at: 0, text: event(typed("content_block_start", { index: 0, content_block: { type: "text", text: "" } })) },
    {
      at: 0,
      text: event(typed("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Done." } })),
    },
    { at: 0, text: event(typed("content_block_stop", { index: 0 })) },
    {
      at: 0,
      text: event(typed("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } })),
    },
    { at: 0, text: event({ type: "message_stop" }) },
  ],
};

const messageStart = typed("message_start", {
  message: {
    id: "msg",
    type: "message",
    role: "assistant",
    model: "test",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
});

function typed(type: string, rest: Params): { readonly type: string } {
  return { type, ...rest };
}

const responses: Writer = {
  calls(calls, pace) {
    const last = calls.at(-1)?.at ?? 0;
    const items = calls.map((call, index) => itemOf(call, index));
    return [
      { at: 0, text: event(typed("response.created", { response: { id: "r", output: [] } })) },
      ...calls.flatMap((call, index): Piece[] => {
        const pieces = inPieces(call, pace);
        const item = { ...items[index], arguments: "", status: "in_progress" };
        const about = { output_index: index, item_id: `fc_${index}` };
        return [
          {
            at: pieces[0]?.at ?? 0,
            text: event(typed("response.output_item.added", { output_index: index, item })),
          },
          ...pieces.map(({ at, text }) => ({
            at,
            text: event(typed("response.function_call_arguments.delta", { ...about, delta: text })),
          })),
          {
            at: call.at,
            text:
              event(
                typed("response.function_call_arguments.done", { ...about, arguments: JSON.stringify(call.params) }),
              ) + event(typed("response.output_item.done", { output_index: index, item: items[index] })),
            completes: [index],
          },
        ];
      }),
      { at: last, text: event(typed("response.completed", { response: completed(items) })) },
    ];
  },
  answer() {
    const text = { type: "output_text", text: "Done.", annotations: [] };
    const message = { type: "message", id: "m", role: "assistant", status: "completed", content: [text] };
    const about = { output_index: 0, item_id: "m", content_index: 0 };
    return [
      { at: 0, text: event(typed("response.created", { response: { id: "r", output: [] } })) },
      {
        at: 0,
        text: event(typed("response.output_item.added", { output_index: 0, item: { ...message, content: [] } })),
      },
      { at: 0, text: event(typed("response.output_text.delta", { ...about, delta: "Done." })) },
      { at: 0, text: event(typed("response.output_item.done", { output_index: 0, item: message })) },
      { at: 0, text: event(typed("response.completed", { response: completed([message]) })) },
    ];
  },
};

function itemOf({ name, params }: TimedCall, index: number): Params {
  const about = { type: "function_call", id: `fc_${index}`, call_id: `call_${index}`, status: "completed" };
  return { ...about, name, arguments: JSON.stringify(params) };
}

function completed(output: readonly unknown[]): Params {
  return { id: "r", status: "completed", output, usage: { input_tokens: 10, output_tokens: 9, total_tokens: 19 } };
}

const writers: Readonly<Record<Wire, Writer>> = { "openai-chat": chat, anthropic, "openai-responses": responses };
