// What servers do to streams, on every wire, byte by byte over loopback and through the real libraries.
import assert from "node:assert/strict";
import type { Model, ModelEvent } from "../../../src/engine/ports.ts";
import { cutAt, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { callDelta, chatAt, collect, delta, summary } from "./chat.ts";
import { messagesAt } from "./messages.ts";
import { added, argumentsDelta, completed, done, message, responsesAt, textDelta } from "./responses.ts";

interface Call {
  readonly id: string;
  readonly pieces: readonly string[];
}

interface Wire {
  readonly at: (url: string) => Model;
  readonly text: (words: string) => readonly object[];
  /** Calls of `f`, each at its own index, or all at index 0. */
  readonly calls: (list: readonly Call[], reuse?: boolean) => readonly object[];
  readonly end: (calls: boolean) => readonly object[];
  readonly noise: readonly string[];
  /** A call of which only a part has come. */
  readonly half: readonly object[];
  readonly error: (type: string, words: string) => object;
}

const frame = (event: object): string => {
  const type = "type" in event ? `event: ${String(event.type)}\n` : "";
  return `${type}data: ${JSON.stringify(event)}\n\n`;
};

const block = (index: number, content_block: object): object => ({ type: "content_block_start", index, content_block });
const grows = (index: number, partial_json: string): object => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});

const item = ({ id, pieces }: Call, ended: boolean): object => ({
  type: "function_call",
  ...(id !== "" && { id: `fc_${id}`, call_id: id }),
  name: "f",
  arguments: ended ? pieces.join("") : "",
  status: ended ? "completed" : "in_progress",
});

