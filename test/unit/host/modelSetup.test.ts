// Setting up a model against real servers on loopback: each thing that can go wrong leads to words and to the way that helps.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { setUpModel, type SetUp, type SetupUi, type Way } from "../../../src/host/modelSetup.ts";
import type { Failure } from "../../../src/protocol/errors.ts";
import type { EditorChat } from "../../../src/providers/editorModel.ts";
import { cleanAddress, presets, type Preset } from "../../../src/providers/presets.ts";
import { chatReply } from "../../support/chatWire.ts";
import { startJson, type JsonAnswer, type JsonAnswers } from "../../support/jsonServer.ts";
import { realClock } from "../providers/chat.ts";

/** What a person does, in order; undefined: they leave. */
interface Person {
  readonly preset: string;
  readonly addresses?: readonly string[];
  readonly keys?: readonly string[];
  readonly models?: readonly (string | undefined)[];
  readonly ways?: readonly (Way | undefined)[];
}

interface Seen {
  readonly made: SetUp | null;
  /** What was asked and said, in order. */
  readonly said: readonly string[];
  readonly failures: readonly Failure[];
  readonly kept: Readonly<Record<string, string>>;
}

async function setUp(
  person: Person,
  { editor = [], stored = {} }: { editor?: EditorChat[]; stored?: Record<string, string> } = {},
): Promise<Seen> {
  const said: string[] = [];
  const failures: Failure[] = [];
  const kept = { ...stored };
  const turns = { addresses: 0, keys: 0, models: 0, ways: 0 };
  const next = <T>(what: keyof typeof turns, list: readonly T[] = []): T | undefined => {
    assert.ok(turns[what] < list.length, `asked once too often for ${what}: ${said.join(" | ")}`);
    return list[turns[what]++];
  };
  const ui: SetupUi = {
    choosePreset: () => Promise.resolve(presets.find(({ label }: Preset) => label === person.preset)),
    enterAddress: (_preset, given) => {
      said.push(`address ${given}`);
      return Promise.resolve(next("addresses", person.addresses));
    },
    enterKey: (_preset, _baseUrl, problem) => {
      said.push(`key ${problem}`.trim());
      return Promise.resolve(next("keys", person.keys));
    },
    chooseModel: (_preset, offers, problem) => {
      said.push(`model ${offers.map(({ name }) => name).join(",")} ${problem}`.trim());
      return Promise.resolve(next("models", person.models));
    },
    during: async (_what, work) => work(new AbortController().signal),
    failed: (failure, ways) => {
      failures.push(failure);
      said.push(`failed ${failure.code}: ${ways.join(",")}`);
      return Promise.resolve(next("ways", person.ways));
    },
  };
  const keys = {
    get: (baseUrl: string) => Promise.resolve(kept[baseUrl] ?? ""),
    set: (baseUrl: string, key: string) => Promise.resolve(void (kept[baseUrl] = key)),
  };
  const made = await setUpModel({ ui, keys, editorModels: () => Promise.resolve(editor), clock: realClock });
  return { made, said, failures, kept };
}

const words = chatReply(1, { text: "ready" }).parts?.join("") ?? "";
const list = { body: { data: [{ id: "big" }, { id: "small" }] } } satisfies JsonAnswer;
const refusal = (status: number, message: string, more = {}): JsonAnswer => ({
  status,
  body: { error: { message, ...more } },
});
const fine = { "GET /v1/models": list, "POST /v1/chat/completions": { body: words } };

async function at<T>(
  answers: JsonAnswers,
  work: (baseUrl: string, server: Awaited<ReturnType<typeof startJson>>) => Promise<T>,
): Promise<T> {
  const server = await startJson(answers);
  try {
    return await work(`${server.root}/v1`, server);
  } finally {
    await server.close();
  }
}

