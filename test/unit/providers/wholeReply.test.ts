// Servers that do not stream although they are asked to: their whole answers are read all the same.
import assert from "node:assert/strict";
import type { Clock, Model } from "../../../src/engine/ports.ts";
import { fakeClock } from "../../support/kit.ts";
import { startSse, type SseServer } from "../../support/sse.ts";
import { chatAt, collect, slowly } from "./chat.ts";
import { messagesAt } from "./messages.ts";
import { responsesAt } from "./responses.ts";

interface Sending {
  readonly clock: Clock;
  readonly idleTimeout: number;
  readonly fetch: typeof fetch;
}

const city = '{"city":"Paris"}';
const words = "Let me see.";

const answers: Readonly<
  Record<string, { readonly at: (url: string, more?: Sending) => Model; readonly body: object }>
> = {
  "Chat Completions": {
    at: chatAt,
    body: {
      choices: [
        {
          message: {
            content: words,
            tool_calls: [
              { id: "a", type: "function", function: { name: "f", arguments: city } },
              { id: "b", type: "function", function: { name: "f", arguments: "" } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 5 },
    },
  },
  Responses: {
    at: responsesAt,
    body: {
      status: "completed",
      output: [
        { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: words }] },
        { type: "function_call", id: "fa", call_id: "a", name: "f", arguments: city, status: "completed" },
        { type: "function_call", id: "fb", call_id: "b", name: "f", arguments: "", status: "completed" },
      ],
      usage: { input_tokens: 7, output_tokens: 5 },
    },
  },
  "Anthropic Messages": {
    at: messagesAt,
    body: {
      type: "message",
      content: [
        { type: "text", text: words },
        { type: "tool_use", id: "a", name: "f", input: { city: "Paris" } },
        { type: "tool_use", id: "b", name: "f", input: {} },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 7, output_tokens: 5 },
    },
  },
};

describe("an answer that comes whole", () => {
  let server: SseServer | undefined;
  afterEach(() => server?.close());

  for (const [wire, { at, body }] of Object.entries(answers))
    it(`PROMPTY-8-2 reads as the same answer streamed would: ${wire}`, async () => {
      const headers = { "content-type": "application/json; charset=utf-8" };
      server = await startSse({ headers, parts: [JSON.stringify(body)] });
      const events = await collect(at(server.baseUrl));
      assert.deepEqual(
        events.filter(({ type }) => type !== "provider" && type !== "call:delta"),
        [
          { type: "text", text: words },
          { type: "call:start", id: "a", name: "f" },
          { type: "call", call: { id: "a", name: "f", arguments: city } },
          { type: "call:start", id: "b", name: "f" },
          { type: "call", call: { id: "b", name: "f", arguments: "{}" } },
          { type: "usage", usage: { input: 7, output: 5 } },
          { type: "finish", reason: "calls" },
        ],
      );
    });

  for (const [wire, { at, body }] of Object.entries(answers))
    it(`is no silence while spaces before it keep the connection open: ${wire}`, async () => {
      const clock = fakeClock();
      const parts = [" ", " ", " ", " ", JSON.stringify(body)];
      const send = slowly(parts, clock, 30_000, "application/json");
      const events = await collect(at("http://127.0.0.1:9/v1", { clock, idleTimeout: 60_000, fetch: send }));
      assert.equal(events.at(-1)?.type, "finish");
    });
});