const wires: Readonly<Record<string, Wire>> = {
  "Chat Completions": {
    at: chatAt,
    text: (content) => [delta({ content })],
    calls: (list, reuse = false) =>
      list.flatMap(({ id, pieces }, place) => {
        const index = reuse ? 0 : place;
        const first = callDelta([index, id === "" ? undefined : id, "f", ""]);
        return [first, ...pieces.map((piece) => callDelta([index, undefined, undefined, piece]))];
      }),
    end: (calls) => [delta({}, calls ? "tool_calls" : "stop")],
    noise: [": ping\n\n", 'data: {"object":"unknown","choices":[]}\n\n', "event: keepalive\ndata: {}\n\n"],
    half: [callDelta([0, "h", "f", '{"x":'])],
    error: (type, words) => ({ error: { type, message: words } }),
  },
  Responses: {
    at: responsesAt,
    text: (words) => [added(0, message("m", "")), textDelta(["m", 0], words), done(0, message("m", words))],
    calls: (list, reuse = false) =>
      list.flatMap((call, place) => {
        const index = reuse ? 0 : place + 1;
        const at = [call.id === "" ? "" : `fc_${call.id}`, index] as const;
        const pieces = call.pieces.map((piece) => argumentsDelta(at, piece));
        return [added(index, item(call, false)), ...pieces, done(index, item(call, true))];
      }),
    end: () => [completed()],
    noise: [": ping\n\n", frame({ type: "response.from.the.future", item: { type: "?" } }), frame({ type: "ping" })],
    half: [added(1, item({ id: "h", pieces: [] }, false)), argumentsDelta(["fc_h", 1], '{"x":')],
    error: (code, words) => ({ type: "error", code, message: words }),
  },
  "Anthropic Messages": {
    at: messagesAt,
    text: (text) => [
      block(0, { type: "text", text: "" }),
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
    ],
    calls: (list, reuse = false) =>
      list.flatMap(({ id, pieces }, place) => {
        const index = reuse ? 0 : place + 1;
        const begin = block(index, { type: "tool_use", ...(id !== "" && { id }), name: "f", input: {} });
        return [begin, ...pieces.map((piece) => grows(index, piece)), { type: "content_block_stop", index }];
      }),
    end: (calls) => [
      { type: "message_delta", delta: { stop_reason: calls ? "tool_use" : "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ],
    noise: [": ping\n\n", frame({ type: "ping" }), frame({ type: "thought_of_tomorrow", index: 9 })],
    half: [block(1, { type: "tool_use", id: "h", name: "f", input: {} }), grows(1, '{"x":')],
    error: (type, words) => ({ type: "error", error: { type, message: words } }),
  },
};

for (const [name, wire] of Object.entries(wires))
  describe(`the stream of ${name}`, () => {
    let server: SseServer | undefined;
    afterEach(async () => {
      await server?.close();
      server = undefined;
    });
    const read = async (...parts: readonly (string | Uint8Array)[]): Promise<ModelEvent[]> => {
      const script: Script = { parts };
      server = await startSse(script);
      return collect(wire.at(server.baseUrl));
    };
    const bytesOf = (...events: readonly object[]): string => events.map(frame).join("");
    const ids = (events: readonly ModelEvent[]): string[] =>
      events.flatMap((event) => (event.type === "call" ? [event.call.id] : []));
    const two = [
      { id: "a", pieces: ['{"x', '":1}'] },
      { id: "b", pieces: ['{"x":2}'] },
    ];
    const both = [
      { name: "f", arguments: '{"x":1}' },
      { name: "f", arguments: '{"x":2}' },
    ];
    const last = (events: readonly ModelEvent[]): unknown => {
      const end = events.at(-1);
      return end?.type === "error" ? [end.failure.code, end.retryable] : end;
    };

    it("PROMPTY-9.3-1 reads the same cut at every single byte, between letters of more than one too", async () => {
      const bytes = Buffer.from(bytesOf(...wire.text("Grüße 🤖"), ...wire.calls(two), ...wire.end(true)));
      const events = await read(...cutAt(bytes, [...bytes.keys()]));
      assert.partialDeepStrictEqual(summary(events), {
        text: "Grüße 🤖",
        calls: both,
        end: { type: "finish", reason: "calls" },
      });
    });

    it("PROMPTY-8-3 does not mind comments, pings and events that it does not know, between any two", async () => {
      const events = [...wire.text("Hi"), ...wire.calls(two), ...wire.end(true)];
      const noisy = await read(...events.map((event) => wire.noise.join("") + frame(event)));
      assert.partialDeepStrictEqual(summary(noisy), { text: "Hi", calls: both });
    });

    it("PROMPTY-8-3 keeps calls apart that all have the index 0, and makes up ids that are missing", async () => {
      const reused = await read(bytesOf(...wire.calls(two, true), ...wire.end(true)));
      assert.deepEqual(summary(reused).calls, both);
      assert.deepEqual(ids(reused), ["a", "b"]);
      await server?.close();
      const nameless = await read(bytesOf(...wire.calls(two.map((call) => ({ ...call, id: "" }))), ...wire.end(true)));
      assert.deepEqual(summary(nameless).calls, both);
      assert.equal(new Set(ids(nameless)).size, 2);
      assert.ok(ids(nameless).every((id) => id !== ""));
    });

    it("PROMPTY-9.2-9 takes empty arguments for none", async () => {
      const events = await read(
        bytesOf(
          ...wire.calls([
            { id: "a", pieces: [] },
            { id: "b", pieces: [""] },
          ]),
          ...wire.end(true),
        ),
      );
      assert.deepEqual(summary(events).calls, [
        { name: "f", arguments: "{}" },
        { name: "f", arguments: "{}" },
      ]);
    });

    it("PROMPTY-9.3-5 says that the reply broke off at a clean end without a finish, and gives no half call", async () => {
      const torn = frame({ type: "response.completed" }).slice(0, 20);
      for (const tail of ["", torn]) {
        const events = await read(bytesOf(...wire.text("Hi"), ...wire.half) + tail);
        assert.equal(summary(events).text, "Hi");
        assert.deepEqual(summary(events).calls, []);
        assert.deepEqual(last(events), ["reply_malformed", true]);
        await server?.close();
      }
    });

    for (const [type, code, retryable] of [
      ["overloaded_error", "provider_failed", true],
      ["rate_limit_exceeded", "rate_limited", true],
      ["authentication_error", "key_rejected", false],
      ["insufficient_quota", "quota_exhausted", false],
    ] as const)
      it(`PROMPTY-8-4 reads ${type} inside a 200 as ${code}, first or in the middle`, async () => {
        const error = frame(wire.error(type, "So it is."));
        assert.deepEqual(last(await read(error)), [code, retryable]);
        await server?.close();
        const late = await read(bytesOf(...wire.text("Hi")) + error + bytesOf(...wire.end(false)));
        assert.equal(summary(late).text, "Hi");
        assert.deepEqual(last(late), [code, retryable]);
      });
  });
