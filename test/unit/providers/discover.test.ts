// What servers say of their models, each in its own place; and what is known of models without asking.
import assert from "node:assert/strict";
import { discoverModel, storedFacts } from "../../../src/providers/discover.ts";
import { knownModel, knownSince, type ModelFacts } from "../../../src/providers/knownModels.ts";
import { startJson, type JsonAnswers } from "../../support/jsonServer.ts";

async function discover(answers: JsonAnswers, model = "m", apiKey = ""): Promise<ModelFacts> {
  const server = await startJson(answers);
  try {
    return await discoverModel({ baseUrl: `${server.root}/v1`, apiKey, model }, new AbortController().signal);
  } finally {
    await server.close();
  }
}

const table: readonly (readonly [string, JsonAnswers, ModelFacts])[] = [
  ["nothing of a server that knows nothing", {}, {}],
  [
    "vLLM's window",
    {
      "GET /v1/models": {
        body: {
          data: [
            { id: "x", max_model_len: 1 },
            { id: "m", max_model_len: 32_768 },
          ],
        },
      },
    },
    { window: 32_768 },
  ],
  [
    "OpenRouter's window, price and abilities",
    {
      "GET /v1/models": {
        body: {
          data: [
            {
              id: "m",
              context_length: 200_000,
              pricing: {
                prompt: "0.000003",
                completion: "0.000015",
                input_cache_read: "0.0000003",
                input_cache_write: "0.00000375",
              },
              architecture: { input_modalities: ["text", "image"] },
              supported_parameters: ["tools", "temperature"],
            },
          ],
        },
      },
    },
    {
      window: 200_000,
      price: { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
      images: true,
      tools: true,
      thinking: false,
    },
  ],
  [
    "Groq's window",
    { "GET /v1/models": { body: { data: [{ id: "m", context_window: 131_072 }] } } },
    { window: 131_072 },
  ],
  [
    "Mistral's window and abilities",
    {
      "GET /v1/models": {
        body: {
          data: [{ id: "m", max_context_length: 128_000, capabilities: { function_calling: true, vision: false } }],
        },
      },
    },
    { window: 128_000, tools: true, images: false },
  ],
  [
    "no price where it depends",
    { "GET /v1/models": { body: { data: [{ id: "m", pricing: { prompt: "-1", completion: "-1" } }] } } },
    {},
  ],
  [
    "Ollama's running window before the one of its file, and what the model can do",
    {
      "POST /api/show": {
        body: { parameters: "stop x\nnum_ctx    8192", capabilities: ["completion", "tools", "vision"] },
      },
      "GET /api/ps": { body: { models: [{ name: "m", context_length: 16_384 }] } },
    },
    { window: 16_384, tools: true, images: true, thinking: false },
  ],
  [
    "the window of Ollama's file, and not what the model could have at most",
    {
      "POST /api/show": {
        body: {
          parameters: "num_ctx 8192",
          model_info: { "llama.context_length": 131_072 },
          capabilities: ["completion"],
        },
      },
    },
    { window: 8_192, tools: false, images: false, thinking: false },
  ],
  [
    "LM Studio's loaded window",
    {
      "GET /api/v0/models": {
        body: {
          data: [
            { id: "m", type: "vlm", loaded_context_length: 4_096, max_context_length: 99, capabilities: ["tool_use"] },
          ],
        },
      },
    },
    { window: 4_096, images: true, tools: true },
  ],
  [
    "llama.cpp's window",
    { "GET /props": { body: { default_generation_settings: { n_ctx: 12_000 }, modalities: { vision: false } } } },
    { window: 12_000, images: false },
  ],
  [
    "nothing of answers of another form",
    {
      "GET /v1/models": { body: { data: "none" } },
      "POST /api/show": { body: [1] },
      "GET /api/ps": { body: "not json", headers: { "content-type": "application/json" } },
      "GET /props": { status: 500, body: {} },
      "GET /api/v0/models": { body: { data: [{ id: "m", loaded_context_length: "many" }] } },
    },
    {},
  ],
];

describe("discoverModel", () => {
  for (const [what, answers, facts] of table)
    it(`reads ${what}`, async () => assert.deepEqual(await discover(answers), facts));

  it("sends the key to its own server only, also when that sends it on", async () => {
    const other = await startJson({});
    const server = await startJson({ "GET /props": { status: 302, headers: { location: `${other.root}/props` } } });
    try {
      await discoverModel({ baseUrl: `${server.root}/v1`, apiKey: "sk-1", model: "m" }, new AbortController().signal);
      assert.ok(server.asked.length > 3);
      assert.ok(server.asked.every(({ headers }) => headers.authorization === "Bearer sk-1"));
      assert.deepEqual(other.asked, []);
    } finally {
      await Promise.all([server.close(), other.close()]);
    }
  });

  it("ends at once when the person leaves", async () => {
    const server = await startJson({ "GET /v1/models": { hangs: true } });
    try {
      const found = await discoverModel({ baseUrl: `${server.root}/v1`, apiKey: "", model: "m" }, AbortSignal.abort());
      assert.deepEqual(found, {});
    } finally {
      await server.close();
    }
  });
});

describe("what is kept of a model", () => {
  it("is read back as it was", () => {
    const facts = {
      window: 5,
      price: { input: 1, output: 2, cached: 0.5, cacheWrite: 1.25 },
      images: true,
      tools: false,
    };
    assert.deepEqual(storedFacts(JSON.parse(JSON.stringify(facts))), facts);
  });

  it("is nothing where it has another form", () => {
    for (const odd of [null, 7, [], { window: -1, price: { input: "1", output: 2 }, tools: "yes" }])
      assert.deepEqual(storedFacts(odd), {});
  });
});

describe("knownModel", () => {
  it("knows a model at its maker's endpoint, also by a name with a date", () => {
    const sonnet = knownModel("api.anthropic.com", "claude-sonnet-4-5");
    assert.equal(sonnet.window, 200_000);
    assert.deepEqual(knownModel("API.anthropic.com", "claude-sonnet-4-5-20250929"), sonnet);
    assert.deepEqual(knownModel("api.openai.com", "gpt-5.4-2026-03-05"), knownModel("api.openai.com", "gpt-5.4"));
  });

  it("says nothing of the same name elsewhere, nor of other names", () => {
    assert.deepEqual(knownModel("models.example", "claude-sonnet-4-5"), {});
    assert.deepEqual(knownModel("api.openai.com", "gpt-5.4-mini-nano"), {});
    assert.deepEqual(knownModel("api.openai.com", "constructor"), {});
  });

  it("is dated", () => assert.match(knownSince, /^20\d\d-\d\d-\d\d$/));
});
