// The settings of a model: what is refused before anything is sent, and with which words.
import assert from "node:assert/strict";
import { LoopError, type ErrorCode } from "../../../src/protocol/errors.ts";
import { createModel, modelOnce, type ModelOptions } from "../../../src/providers/catalog.ts";
import { startDemo } from "../../../src/providers/demo/server.ts";
import { fakeClock } from "../../support/kit.ts";
import { collect, realClock, summary } from "./chat.ts";

const options: ModelOptions = {
  provider: "openai-chat",
  baseUrl: "https://models.example/v1",
  apiKey: "",
  model: "m-1",
  contextWindow: 9_000,
  clock: realClock,
};

const neverAnswers: typeof fetch = (_input, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(new Error("left")));
  });

describe("createModel", () => {
  it("gives the model by its name and window", () => {
    const { id, contextWindow } = createModel(options);
    assert.deepEqual({ id, contextWindow }, { id: "m-1", contextWindow: 9_000 });
  });

  for (const [what, changed, code, words] of [
    ["OpenAI without a key", { baseUrl: "https://api.openai.com/v1" }, "key_missing", /api\.openai\.com.*Set API Key/],
    ["no model", { model: " " }, "bad_setting", /models\.example.*brain\.model/],
    ["no address", { baseUrl: "" }, "bad_setting", /brain\.baseUrl/],
    ["an address without http", { baseUrl: "localhost:11434" }, "bad_setting", /“localhost:11434”.*http/],
    ["a file", { baseUrl: "file:///etc/passwd" }, "bad_setting", /brain\.baseUrl/],
    ["a password in the address", { baseUrl: "https://a:b@models.example" }, "bad_setting", /brain\.baseUrl/],
    ["a demo that is not running", { provider: "demo" }, "internal", /demo/],
  ] as const satisfies readonly (readonly [string, Partial<ModelOptions>, ErrorCode, RegExp])[])
    it(`throws ${code} for ${what}`, () => {
      assert.throws(
        () => createModel({ ...options, ...changed }),
        (error) => error instanceof LoopError && error.code === code && words.test(error.message),
      );
    });

  for (const [what, more, seconds] of [
    ["one that is not known to think", {}, 60],
    ["one that is asked to think", { reply: { effort: "high" } }, 270],
    ["one that is known to think", { thinking: true, reply: { effort: "default" } }, 270],
    ["one that is asked not to", { thinking: true, reply: { effort: "none" } }, 60],
    ["one of Responses", { provider: "openai-responses", thinking: true }, 270],
    ["one of Anthropic Messages", { provider: "anthropic", thinking: true }, 270],
  ] as const satisfies readonly (readonly [string, Partial<ModelOptions>, number])[])
    it(`C-13: waits ${seconds} seconds for the first word of ${what}`, async () => {
      const clock = fakeClock();
      const over = new AbortController();
      const passing = (async () => {
        while (!over.signal.aborted) await clock.advance(5_000);
      })();
      const got = await collect(modelOnce({ ...options, ...more, clock, fetch: neverAnswers }));
      over.abort();
      await passing;
      const [last] = got;
      assert.ok(last?.type === "error" && last.failure.code === "reply_stalled");
      assert.match(last.failure.message, new RegExp(`nothing for ${seconds} seconds`));
    });

  it("answers as the demo without a key or a model's name", async () => {
    const demo = await startDemo({ pace: 0 });
    try {
      const model = createModel({ ...options, provider: "demo", model: "", baseUrl: "", demoUrl: demo.baseUrl });
      const { text, end, usage } = summary(await collect(model));
      assert.match(text, /demo/);
      assert.ok(usage);
      assert.deepEqual(end, { type: "finish", reason: "stop" });
    } finally {
      await demo.close();
    }
  });
});
