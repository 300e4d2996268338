// Which model a run asks, with which window, price and form of calls; and what is asked when it fails.
import assert from "node:assert/strict";
import { chooseModel, type ModelChoice } from "../../src/composeModel.ts";
import { LoopError } from "../../src/protocol/errors.ts";
import type { AgentDefinition } from "../../src/protocol/agents.ts";
import type { EditorChat } from "../../src/providers/editorModel.ts";
import { chatReply, httpError } from "../support/chatWire.ts";
import { startSse, type Script, type SseServer } from "../support/sse.ts";
import { collect, hello, realClock, summary, toolNamed } from "./providers/chat.ts";

const agent: AgentDefinition = { id: "a", name: "A", identity: "You help.", source: null };
const choice: ModelChoice = {
  provider: "openai-chat",
  baseUrl: "https://models.example/v1",
  apiKey: "sk-1",
  model: "big",
  contextWindow: 0,
};
const parts = { clock: realClock, demoUrl: () => Promise.reject(new Error("no demo")) };

const chosen = async (more: Partial<ModelChoice>, of: Partial<AgentDefinition> = {}) =>
  chooseModel({ ...choice, ...more }, { ...agent, ...of }, parts);

describe("the model that is chosen", () => {
  const anthropic = { provider: "anthropic", baseUrl: "https://api.openai.com/v1", model: "claude-haiku-4-5" } as const;

  it("has the window that is set, or that its endpoint says, or that is known, or the usual one", async () => {
    const windowOf = async (more: Partial<ModelChoice>) => (await chosen(more)).contextWindow;
    const discovered = (model: string) => (model === "big" ? { window: 9_000 } : {});
    assert.equal(await windowOf({}), 128_000);
    assert.equal(await windowOf({ discovered }), 9_000);
    assert.equal(await windowOf({ discovered, contextWindow: 5_000 }), 5_000);
    assert.equal(await windowOf(anthropic), 200_000);
    assert.equal(await windowOf({ ...anthropic, model: "claude-unheard-of" }), 128_000);
  });

  it("has the price that is set, for that model only, or the one that is known", async () => {
    const price = { input: 1, output: 2 };
    assert.deepEqual((await chosen({ price })).price, price);
    assert.equal((await chosen({})).price, undefined);
    assert.equal((await chosen({ price }, { model: "small" })).price, undefined);
    assert.deepEqual((await chosen(anthropic)).price, { input: 1, cached: 0.1, output: 5, cacheWrite: 1.25 });
    assert.deepEqual((await chosen({ ...anthropic, price })).price, price);
    assert.deepEqual((await chosen({ discovered: () => ({ price }) }, { model: "small" })).price, price);
  });

  it("is the editor's where that is chosen, with its window", async () => {
    const chat = { vendor: "copilot", id: "gpt-x", family: "gpt-x", name: "GPT X", maxInputTokens: 64_000 };
    const never = () => Promise.reject(new Error("not asked"));
    const editor: EditorChat = { ...chat, send: never, count: never };
    const editorModels = () => Promise.resolve([editor]);
    const discovered = () => assert.fail("asked about another endpoint’s model");
    const own = { provider: "vscode", apiKey: "", model: "gpt-x", toolCalling: "auto", discovered } as const;
    const vscode = { ...choice, ...own };
    const { id, contextWindow } = await chooseModel(vscode, agent, { ...parts, editorModels });
    assert.deepEqual([id, contextWindow], ["copilot/gpt-x", 64_000]);
    for (const none of [undefined, () => Promise.resolve([])])
      await assert.rejects(
        chooseModel(vscode, agent, { ...parts, editorModels: none }),
        (error) => error instanceof LoopError && error.code === "editor_models_missing",
      );
  });
});

describe("a model of a server", () => {
  let server: SseServer;
  const serve = async (...scripts: readonly Script[]): Promise<string> => {
    server = await startSse(...scripts);
    return server.baseUrl;
  };
  afterEach(() => server.close());
  const bodies = (): { model: string; tools?: unknown[] }[] => server.asked.map(({ body }) => JSON.parse(body));
  const withTools = { ...hello, tools: [toolNamed("read_file")] };

  it("that knows no tools has them explained in words, as soon as it says so", async () => {
    const solution = '{"calls":[{"_tool":"read_file","path":"x"}],"output":null}';
    const baseUrl = await serve(httpError(400, "big does not support tools"), chatReply(1, { text: solution }));
    const events = await collect(await chosen({ baseUrl, toolCalling: "auto" }), withTools);
    assert.deepEqual(summary(events).calls, [{ name: "read_file", arguments: '{"path":"x"}' }]);
    assert.deepEqual(
      bodies().map(({ tools }) => tools?.length ?? 0),
      [1, 0],
    );
  });

  it("of which that is known already is not asked in vain", async () => {
    const baseUrl = await serve(chatReply(1, { text: '{"calls":[],"output":"Hi."}' }));
    const discovered = () => ({ tools: false });
    const events = await collect(await chosen({ baseUrl, toolCalling: "auto", discovered }), withTools);
    assert.equal(summary(events).text, "Hi.");
    assert.deepEqual(
      bodies().map(({ tools }) => tools?.length ?? 0),
      [0],
    );
  });

  it("whose account has nothing left is replaced by the agent's fallback, for the rest of the run", async () => {
    const spent = {
      status: 402,
      headers: { "content-type": "application/json" },
      parts: ['{"error":{"message":"No credit"}}'],
    };
    const baseUrl = await serve(spent, chatReply(1, { text: "From small." }));
    const price = { input: 1, output: 2 };
    const model = await chosen(
      { baseUrl, discovered: (name) => (name === "small" ? { price } : {}) },
      { fallback: "small" },
    );
    const [told, ...events] = await collect(model);
    assert.ok(told?.type === "model");
    assert.deepEqual([told.model.id, told.model.price], ["small", price]);
    assert.match(told.notice ?? "", /no credit left: No credit This run goes on with small\.$/);
    assert.equal(summary(events).text, "From small.");
    const [again] = await collect(model);
    assert.ok(again?.type === "model" && again.notice === null);
    assert.deepEqual(
      bodies().map((body) => body.model),
      ["big", "small", "small"],
    );
  });

  it("that refuses the request itself is not replaced", async () => {
    const baseUrl = await serve(httpError(400, "no such parameter"));
    const events = await collect(await chosen({ baseUrl }, { fallback: "small" }));
    assert.deepEqual(
      events.map((event) => (event.type === "error" ? event.failure.code : event.type)),
      ["request_refused"],
    );
  });
});
