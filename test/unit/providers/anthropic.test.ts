// The model against a raw server on loopback, through the real library: what is sent, how bytes become events, how it ends.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { kit, pathOf, tool as engineTool } from "../../support/kit.ts";
import { blockEvents, eventsOfMessage, namedFrames } from "../../support/messagesWire.ts";
import { startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistant, collect, hello, tool, toolNamed } from "./chat.ts";
import { answer, messagesAt, messagesIn, usage } from "./messages.ts";

const answered: readonly ModelEvent[] = [
  { type: "text", text: "Hi" },
  { type: "usage", usage: { input: 3, output: 2 } },
  { type: "finish", reason: "stop" },
];
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

  it("uses a connection again when the server ends its answer properly", async () => {
    await serve({ parts: [answer] });
    const model = messagesAt(server.baseUrl);
    for (let i = 0; i < 3; i += 1) await collect(model);
    assert.equal(server.dropped(), 0);
  });
});

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}
