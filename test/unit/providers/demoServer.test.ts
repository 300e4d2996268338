// The demo's endpoint as any client would see it: its routes, the shape of its chunks, its pace and its end.
import assert from "node:assert/strict";
import * as z from "zod";
import { listModels } from "../../../src/providers/listModels.ts";
import { startDemo, type Demo } from "../../../src/providers/demo/server.ts";
import { chatAt, collect, summary } from "./chat.ts";

const Chunk = z.strictObject({
  id: z.string().startsWith("chatcmpl-"),
  object: z.literal("chat.completion.chunk"),
  created: z.number().int(),
  model: z.literal("demo"),
  choices: z.array(
    z.strictObject({
      index: z.literal(0),
      delta: z.strictObject({
        role: z.literal("assistant").optional(),
        content: z.string().optional(),
        tool_calls: z
          .array(
            z.strictObject({
              index: z.number().int(),
              id: z.string().optional(),
              type: z.literal("function").optional(),
              function: z.strictObject({ name: z.string().optional(), arguments: z.string() }),
            }),
          )
          .length(1)
          .optional(),
      }),
      finish_reason: z.enum(["stop", "tool_calls"]).nullable(),
    }),
  ),
  usage: z.strictObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }).optional(),
});

const ask = { model: "demo", stream: true, stream_options: { include_usage: true } };
const tools = ["read_file", "run_command"].map((name) => ({ type: "function", function: { name } }));

describe("the demo's endpoint", () => {
  let demo: Demo;
  before(async () => {
    demo = await startDemo({ pace: 0 });
  });
  after(() => demo.close());

  const post = (body: unknown): Promise<Response> =>
    fetch(`${demo.baseUrl}/chat/completions`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  async function chunksFor(body: object): Promise<z.infer<typeof Chunk>[]> {
    const response = await post(body);
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    const events = (await response.text()).split("\n\n");
    assert.deepEqual(events.slice(-2), ["data: [DONE]", ""]);
    return events.slice(0, -2).map((event) => Chunk.parse(JSON.parse(event.slice("data: ".length))));
  }

  it("listens on loopback only and lists one model", async () => {
    assert.match(demo.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    assert.deepEqual(await listModels({ baseUrl: demo.baseUrl, apiKey: "" }, new AbortController().signal), ["demo"]);
  });

  for (const content of ["Hello", "Fix the failing test"])
    it(`streams valid chunks in small pieces for “${content}”`, async () => {
      const chunks = await chunksFor({ ...ask, messages: [{ role: "user", content }], tools });
      assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
      const choices = chunks.flatMap(({ choices }) => choices);
      assert.equal(choices[0]?.delta.role, "assistant");
      const pieces = choices.map(({ delta }) => delta.content ?? "");
      assert.ok(
        pieces.every((piece) => piece.trim().split(/\s+/).length <= 3),
        "a few words at a time",
      );
      assert.equal(choices.filter(({ finish_reason }) => finish_reason !== null).length, 1);
      assert.deepEqual(chunks.at(-1)?.choices, []);
      assert.ok((chunks.at(-1)?.usage?.completion_tokens ?? 0) > 0);
    });

  it("gives every call an id of its own, and its arguments in pieces", async () => {
    const chunks = await chunksFor({ ...ask, messages: [{ role: "user", content: "Fix it" }], tools });
    const pieces = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    const ids = pieces.flatMap(({ id }) => id ?? []);
    assert.equal(ids.length, 3);
    assert.equal(new Set(ids).size, 3);
    const texts = [0, 1, 2].map((index) =>
      pieces.map((piece) => (piece.index === index ? piece.function.arguments : "")).join(""),
    );
    assert.deepEqual(
      texts.map((text): unknown => JSON.parse(text)),
      [{ path: "test/cart.test.js" }, { path: "src/cart.js" }, { path: "src/price.js" }],
    );
  });

  it("gives no usage when it was not asked for, and takes content in parts", async () => {
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "Hel" },
          { type: "text", text: "lo" },
        ],
      },
    ];
    const chunks = await chunksFor({ model: "demo", stream: true, messages });
    assert.ok(chunks.every(({ usage }) => usage === undefined));
  });

  for (const [what, body] of Object.entries({
    "no JSON": "{",
    "no messages": ask,
    "a request without streaming": { model: "demo", messages: [] },
  }))
    it(`refuses ${what} with a sentence`, async () => {
      const response = await post(body);
      assert.equal(response.status, 400);
      const { error } = z.object({ error: z.object({ message: z.string().min(5) }) }).parse(await response.json());
      assert.ok(error);
    });

  it("knows no other route", async () => {
    assert.equal((await fetch(`${demo.baseUrl}/other`)).status, 404);
  });

  it("takes its time as a person reads, and ends at once when it is closed", async () => {
    const slow = await startDemo({ pace: 20 });
    const begun = Date.now();
    const reply = collect(chatAt(slow.baseUrl));
    assert.match(summary(await reply).text, /demo/);
    assert.ok(Date.now() - begun > 200, "the pieces are spread over time");
    const cut = collect(chatAt(slow.baseUrl));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await slow.close();
    assert.equal((await cut).at(-1)?.type, "error");
  });
});
