// The model against a raw server on loopback, through the real library: what is sent, how bytes become events, how it ends.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { retrying } from "../../../src/providers/retrying.ts";
import { fakeClock, type FakeClock } from "../../support/kit.ts";
import { cutAt, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistantOf, collect, hello, realClock, summary, tool, toolNamed, user } from "./chat.ts";
import {
  added,
  argumentsDelta,
  argumentsDone,
  callItem,
  completed,
  done,
  eventFrames,
  message,
  reasoning,
  responsesAt,
  summaryDelta,
  textDelta,
} from "./responses.ts";

const hi = eventFrames([textDelta(["m", 0], "Hi")]);
const answer = hi + eventFrames([done(0, message("m", "Hi")), completed([message("m", "Hi")])]);
const answered: readonly ModelEvent[] = [
  { type: "text", text: "Hi" },
  { type: "usage", usage: { input: 10, output: 5, cached: 4, reasoning: 2 } },
  { type: "finish", reason: "stop" },
];
const json = { "content-type": "application/json" };
const refusal = (status: number, text: string): Script => ({
  status,
  headers: json,
  parts: [JSON.stringify({ error: { message: text, type: "invalid_request_error", param: "input", code: null } })],
});

describe("openaiResponses", () => {
  let server: SseServer;
  afterEach(() => server.close());
  const serve = async (...scripts: readonly Script[]): Promise<void> => {
    server = await startSse(...scripts);
  };
  const sent = (index: number): { input: Record<string, unknown>[]; include?: string[] } =>
    JSON.parse(server.asked[index]?.body ?? "{}");

  it("posts the request with the key, and nothing of the environment's OPENAI variables", async () => {
    await serve({ parts: [answer] });
    const ambient: Record<string, string> = {
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      OPENAI_API_KEY: "sk-ambient",
      OPENAI_ORG_ID: "org-ambient",
      OPENAI_CUSTOM_HEADERS: "x-ambient: yes",
    };
    const before = { ...process.env };
    Object.assign(process.env, ambient);
    try {
      assert.deepEqual(await collect(responsesAt(server.baseUrl), { ...hello, tools: [toolNamed("f")] }), answered);
    } finally {
      for (const name of Object.keys(ambient)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(`${asked.method} ${asked.path}`, "POST /v1/responses");
    assert.equal(asked.headers.authorization, "Bearer sk-secret");
    assert.doesNotMatch(JSON.stringify(asked.headers), /ambient|stainless/);
    assert.partialDeepStrictEqual(JSON.parse(asked.body), {
      model: "m-1",
      stream: true,
      store: false,
      tools: [{ name: "f" }],
    });
  });

  it("PROMPTY-9.4-5 plays a round of calls: what the server wrote comes back to it before the results", async () => {
    const why = reasoning("r", "secret", "Why");
    const item = callItem("a", "f", '{"x":1}');
    await serve(
      { parts: [eventFrames([done(0, why), added(1, item), done(1, item), completed([why, item])])] },
      { parts: [answer] },
    );
    const model = responsesAt(server.baseUrl);
    const first = await collect(model);
    assert.deepEqual(first.at(-1), { type: "finish", reason: "calls" });
    await collect(model, { ...hello, messages: [user("Hello"), assistantOf(first), tool("a", "21")] });
    assert.deepEqual(sent(1).input, [
      { role: "user", content: "Hello" },
      why,
      { type: "function_call", id: "fc_a", call_id: "a", name: "f", arguments: '{"x":1}' },
      { type: "function_call_output", call_id: "a", output: "21" },
    ]);
  });

  it("gives a call while the reply is still being written", async () => {
    const before = [
      added(0, callItem("a", "f", "")),
      argumentsDelta(["fc_a", 0], '{"x":1}'),
      argumentsDone(["fc_a", 0], '{"x":1}'),
    ];
    await serve({ parts: [eventFrames([...before, done(0, callItem("a", "f", '{"x":1}'))])], ending: "hang" });
    const stop = new AbortController();
    const got: ModelEvent[] = [];
    for await (const event of responsesAt(server.baseUrl).stream(hello, stop.signal)) {
      got.push(event);
      if (event.type === "call") stop.abort();
    }
    assert.deepEqual(
      got.map(({ type }) => type),
      ["call:start", "call:delta", "call"],
    );
  });

  it("reads the same from bytes cut anywhere, inside letters and line ends too", async () => {
    const text = "Grüße, 世界 👋";
    const events = [
      added(0, reasoning("r", "")),
      summaryDelta(["r", 0], 0, "Überlegen 🤔"),
      done(0, reasoning("r", "secret", "Überlegen 🤔")),
      ...Array.from(text, (letter) => textDelta(["m", 1], letter)),
      done(1, message("m", text)),
      added(2, callItem("a", "f", "")),
      argumentsDelta(["fc_a", 2], '{"path":"sr'),
      argumentsDelta(["fc_a", 2], 'c/ä.ts"}'),
      argumentsDone(["fc_a", 2], '{"path":"src/ä.ts"}'),
      done(2, callItem("a", "f", '{"path":"src/ä.ts"}')),
      done(3, callItem("b", "g", "")),
      completed(),
    ];
    const bytes = Buffer.from(`: comment\r\n\r\n${eventFrames(events)}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (places) => {
        const one = await startSse({ parts: cutAt(bytes, places) });
        try {
          assert.deepEqual(summary(await collect(responsesAt(one.baseUrl))), {
            text,
            thinking: "Überlegen 🤔",
            calls: [
              { name: "f", arguments: '{"path":"src/ä.ts"}' },
              { name: "g", arguments: "{}" },
            ],
            usage: { input: 10, output: 5, cached: 4, reasoning: 2 },
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
    await serve({ parts: [hi], ending: "hang" });
    const stop = new AbortController();
    const got: ModelEvent[] = [];
    for await (const event of responsesAt(server.baseUrl).stream(hello, stop.signal)) {
      got.push(event);
      stop.abort();
    }
    assert.deepEqual(got, [{ type: "text", text: "Hi" }]);
    await until(() => server.dropped() === 1);
  });

  it("says nothing when it is aborted before it began, or before an answer came", async () => {
    await serve({ ending: "hang" });
    assert.deepEqual(await collect(responsesAt(server.baseUrl), hello, AbortSignal.abort()), []);
    assert.equal(server.asked.length, 0);
    const stop = new AbortController();
    const reply = collect(responsesAt(server.baseUrl), hello, stop.signal);
    await until(() => server.asked.length === 1);
    stop.abort();
    assert.deepEqual(await reply, []);
  });

  it("closes the connection when its reader leaves", async () => {
    await serve({ parts: [hi], ending: "hang" });
    for await (const event of responsesAt(server.baseUrl).stream(hello, new AbortController().signal)) {
      assert.equal(event.type, "text");
      break;
    }
    await until(() => server.dropped() === 1);
  });

  it("leaves the connection whole when the server ends it a little after the reply", async () => {
    await serve({ parts: [answer, ": bye\n\n", "data: [DONE]\n\n"], pause: 50 });
    assert.deepEqual(await collect(responsesAt(server.baseUrl)), answered);
    assert.equal(server.dropped(), 0);
  });

  for (const ending of ["hang", "reset"] as const)
    it(`is complete with the reply's last event, even when the server then makes a ${ending}`, async () => {
      await serve({ parts: [answer], ending });
      assert.deepEqual(await collect(responsesAt(server.baseUrl)), answered);
      await until(() => server.dropped() === 1);
    });

  for (const ending of ["end", "reset"] as const)
    it(`says that the reply broke off when the server makes a ${ending} in its middle`, async () => {
      await serve({ parts: [hi], ending });
      const got = await collect(responsesAt(server.baseUrl));
      assert.equal(got.length, 2);
      const last = got.at(-1);
      assert.ok(last?.type === "error" && last.retryable);
      assert.equal(last.failure.code, "reply_malformed");
      assert.match(last.failure.message, /^127\.0\.0\.1:\d+ broke off/);
    });

  it("keeps the reasoning of a call that was given out before the connection was lost (C-45)", async () => {
    const before = [done(0, reasoning("r", "secret")), done(1, callItem("a", "f", "{}"))];
    await serve({ parts: [eventFrames(before)], ending: "reset" });
    const got = await collect(responsesAt(server.baseUrl));
    assert.deepEqual(
      got.map(({ type }) => type),
      ["call:start", "call", "provider", "error"],
    );
  });

  it("BRAIN-EXEC-13 says that the reply stalled after the idle time, with the text before it", async () => {
    await serve({ parts: [hi], ending: "hang" });
    const clock = fakeClock();
    const got: ModelEvent[] = [];
    for await (const event of responsesAt(server.baseUrl, { clock, idleTimeout: 60_000 }).stream(
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
    const got = await collect(responsesAt(server.baseUrl, { idleTimeout: 150 }));
    assert.deepEqual(
      got.map(({ type }) => type),
      ["error"],
    );
  });

  it("does not call a reply stalled that only sends comments, or whose reader takes its time", async () => {
    const pings = Array.from({ length: 25 }, () => ": ping\n\n");
    await serve({ parts: [...pings, answer], pause: 100 });
    const got: ModelEvent[] = [];
    for await (const event of responsesAt(server.baseUrl, { idleTimeout: 2_000 }).stream(
      hello,
      new AbortController().signal,
    )) {
      got.push(event);
      if (event.type === "text") await new Promise((resolve) => setTimeout(resolve, 2_500));
    }
    assert.deepEqual(got, answered);
  });

  it("reads a stream whose server gives it another type, no names of events, and CRLF line ends", async () => {
    const unnamed = answer.replaceAll(/^event: .*\n/gm, "").replaceAll("\n", "\r\n");
    await serve({ headers: { "content-type": "text/plain" }, parts: [unnamed] });
    assert.deepEqual(await collect(responsesAt(server.baseUrl)), answered);
  });

  for (const [what, script] of Object.entries<Script>({
    "one JSON text": { headers: json, parts: ['{"error":{"message":"no streaming"}}'] },
    "something else": { headers: { "content-type": "text/plain" }, parts: ["hello there\n\n"] },
    "broken JSON": { parts: ["data: {oops\n\n"] },
    "a Chat Completions stream": {
      parts: ['data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'],
    },
  }))
    it(`says that the reply cannot be read when it is ${what}`, async () => {
      await serve(script);
      const got = await collect(responsesAt(server.baseUrl));
      const [last] = got;
      assert.equal(got.length, 1);
      assert.ok(last?.type === "error");
      assert.equal(last.failure.code, "reply_malformed");
      assert.match(last.failure.message, /^127\.0\.0\.1:\d+ /);
    });
});

describe("openaiResponses refused and failing", () => {
  let server: SseServer;
  afterEach(() => server.close());
  const serve = async (...scripts: readonly Script[]): Promise<void> => {
    server = await startSse(...scripts);
  };

  for (const [status, code, retryable] of [
    [400, "request_refused", false],
    [401, "key_rejected", false],
    [404, "model_not_found", false],
    [429, "rate_limited", true],
    [500, "provider_failed", true],
  ] as const)
    it(`says ${code} for ${status}, without the key, and asks once`, async () => {
      await serve(refusal(status, "Not with sk-secret"));
      const got = await collect(responsesAt(server.baseUrl));
      const [last] = got;
      assert.equal(got.length, 1);
      assert.ok(last?.type === "error");
      assert.deepEqual([last.failure.code, last.retryable], [code, retryable]);
      assert.doesNotMatch(JSON.stringify(got), /sk-secret/);
      assert.equal(server.asked.length, 1);
    });

  for (const frame of [
    'event: error\ndata: {"type":"error","code":"rate_limit_exceeded","message":"Slow, sk-secret","param":null}\n\n',
    'data: {"type":"error","code":"rate_limit_exceeded","message":"Slow, sk-secret","param":null}\n\n',
    'data: {"type":"error","error":{"code":429,"message":"Slow, sk-secret"}}\n\n',
    'event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow, sk-secret"}}}\n\n',
  ])
    it(`reads an error in the stream: ${frame.replaceAll("\n", " ").slice(0, 60)}…`, async () => {
      await serve({ parts: [frame] });
      const got = await collect(responsesAt(server.baseUrl));
      const [last] = got;
      assert.equal(got.length, 1);
      assert.ok(last?.type === "error" && last.retryable);
      assert.match(last.failure.message, /^127\.0\.0\.1:\d+ asks for a pause: Slow, …$/);
    });

  it("is tried again by the wrapper when it failed before anything was shown", async () => {
    const failed = {
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error", message: "Oops" } },
    };
    await serve({ parts: [eventFrames([failed])] }, { parts: [answer] });
    const model = retrying(responsesAt(server.baseUrl), {
      clock: realClock,
      maxRetries: 2,
      retryBackoff: 1,
      random: () => 0,
    });
    assert.deepEqual(
      (await collect(model)).map(({ type }) => type),
      ["retry", "text", "usage", "finish"],
    );
  });

  it("sends what a server refuses no second time: each is left out in turn, and stays out", async () => {
    await serve(
      refusal(400, "Encrypted content is not supported with this model."),
      refusal(404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
      { parts: [answer] },
    );
    const model = responsesAt(server.baseUrl);
    assert.deepEqual(await collect(model), answered);
    assert.deepEqual(await collect(model), answered);
    const bodies = server.asked.map(({ body }): object => JSON.parse(body));
    assert.deepEqual(
      bodies.map((body) => "include" in body),
      [true, false, false, false],
    );
  });

  it("lets a refusal stand that comes again", async () => {
    await serve(refusal(400, "Encrypted content is not supported with this model."));
    const got = await collect(responsesAt(server.baseUrl));
    assert.equal(got.length, 1);
    assert.equal(got[0]?.type, "error");
    assert.equal(server.asked.length, 3);
  });
});

/** Lets the fake time pass until nothing waits for it. */
async function pass(clock: FakeClock): Promise<void> {
  for (let i = 0; i < 3; i += 1) await clock.advance(60_000);
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}
