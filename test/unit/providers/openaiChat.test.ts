// The model against a raw server on loopback, through the real library: what is sent, how bytes become events, how it ends.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Model, ModelEvent } from "../../../src/engine/ports.ts";
import { fakeClock, type FakeClock } from "../../support/kit.ts";
import { cutAt, frames, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistant, callDelta, chatAt, collect, delta, hello, slowly, summary, tool, toolNamed, user } from "./chat.ts";

const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
const answer = frames([delta({ content: "Hi" }), delta({}, "stop"), usage]);
const answered: readonly ModelEvent[] = [
  { type: "text", text: "Hi" },
  { type: "usage", usage: { input: 3, output: 2 } },
  { type: "finish", reason: "stop" },
];

describe("openaiChat", () => {
  let server: SseServer;
  afterEach(() => server.close());
  const serve = async (...scripts: readonly Script[]): Promise<void> => {
    server = await startSse(...scripts);
  };

  it("sends the conversation in the wire's shape, with no limit of tokens (C-44)", async () => {
    await serve({ parts: [answer] });
    const calls = [
      { id: "a", name: "f", arguments: '{"x":1}' },
      { id: "b", name: "g", arguments: '{"torn' },
    ];
    const messages = [
      user("Do it"),
      assistant("", calls),
      tool("a", "one"),
      tool("b", "two"),
      assistant(""),
      assistant("Done."),
    ];
    await collect(chatAt(server.baseUrl), { system: "Be short.", messages, tools: [toolNamed("f")] });
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(`${asked.method} ${asked.path}`, "POST /v1/chat/completions");
    assert.equal(asked.headers.authorization, "Bearer sk-secret");
    assert.deepEqual(JSON.parse(asked.body), {
      model: "m-1",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Do it" },
        {
          role: "assistant",
          tool_calls: [
            { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
            { id: "b", type: "function", function: { name: "g", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "one" },
        { role: "tool", tool_call_id: "b", content: "two" },
        { role: "assistant", content: "Done." },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            description: "Does f.",
            parameters: { type: "object", properties: { path: { type: "string" } } },
          },
        },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("leaves out tools when there are none, and a system message without words", async () => {
    await serve({ parts: [answer] });
    await collect(chatAt(server.baseUrl), { system: "", messages: [user("Hello")], tools: [] });
    const body: object = JSON.parse(server.asked[0]?.body ?? "");
    assert.deepEqual(Object.keys(body).toSorted(), ["messages", "model", "stream", "stream_options"]);
  });

  it("gives reasoning back to the server it came from, in the turn it belongs to, and to no other", async () => {
    await serve({ parts: [answer] });
    const { host } = new URL(server.baseUrl);
    const kept = (from: string, id: string) => ({
      providerData: { host: from, thinking: "why", extra: { [id]: { s: 1 } } },
    });
    const call = (id: string) => ({ id, name: "f", arguments: "{}" });
    const messages = [
      user("Old"),
      assistant("", [call("a")], kept(host, "a")),
      tool("a", "1"),
      user("New"),
      assistant("", [call("b")], kept(host, "b")),
      tool("b", "2"),
      assistant("", [call("c")], kept("elsewhere.example", "c")),
      tool("c", "3"),
    ];
    await collect(chatAt(server.baseUrl), { ...hello, messages });
    const sent: {
      messages: { role: string; reasoning_content?: string; tool_calls?: { extra_content?: object }[] }[];
    } = JSON.parse(server.asked[0]?.body ?? "");
    const turns = sent.messages.filter(({ role }) => role === "assistant");
    assert.deepEqual(
      turns.map((turn) => [turn.reasoning_content, turn.tool_calls?.[0]?.extra_content]),
      [
        [undefined, { s: 1 }],
        ["why", { s: 1 }],
        [undefined, undefined],
      ],
    );
  });

  it("uses nothing of the environment's OPENAI variables", async () => {
    await serve({ parts: [answer] });
    const ambient: Record<string, string> = {
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      OPENAI_API_KEY: "sk-ambient",
      OPENAI_ADMIN_KEY: "sk-admin",
      OPENAI_ORG_ID: "org-ambient",
      OPENAI_PROJECT_ID: "proj-ambient",
      OPENAI_CUSTOM_HEADERS: "x-ambient: yes",
    };
    const before = { ...process.env };
    Object.assign(process.env, ambient);
    try {
      assert.deepEqual(await collect(chatAt(server.baseUrl, { apiKey: "" })), answered);
    } finally {
      for (const name of Object.keys(ambient)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    const headers = server.asked[0]?.headers ?? {};
    assert.doesNotMatch(JSON.stringify(headers), /ambient|admin|stainless/);
    assert.equal(headers.authorization, "Bearer none");
  });

  it("reads the same from bytes cut anywhere, inside letters and line ends too", async () => {
    const text = "Grüße, 世界 👋";
    const chunks = [
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: "Überlegen 🤔" }),
      ...Array.from(text, (letter) => letter).map((content) => delta({ content })),
      callDelta([0, "a", "f", '{"path":"sr']),
      callDelta([0, undefined, undefined, 'c/ä.ts"}']),
      callDelta([1, "b", "g", ""]),
      delta({}, "tool_calls"),
      usage,
    ];
    const bytes = Buffer.from(`: comment\r\n\r\n${frames(chunks)}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (places) => {
        const one = await startSse({ parts: cutAt(bytes, places) });
        try {
          assert.deepEqual(summary(await collect(chatAt(one.baseUrl))), {
            text,
            thinking: "Überlegen 🤔",
            calls: [
              { name: "f", arguments: '{"path":"src/ä.ts"}' },
              { name: "g", arguments: "{}" },
            ],
            usage: { input: 3, output: 2 },
            end: { type: "finish", reason: "calls" },
          });
        } finally {
          await one.close();
        }
      }),
      { numRuns: 15 },
    );
    await serve({});
  });

  it("ends without a last event when it is aborted, and closes the connection", async () => {
    await serve({ parts: [frames([delta({ content: "Hi" })]).replace("data: [DONE]\n\n", "")], ending: "hang" });
    const stop = new AbortController();
    const got: ModelEvent[] = [];
    for await (const event of chatAt(server.baseUrl).stream(hello, stop.signal)) {
      got.push(event);
      stop.abort();
    }
    assert.deepEqual(got, [{ type: "text", text: "Hi" }]);
    await until(() => server.dropped() === 1);
  });

  it("says nothing when it is aborted before it began, or before an answer came", async () => {
    await serve({ ending: "hang" });
    assert.deepEqual(await collect(chatAt(server.baseUrl), hello, AbortSignal.abort()), []);
    assert.equal(server.asked.length, 0);
    const stop = new AbortController();
    const reply = collect(chatAt(server.baseUrl), hello, stop.signal);
    await until(() => server.asked.length === 1);
    stop.abort();
    assert.deepEqual(await reply, []);
  });

  it("closes the connection when its reader leaves", async () => {
    await serve({ parts: [`data: ${JSON.stringify(delta({ content: "Hi" }))}\n\n`], ending: "hang" });
    for await (const event of chatAt(server.baseUrl).stream(hello, new AbortController().signal)) {
      assert.equal(event.type, "text");
      break;
    }
    await until(() => server.dropped() === 1);
  });

  for (const ending of ["end", "reset"] as const)
    it(`says that the reply broke off when the server makes a ${ending} in its middle`, async () => {
      await serve({ parts: [`data: ${JSON.stringify(delta({ content: "Hi" }))}\n\n`], ending });
      const got = await collect(chatAt(server.baseUrl));
      const last = got.at(-1);
      assert.equal(got.length, 2);
      assert.ok(last?.type === "error" && last.retryable);
      assert.equal(last.failure.code, "reply_malformed");
      assert.match(last.failure.message, /^127\.0\.0\.1:\d+ broke off/);
    });

  it("BRAIN-EXEC-13 says that the reply stalled after the idle time, with the text before it", async () => {
    await serve({ parts: [`data: ${JSON.stringify(delta({ content: "Hi" }))}\n\n`], ending: "hang" });
    const clock = fakeClock();
    const got: ModelEvent[] = [];
    for await (const event of chatAt(server.baseUrl, { clock, idleTimeout: 60_000 }).stream(
      hello,
      new AbortController().signal,
    )) {
      got.push(event);
      // After the text is read, silence begins.
      if (event.type === "text") setImmediate(() => void pass(clock));
    }
    const last = got.at(-1);
    assert.equal(got.length, 2);
    assert.ok(last?.type === "error" && last.retryable);
    assert.equal(last.failure.code, "reply_stalled");
    assert.match(last.failure.message, /sent nothing for 60 seconds/);
    await until(() => server.dropped() === 1);
  });

  it("counts the silence before the first byte as well", async () => {
    await serve({ ending: "hang" });
    const got = await collect(chatAt(server.baseUrl, { idleTimeout: 150 }));
    assert.deepEqual(
      got.map(({ type }) => type),
      ["error"],
    );
  });

  it("waits as long as it takes for a server at home to begin, and not longer than else once it has", async () => {
    const first = `data: ${JSON.stringify(delta({ content: "Hi" }))}\n\n`;
    await serve({ parts: [": nothing yet\n\n", first], pause: 50, ending: "hang" });
    const clock = fakeClock();
    const reply = chatAt(server.baseUrl, { clock, idleTimeout: 60_000, patient: true });
    // An hour goes by with every turn of the event loop until the first word is there.
    const over = new AbortController();
    const passing = (async () => {
      while (!over.signal.aborted) await clock.advance(3_600_000);
    })();
    const got = await collect(reply);
    over.abort();
    await passing;
    assert.deepEqual(
      got.map((event) => (event.type === "error" ? event.failure.code : event.type)),
      ["text", "reply_stalled"],
    );
  });

  for (const [what, parts, types, seconds] of [
    ["nothing", [], ["reply_stalled"], 270],
    ["nothing that anybody sees", [delta({ role: "assistant", content: "" })], ["reply_stalled"], 270],
    ["a word", [delta({ content: "Hi" })], ["text", "reply_stalled"], 60],
  ] as const)
    it(`waits ${seconds} seconds for a model that may be thinking and has shown ${what}`, async () => {
      const chunks = parts.map((part) => `data: ${JSON.stringify(part)}\n\n`);
      await serve({ parts: [": ping\n\n", ...chunks], ending: "hang" });
      const clock = fakeClock();
      const model = chatAt(server.baseUrl, { clock, idleTimeout: 60_000, thinkTimeout: 270_000 });
      const got = await whileTimePasses(model, clock, types.length > 1);
      assert.deepEqual(
        got.map((event) => (event.type === "error" ? event.failure.code : event.type)),
        types,
      );
      const last = got.at(-1);
      assert.ok(last?.type === "error");
      assert.match(last.failure.message, new RegExp(`nothing for ${seconds} seconds`));
    });

  it("does not call a reply stalled that only sends comments, or whose reader takes its time", async () => {
    const pings = Array.from({ length: 25 }, () => ": ping\n\n");
    await serve({ parts: [...pings, answer], pause: 100 });
    const got: ModelEvent[] = [];
    for await (const event of chatAt(server.baseUrl, { idleTimeout: 2_000 }).stream(
      hello,
      new AbortController().signal,
    )) {
      got.push(event);
      if (event.type === "text") await new Promise((resolve) => setTimeout(resolve, 2_500));
    }
    assert.deepEqual(got, answered);
  });

  for (const [what, parts, ending] of [
    ["hangs", [], "hang"],
    ["goes on with comments", Array.from({ length: 60 }, () => ": ping\n\n"), "hang"],
    ["is cut", [], "reset"],
  ] as const)
    it(`takes a reply for whole that has said how it ended, though the connection ${what} behind it`, async () => {
      await serve({ parts: [answer.replace("data: [DONE]\n\n", ""), ...parts], pause: 5, ending });
      const clock = fakeClock();
      const got = await whileTimePasses(chatAt(server.baseUrl, { clock, idleTimeout: 60_000 }), clock, true);
      assert.deepEqual(got, answered);
    });

  it("takes it for whole, too, though chunks without anything follow for as long as it is listened to", async () => {
    await serve({});
    const clock = fakeClock();
    const chunks = [answer.replace("data: [DONE]\n\n", ""), ...Array<string>(99).fill('data: {"choices":[]}\n\n')];
    const send = slowly(chunks, clock, 4_000);
    assert.deepEqual(await collect(chatAt(server.baseUrl, { clock, idleTimeout: 60_000, fetch: send })), answered);
  });

  it("reads a stream whose server gives it another type, and CRLF line ends", async () => {
    await serve({ headers: { "content-type": "text/plain" }, parts: [answer.replaceAll("\n", "\r\n")] });
    assert.deepEqual(await collect(chatAt(server.baseUrl)), answered);
  });

  for (const [what, script] of Object.entries<Script>({
    "one JSON text": {
      headers: { "content-type": "application/json" },
      parts: ['{"error":{"message":"no streaming"}}'],
    },
    "something else": { headers: { "content-type": "text/plain" }, parts: ["hello there\n\n"] },
    "broken JSON": { parts: ["data: {oops\n\n"] },
    "an event that is no chunk": { parts: ['data: {"choices":[null]}\n\n'] },
  }))
    it(`says that the reply cannot be read when it is ${what}`, async () => {
      await serve(script);
      const got = await collect(chatAt(server.baseUrl));
      const [last] = got;
      assert.equal(got.length, 1);
      assert.ok(last?.type === "error");
      assert.equal(last.failure.code, "reply_malformed");
      assert.match(last.failure.message, /^127\.0\.0\.1:\d+ /);
    });
});

/** Lets the fake time pass until nothing waits for it. */
async function pass(clock: FakeClock): Promise<void> {
  for (let i = 0; i < 3; i += 1) await clock.advance(60_000);
}

/** Gathers a reply while the fake time goes on, a second with each turn of the event loop; from its first word on, where one is to come. */
async function whileTimePasses(model: Model, clock: FakeClock, hasWord: boolean): Promise<ModelEvent[]> {
  const over = new AbortController();
  const go = async (): Promise<void> => {
    while (!over.signal.aborted) await clock.advance(1_000);
  };
  let passing = hasWord ? Promise.resolve() : go();
  const got: ModelEvent[] = [];
  for await (const event of model.stream(hello, new AbortController().signal)) {
    got.push(event);
    if (event.type === "text") passing = go();
  }
  over.abort();
  await passing;
  return got;
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}
