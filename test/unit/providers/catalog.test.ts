// The settings of a model: what is refused before anything is sent, and with which words.
import assert from "node:assert/strict";
import { LoopError, type ErrorCode } from "../../../src/protocol/errors.ts";
import { createModel, type ModelOptions } from "../../../src/providers/catalog.ts";
import { startDemo } from "../../../src/providers/demo/server.ts";
import { collect, realClock, summary } from "./chat.ts";

const options: ModelOptions = {
  provider: "openai-chat",
  baseUrl: "https://models.example/v1",
  apiKey: "",
  model: "m-1",
  contextWindow: 9_000,
  clock: realClock,
};

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
