// The model against a raw server on loopback, through the real library: what is sent, how bytes become events, how it ends.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { retrying } from "../../../src/providers/retrying.ts";
import { fakeClock } from "../../support/kit.ts";
import { startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistantOf, collect, hello, realClock, tool, toolNamed, user, whileTimePasses } from "./chat.ts";
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

  it("leaves the connection whole when the server ends it a little after the reply", async () => {
    await serve({ parts: [answer, ": bye\n\n", "data: [DONE]\n\n"], pause: 50 });
    assert.deepEqual(await collect(responsesAt(server.baseUrl)), answered);
    assert.equal(server.dropped(), 0);
  });

  it("waits for a model that thinks once more behind its words as long as before them", async () => {
    const parts = [
      eventFrames([added(0, reasoning("r", "")), textDelta(["m", 1], "Hi"), added(2, reasoning("s", ""))]),
    ];
    await serve({ parts, ending: "hang" });
    const clock = fakeClock();
    const model = responsesAt(server.baseUrl, { clock, idleTimeout: 60_000, thinkTimeout: 270_000 });
    const last = (await whileTimePasses(model, clock, true)).at(-1);
    assert.ok(last?.type === "error");
    assert.match(last.failure.message, /nothing for 270 seconds/);
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
