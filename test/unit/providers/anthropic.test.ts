// The model against a raw server on loopback, through the real library: what is sent, how bytes become events, how it ends.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { fakeClock, kit, pathOf, tool as engineTool, type FakeClock } from "../../support/kit.ts";
import { blockEvents, eventsOfMessage, namedFrames } from "../../support/messagesWire.ts";
import { cutAt, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistant, collect, hello, slowly, summary, tool, toolNamed } from "./chat.ts";
import { answer, messagesAt, messagesIn, usage } from "./messages.ts";

const answered: readonly ModelEvent[] = [
  { type: "text", text: "Hi" },
  { type: "usage", usage: { input: 3, output: 2 } },
  { type: "finish", reason: "stop" },
];
const begun = namedFrames(blockEvents({ type: "text", text: "Hi" }, 0).slice(0, 2));
const thought = { type: "thinking", thinking: "Which file?", signature: "signed" };
const use = (id: string, input: object): Params => ({ type: "tool_use", id, name: "read_file", input });
const refusal = (status: number, message: string): Script => ({
  status,
  headers: { "content-type": "application/json" },
  parts: [JSON.stringify({ type: "error", error: { type: "invalid_request_error", message }, request_id: "r" })],
});

describe("anthropic", () => {
  let server: SseServer;
  afterEach(() => server.close());
  const serve = async (...scripts: readonly Script[]): Promise<void> => {
    server = await startSse(...scripts);
  };
  /** What comes until the text is read and silence begins, which lasts for too long. */
  const heardUntilSilent = async (): Promise<readonly ModelEvent[]> => {
    const clock = fakeClock();
    const got: ModelEvent[] = [];
    const model = messagesAt(server.baseUrl, { clock, idleTimeout: 60_000 });
    for await (const event of model.stream(hello, new AbortController().signal)) {
      got.push(event);
      if (event.type === "text") setImmediate(() => void pass(clock));
    }
    return got;
  };

  it("sends the key, the version and the body to /v1/messages, and nothing else of its own", async () => {
    await serve({ parts: [answer] });
    assert.deepEqual(await collect(messagesAt(server.baseUrl), { ...hello, tools: [toolNamed("f")] }), answered);
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(`${asked.method} ${asked.path}`, "POST /v1/messages");
    assert.equal(asked.headers["x-api-key"], "sk-secret");
    assert.equal(asked.headers["anthropic-version"], "2023-06-01");
    assert.equal(asked.headers.authorization, undefined);
    assert.doesNotMatch(JSON.stringify(asked.headers), /stainless|anthropic-beta/);
    const body: Record<string, unknown> = JSON.parse(asked.body);
    assert.deepEqual(Object.keys(body).toSorted(), ["max_tokens", "messages", "model", "stream", "system", "tools"]);
    assert.equal(body["max_tokens"], 32_000);
  });

  it("takes an address with /v1, with a slash, or with neither", async () => {
    await serve({ parts: [answer] });
    const bare = server.baseUrl.replace(/\/v1$/, "");
    for (const address of [bare, `${bare}/`, `${bare}/v1/`, `${bare}/anthropic`])
      assert.deepEqual(await collect(messagesAt(address)), answered, address);
    assert.deepEqual(
      server.asked.map((asked) => asked.path),
      ["/v1/messages", "/v1/messages", "/v1/messages", "/anthropic/v1/messages"],
    );
  });

  it("asks for as many tokens as it is told, but never for more than half of the window", async () => {
    await serve({ parts: [answer] });
    await collect(messagesAt(server.baseUrl, { reply: { maxOutputTokens: 500 } }));
    await collect(messagesAt(server.baseUrl, { contextWindow: 8_001 }));
    assert.deepEqual(
      server.asked.map(({ body }) => {
        const { max_tokens: limit }: { max_tokens: number } = JSON.parse(body);
        return limit;
      }),
      [500, 4_000],
    );
  });

  it("uses nothing of the environment's ANTHROPIC variables, and none of the profiles on disk", async () => {
    await serve({ parts: [answer] });
    const ambient: Record<string, string> = {
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      ANTHROPIC_API_KEY: "sk-ambient",
      ANTHROPIC_AUTH_TOKEN: "token-ambient",
      // The library fails when it looks for this profile, because it is not there.
      ANTHROPIC_PROFILE: "ambient",
      ANTHROPIC_CUSTOM_HEADERS: "x-ambient: yes\nx-api-key: sk-ambient\nanthropic-version: ambient",
    };
    const before = { ...process.env };
    try {
      for (const left of [Object.keys(ambient), ["ANTHROPIC_PROFILE"]]) {
        for (const name of Object.keys(ambient)) delete process.env[name];
        for (const name of left) process.env[name] = ambient[name];
        assert.deepEqual(await collect(messagesAt(server.baseUrl, { apiKey: "" })), answered);
      }
    } finally {
      for (const name of Object.keys(ambient)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    assert.equal(server.asked.length, 2);
    for (const { headers } of server.asked) {
      assert.doesNotMatch(JSON.stringify(headers), /ambient|stainless|authorization/);
      assert.equal(headers["x-api-key"], undefined);
    }
  });

  it("reads the same from bytes cut anywhere, with names of events or without", async () => {
    const text = "Grüße, 世界 👋";
    const content = [
      { type: "thinking", thinking: "Überlegen 🤔", signature: "s" },
      { type: "text", text },
      use("a", { path: "src/ä.ts" }),
      use("b", {}),
    ];
    const events = [{ type: "ping" }, ...eventsOfMessage({ content, stop_reason: "tool_use", usage })];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), fc.boolean(), async (places, named) => {
        const bytes = Buffer.from(`: comment\r\n\r\n${namedFrames(events, named)}`);
        const one = await startSse({ parts: cutAt(bytes, places) });
        try {
          assert.deepEqual(summary(await collect(messagesAt(one.baseUrl))), {
            text,
            thinking: "Überlegen 🤔",
            calls: [
              { name: "read_file", arguments: '{"path":"src/ä.ts"}' },
              { name: "read_file", arguments: "{}" },
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

  it("gives out a call while the server is still silent about the rest (C-47)", async () => {
    await serve({
      parts: [namedFrames(blockEvents({ type: "tool_use", id: "a", name: "f", input: { x: 1 } }, 0))],
      ending: "hang",
    });
    for await (const event of messagesAt(server.baseUrl).stream(hello, new AbortController().signal)) {
      if (event.type === "call:start" || event.type === "call:delta") continue;
      assert.deepEqual(event, { type: "call", call: { id: "a", name: "f", arguments: '{"x":1}' } });
      break;
    }
    await until(() => server.dropped() === 1);
  });

  it("leads a whole run: parallel calls, a failed one, and the thoughts of each round back in their place", async () => {
    const rounds = [
      [thought, { type: "text", text: "Reading." }, use("a", { path: "x" }), use("b", { path: "y" })],
      [{ ...thought, signature: "second" }, use("c", { path: "z" })],
      [{ type: "text", text: "Done." }],
    ];
    await serve(
      ...rounds.map((content, index) => ({
        parts: [namedFrames(eventsOfMessage({ content, stop_reason: index < 2 ? "tool_use" : "end_turn", usage }))],
      })),
    );
    const read = engineTool("read_file", {
      run: (_context, params) =>
        pathOf(params) === "y"
          ? { status: "failed", content: "There is no y." }
          : { status: "succeeded", content: `This is ${pathOf(params)}.` },
    });
    const outcome = await kit({ model: messagesAt(server.baseUrl), tools: [read] }).run({ message: "Read." });
    assert.equal(outcome.output, "Done.");
    const result = (id: string, content: string, more = {}): object => ({
      type: "tool_result",
      tool_use_id: id,
      content,
      ...more,
    });
    assert.deepEqual(messagesIn(server.asked[2]), [
      { role: "user", content: [{ type: "text", text: "Read." }] },
      { role: "assistant", content: rounds[0] },
      { role: "user", content: [result("a", "This is x."), result("b", "There is no y.", { is_error: true })] },
      { role: "assistant", content: rounds[1] },
      { role: "user", content: [result("c", "This is z.")] },
    ]);
  });

  it("sends a conversation again without its thoughts when the server refuses them, once for all of them", async () => {
    await serve(
      { parts: [namedFrames(eventsOfMessage({ content: [thought, use("a", {})], stop_reason: "tool_use" }))] },
      refusal(400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
      { parts: [answer] },
    );
    const model = messagesAt(server.baseUrl);
    const asking = { ...hello, tools: [toolNamed("read_file")] };
    const first = await collect(model, asking);
    const provider = first.find((event) => event.type === "provider");
    const call = { id: "a", name: "read_file", arguments: "{}" };
    const messages = [...hello.messages, assistant("", [call], { providerData: provider?.data }), tool("a", "1")];
    assert.deepEqual(await collect(model, { ...asking, messages }), answered);
    assert.deepEqual(await collect(model, { ...asking, messages }), answered);
    assert.deepEqual(
      server.asked.map((asked) => JSON.stringify(messagesIn(asked)).includes("signed")),
      [false, true, false, false],
    );
  });

  it("does not send again what was refused for another reason, or held no thoughts", async () => {
    await serve(refusal(400, "thinking: budget_tokens is too small"));
    const [event] = await collect(messagesAt(server.baseUrl));
    assert.ok(event?.type === "error" && !event.retryable);
    assert.equal(event.failure.code, "request_refused");
    assert.match(event.failure.message, /refused the request \(400\): thinking: budget_tokens is too small$/);
    assert.equal(server.asked.length, 1);
  });

  it("ends without a last event when it is aborted, and closes the connection", async () => {
    await serve({ parts: [begun], ending: "hang" });
    const abort = new AbortController();
    const got: ModelEvent[] = [];
    for await (const event of messagesAt(server.baseUrl).stream(hello, abort.signal)) {
      got.push(event);
      abort.abort();
    }
    assert.deepEqual(got, [{ type: "text", text: "Hi" }]);
    await until(() => server.dropped() === 1);
  });

  it("says nothing when it is aborted before it began, or before an answer came", async () => {
    await serve({ ending: "hang" });
    assert.deepEqual(await collect(messagesAt(server.baseUrl), hello, AbortSignal.abort()), []);
    assert.equal(server.asked.length, 0);
    const abort = new AbortController();
    const reply = collect(messagesAt(server.baseUrl), hello, abort.signal);
    await until(() => server.asked.length === 1);
    abort.abort();
    assert.deepEqual(await reply, []);
  });

  for (const ending of ["end", "reset"] as const)
    it(`says that the reply broke off when the server makes a ${ending} in its middle`, async () => {
      await serve({ parts: [begun], ending });
      const got = await collect(messagesAt(server.baseUrl));
      const last = got.at(-1);
      assert.equal(got.length, 2);
      assert.ok(last?.type === "error" && last.retryable);
      assert.equal(last.failure.code, "reply_malformed");
      assert.match(last.failure.message, /^127\.0\.0\.1:\d+ broke off/);
    });

  for (const ending of ["reset", "hang"] as const)
    it(`does not mind a ${ending} after the reply is complete`, async () => {
      await serve({ parts: [answer], ending });
      assert.deepEqual(await collect(messagesAt(server.baseUrl)), answered);
    });

  it("is over soon after the last event, though the server goes on with comments", async () => {
    await serve({ parts: [answer, ...Array.from({ length: 600 }, () => ": ping\n\n")], pause: 100, ending: "hang" });
    assert.deepEqual(await collect(messagesAt(server.baseUrl)), answered);
    await until(() => server.dropped() === 1);
  });

  it("is over soon after the word on how it ended, too, though pings come in the place of the last event", async () => {
    await serve({});
    const clock = fakeClock();
    const ping = namedFrames([{ type: "ping" }]);
    const parts = [answer.slice(0, answer.indexOf("event: message_stop")), ...Array<string>(99).fill(ping)];
    const model = messagesAt(server.baseUrl, { clock, idleTimeout: 60_000, fetch: slowly(parts, clock, 4_000) });
    assert.deepEqual(await collect(model), answered);
  });

  for (const ending of ["reset", "hang"] as const)
    it(`takes a reply for whole that has said how it ended, and makes a ${ending} in the place of its last event`, async () => {
      await serve({ parts: [answer.slice(0, answer.indexOf("event: message_stop"))], ending });
      assert.deepEqual(await heardUntilSilent(), answered);
    });

  it("uses a connection again when the server ends its answer properly", async () => {
    await serve({ parts: [answer] });
    const model = messagesAt(server.baseUrl);
    for (let i = 0; i < 3; i += 1) await collect(model);
    assert.equal(server.dropped(), 0);
  });

  it("BRAIN-EXEC-13 says that the reply stalled after the idle time, with the text before it", async () => {
    await serve({ parts: [begun], ending: "hang" });
    const got = await heardUntilSilent();
    const last = got.at(-1);
    assert.equal(got.length, 2);
    assert.ok(last?.type === "error" && last.retryable);
    assert.equal(last.failure.code, "reply_stalled");
    assert.match(last.failure.message, /sent nothing for 60 seconds/);
    await until(() => server.dropped() === 1);
  });

  it("counts the silence before the first byte as well, but no pings, and not the reader's own time", async () => {
    await serve({ ending: "hang" });
    const silent = await collect(messagesAt(server.baseUrl, { idleTimeout: 150 }));
    assert.deepEqual(
      silent.map(({ type }) => type),
      ["error"],
    );
    await server.close();
    const pings = Array.from({ length: 25 }, () => namedFrames([{ type: "ping" }]));
    await serve({ parts: [...pings, answer], pause: 100 });
    const got: ModelEvent[] = [];
    const model = messagesAt(server.baseUrl, { idleTimeout: 2_000 });
    for await (const event of model.stream(hello, new AbortController().signal)) {
      got.push(event);
      if (event.type === "text") await new Promise((resolve) => setTimeout(resolve, 2_500));
    }
    assert.deepEqual(got, answered);
  });

  it("reads a stream whose server gives it another type, CRLF line ends, and a last line of another API", async () => {
    const text = `${answer}data: [DONE]\n\n`.replaceAll("\n", "\r\n");
    await serve({ headers: { "content-type": "text/plain" }, parts: [text] });
    assert.deepEqual(await collect(messagesAt(server.baseUrl)), answered);
  });

  for (const [what, script] of Object.entries<Script>({
    "one JSON text": {
      headers: { "content-type": "application/json" },
      parts: ['{"type":"ping"}'],
    },
    "something else": { headers: { "content-type": "text/plain" }, parts: ["hello there\n\n"] },
    "broken JSON": { parts: ["event: message_start\ndata: {oops\n\n"] },
    "a stream of another API": { parts: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'] },
  }))
    it(`says that the reply cannot be read when it is ${what}`, async () => {
      await serve(script);
      const got = await collect(messagesAt(server.baseUrl));
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

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}