describe("setting up a model", () => {
  it("takes an address, a model of its list and one answer, with what the server says of the model", () =>
    at(
      { ...fine, "GET /props": { body: { default_generation_settings: { n_ctx: 9_000 } } } },
      async (baseUrl, { asked }) => {
        const seen = await setUp({ preset: "llama.cpp", addresses: [baseUrl], models: ["small"] });
        const expected = { provider: "openai-chat", baseUrl, model: "small", facts: { window: 9_000 }, answered: true };
        assert.deepEqual(seen.made, expected);
        assert.deepEqual(seen.said, ["address http://127.0.0.1:8080/v1", "model big,small"]);
        assert.deepEqual(seen.kept, {});
        const request = JSON.parse(asked.find(({ what }) => what.startsWith("POST /v1"))?.body ?? "{}");
        assert.deepEqual([request.model, request.tools.length], ["small", 1]);
      },
    ));

  it("asks for a key where the server wants one, and keeps it once the model has answered", () =>
    at({ ...fine, "GET /v1/models": [refusal(401, "Missing key"), list] }, async (baseUrl, { asked }) => {
      const seen = await setUp({ preset: "vLLM", addresses: [baseUrl], keys: ["sk-right"], models: ["big"] });
      const { host } = new URL(baseUrl);
      assert.deepEqual(seen.said.slice(1), [`key ${host} asks for a key.`, "model big,small"]);
      assert.equal(seen.made?.answered, true);
      assert.deepEqual(seen.kept, { [baseUrl]: "sk-right" });
      assert.ok(asked.slice(1).every(({ headers }) => headers.authorization === "Bearer sk-right"));
    }));

  it("a wrong key leads to the box for another", () =>
    at({ "GET /v1/models": list, "POST /v1/chat/completions": refusal(401, "Incorrect API key") }, async (baseUrl) => {
      const seen = await setUp({
        preset: "Another address",
        addresses: [baseUrl],
        models: ["big"],
        ways: ["key", undefined],
        keys: ["sk-wrong"],
      });
      assert.equal(seen.made, null);
      assert.deepEqual(seen.said.slice(2, 4), [
        "failed key_missing: key,anyway",
        `key ${new URL(baseUrl).host} asks for a key.`,
      ]);
      assert.equal(seen.said.at(-1), "failed key_rejected: key,anyway");
      assert.match(seen.failures[1]?.message ?? "", /does not accept this key: Incorrect API key/);
      assert.deepEqual(seen.kept, {}, "a key that does not fit was kept");
    }));

  it("a wrong address leads to the box for another", () =>
    at(fine, async (baseUrl) => {
      const wrong = baseUrl.replace(/\/v1$/, "/nothing");
      const seen = await setUp({ preset: "vLLM", addresses: [wrong, baseUrl], ways: ["address"], models: ["big"] });
      assert.deepEqual(seen.said.slice(1), [
        "failed endpoint_unreachable: address,again,model",
        `address ${wrong}`,
        "model big,small",
      ]);
      assert.equal(seen.made?.baseUrl, baseUrl);
    }));

  it("finds the usual path below a bare address", () =>
    at(fine, async (baseUrl) => {
      const bare = new URL(baseUrl).origin;
      const seen = await setUp({ preset: "Ollama", addresses: [bare], models: ["big"] });
      assert.deepEqual(seen.said.slice(1), ["model big,small"]);
      assert.deepEqual([seen.made?.baseUrl, seen.made?.answered], [baseUrl, true]);
    }));

  it("a web page at the address leads to the box for another", () =>
    at({ "GET /v1/models": { body: "<html></html>", headers: { "content-type": "text/html" } } }, async (baseUrl) => {
      const seen = await setUp({ preset: "vLLM", addresses: [baseUrl], ways: [undefined] });
      assert.equal(seen.said[1], "failed endpoint_unreachable: address,again,model");
      assert.match(seen.failures[0]?.message ?? "", /web page: is .* the address of its API/);
    }));

  it("where deployments are not listed, one is asked for by its name", () =>
    at({ ...fine, "GET /v1/models": { body: { data: [] } } }, async (baseUrl) => {
      const person = { preset: "Azure OpenAI", addresses: [baseUrl], keys: ["sk-1"], models: ["mine"] };
      const { made, said } = await setUp(person);
      assert.match(said[2] ?? "", /^model {2}Azure does not say which deployments this resource has: enter the name/);
      assert.deepEqual([made?.model, made?.answered], ["mine", true]);
    }));

  it("an unknown model leads to the list", () =>
    at({ ...fine, "POST /v1/chat/completions": refusal(404, "The model `smal` does not exist") }, async (baseUrl) => {
      const seen = await setUp({
        preset: "Ollama",
        addresses: [baseUrl],
        models: ["smal", undefined],
        ways: ["model"],
      });
      assert.equal(seen.made, null);
      assert.equal(seen.said[2], "failed model_not_found: model,address,anyway");
      assert.match(seen.said[3] ?? "", /^model big,small .* has no model “smal” at this address: The model/);
    }));

  it("an exhausted quota leads to another model, or is used all the same", () =>
    at(
      {
        ...fine,
        "POST /v1/chat/completions": refusal(429, "You exceeded your current quota", { code: "insufficient_quota" }),
      },
      async (baseUrl) => {
        const stored = { [baseUrl]: "sk-1" };
        const seen = await setUp(
          { preset: "Another address", addresses: [baseUrl], models: ["big"], ways: ["anyway"] },
          { stored },
        );
        assert.equal(seen.said[2], "failed quota_exhausted: model,anyway");
        assert.match(seen.failures[0]?.message ?? "", /has no credit left: You exceeded/);
        assert.deepEqual([seen.made?.model, seen.made?.answered], ["big", false]);
      },
    ));

  it("no network leads to another try", async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const seen = await setUp({
      preset: "LM Studio",
      addresses: [baseUrl],
      ways: ["again", "model", undefined],
      models: ["m"],
    });
    assert.deepEqual(seen.said.slice(1, 3), Array(2).fill("failed endpoint_unreachable: address,again,model"));
    assert.equal(seen.said.at(-1), "failed endpoint_unreachable: address,again,anyway");
    assert.match(seen.failures[0]?.message ?? "", new RegExp(`^127.0.0.1:${port} cannot be reached`));
  });

  it("finds out that a model knows no tools", () =>
    at(
      { ...fine, "POST /v1/chat/completions": [refusal(400, "small does not support tools"), { body: words }] },
      async (baseUrl) => {
        const seen = await setUp({ preset: "Ollama", addresses: [baseUrl], models: ["small"] });
        assert.deepEqual([seen.made?.answered, seen.made?.facts], [true, { tools: false }]);
      },
    ));

  it("sends the key of one address to no other", () =>
    at(fine, async (baseUrl, { asked }) => {
      await setUp(
        { preset: "vLLM", addresses: [baseUrl], models: ["big"] },
        { stored: { "http://127.0.0.1:1/v1": "sk-1" } },
      );
      assert.ok(asked.every(({ headers }) => !String(headers.authorization).includes("sk-1")));
    }));

  it("picks a model of the editor by its name, and sends the person on where there are none", async () => {
    const chat: EditorChat = {
      vendor: "copilot",
      id: "gpt-x",
      family: "gpt-x",
      name: "GPT X",
      maxInputTokens: 9,
      async send() {
        return (async function* () {
          yield { type: "text", text: "ready" } as const;
        })();
      },
      count: () => Promise.resolve(1),
    };
    const preset = "GitHub Copilot, by VS Code";
    const seen = await setUp({ preset, models: ["copilot/gpt-x"] }, { editor: [chat] });
    assert.deepEqual(seen.made, { provider: "vscode", baseUrl: "", model: "copilot/gpt-x", facts: {}, answered: true });
    assert.deepEqual(seen.said, ["model copilot/gpt-x"]);
    const none = await setUp({ preset, ways: [undefined] });
    assert.match(none.failures[0]?.next ?? "", /Sign in to GitHub Copilot/);
    assert.equal(none.made, null);
  });

  it("a refusal of the editor says how to go on", async () => {
    const refused = Object.assign(new Error("no"), { code: "NoPermissions" });
    const chat = { vendor: "v", id: "m", family: "m", name: "M", maxInputTokens: 9 };
    const editor = [{ ...chat, send: () => Promise.reject(refused), count: () => Promise.resolve(1) }];
    const seen = await setUp({ preset: "GitHub Copilot, by VS Code", models: ["v/m"], ways: [undefined] }, { editor });
    assert.deepEqual(seen.said.at(-1), "failed consent_missing: again,anyway");
  });

  it("writes nothing when the person leaves at the first question", async () => {
    assert.deepEqual(await setUp({ preset: "nothing" }), { made: null, said: [], failures: [], kept: {} });
  });
});

describe("an address", () => {
  for (const [typed, clean] of [
    [" http://127.0.0.1:11434/v1/ ", "http://127.0.0.1:11434/v1"],
    ["localhost:1234/v1", "http://localhost:1234/v1"],
    ["192.168.1.5:8080/v1", "http://192.168.1.5:8080/v1"],
    ["models.example:8000/v1", "https://models.example:8000/v1"],
    ["contoso.openai.azure.com", "https://contoso.openai.azure.com/openai/v1"],
    ["http://models.example/v1", "http://models.example/v1"],
    ["https://models.example/v1/chat/completions", "https://models.example/v1"],
    ["https://models.example", "https://models.example"],
    ["https://YOUR-RESOURCE.openai.azure.com/openai/v1", null],
    ["https://contoso.openai.azure.com/openai/v1/", "https://contoso.openai.azure.com/openai/v1"],
    ["https://contoso.openai.azure.com", "https://contoso.openai.azure.com/openai/v1"],
    [
      "https://contoso.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
      "https://contoso.openai.azure.com/openai/v1",
    ],
    ["https://a:b@models.example", null],
    ["file:///etc/passwd", null],
    ["two words", null],
    ["https://", null],
    ["", null],
  ] as const)
    it(`“${typed}” is ${clean ?? "none"}`, () => assert.equal(cleanAddress(typed), clean));
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
