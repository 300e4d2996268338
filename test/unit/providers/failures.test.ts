// Every way an endpoint can refuse, as a person reads it: the code, whether it is tried again, and a sentence without the key.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { LoopError, type ErrorCode } from "../../../src/protocol/errors.ts";
import { modelOnce } from "../../../src/providers/catalog.ts";
import { listModels } from "../../../src/providers/listModels.ts";
import { startSse, type Script } from "../../support/sse.ts";
import { startJson } from "../../support/jsonServer.ts";
import { chatAt, collect, realClock } from "./chat.ts";

const json = { "content-type": "application/json" };
const refusal = (status: number, error: unknown, headers = {}): Script => ({
  status,
  headers: { ...json, ...headers },
  parts: [JSON.stringify(error)],
});
const says = (message: string, more = {}): object => ({ error: { message, ...more } });

async function failureFor(script: Script, apiKey = "sk-secret"): Promise<Extract<ModelEvent, { type: "error" }>> {
  const server = await startSse(script);
  try {
    const events = await collect(chatAt(server.baseUrl, { apiKey }));
    const [event] = events;
    assert.equal(events.length, 1);
    assert.equal(server.asked.length, 1, "the library must not try again by itself");
    assert.ok(event?.type === "error");
    assert.doesNotMatch(JSON.stringify(event), /sk-secret/);
    return event;
  } finally {
    await server.close();
  }
}

const table: readonly (readonly [string, Script, ErrorCode, boolean])[] = [
  ["400", refusal(400, says("Bad temperature")), "request_refused", false],
  ["422 in FastAPI's shape", refusal(422, { detail: "bad field" }), "request_refused", false],
  ["401", refusal(401, says("Incorrect API key provided: sk-secret")), "key_rejected", false],
  ["402", refusal(402, says("Pay first")), "quota_exhausted", false],
  ["403", refusal(403, says("Not in your country")), "access_denied", false],
  ["404", refusal(404, says("The model `m-1` does not exist")), "model_not_found", false],
  [
    "404 without words",
    { status: 404, headers: { "content-type": "text/html" }, parts: ["<h1>No</h1>"] },
    "model_not_found",
    false,
  ],
  ["408", refusal(408, says("Slow")), "provider_failed", true],
  ["409", refusal(409, says("Conflict")), "provider_failed", true],
  ["413", refusal(413, says("Too large")), "context_overflow", false],
  ["429", refusal(429, says("Slow down")), "rate_limited", true],
  ["429 insufficient_quota", refusal(429, says("Quota", { code: "insufficient_quota" })), "quota_exhausted", false],
  ["500", refusal(500, says("Oops")), "provider_failed", true],
  [
    "502 from a proxy",
    { status: 502, headers: { "content-type": "text/html" }, parts: ["<html>Bad gateway</html>"] },
    "provider_failed",
    true,
  ],
  ["503", refusal(503, { error: "overloaded" }), "provider_failed", true],
  ["529", refusal(529, says("Overloaded")), "provider_failed", true],
  [
    "400 context_length_exceeded",
    refusal(400, says("x", { code: "context_length_exceeded" })),
    "context_overflow",
    false,
  ],
  [
    "400 maximum context length",
    refusal(400, says("This model's maximum context length is 8192 tokens")),
    "context_overflow",
    false,
  ],
  [
    "400 xAI",
    refusal(400, says("This model's maximum prompt length is 131072 but the request contains 136973 tokens.")),
    "context_overflow",
    false,
  ],
  [
    "400 Alibaba",
    refusal(400, says("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]")),
    "context_overflow",
    false,
  ],
  ["400 Zhipu", refusal(400, says("Prompt exceeds max length")), "context_overflow", false],
  [
    "400 vLLM",
    refusal(400, says("The decoder prompt (length 9000) is longer than the maximum model length of 8192.")),
    "context_overflow",
    false,
  ],
  ["400 too many tokens", refusal(400, says("too many tokens in prompt")), "context_overflow", false],
  [
    "400 prompt is too long",
    refusal(400, says("prompt is too long: 210000 tokens > 200000")),
    "context_overflow",
    false,
  ],
  ["400 llama.cpp", refusal(400, says("the request exceeds the available context size")), "context_overflow", false],
  [
    "400 with the message on top",
    refusal(400, { object: "error", message: "maximum context length is 4096" }),
    "context_overflow",
    false,
  ],
  [
    "an error in the stream",
    { parts: ['data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n'] },
    "provider_failed",
    true,
  ],
  [
    "an overflow in the stream",
    { parts: ['data: {"error":{"message":"x","code":"context_length_exceeded"}}\n\n'] },
    "context_overflow",
    false,
  ],
  ["an error event without JSON object", { parts: ['data: {"error":"it broke"}\n\n'] }, "provider_failed", true],
  ["400 Incorrect API key", refusal(400, says("Incorrect API key provided: xa***y.")), "key_rejected", false],
  ["400 API key expired", refusal(400, [says("API key expired. Please renew the API key.")]), "key_rejected", false],
  ["400 Model Not Exist", refusal(400, says("Model Not Exist")), "model_not_found", false],
  [
    "400 invalid_model",
    refusal(400, { object: "error", message: "Invalid model: m-1", type: "invalid_model" }),
    "model_not_found",
    false,
  ],
  ["403 without credits", refusal(403, says("Your team doesn't have any credits yet.")), "quota_exhausted", false],
  [
    "429 exceeded_current_quota_error",
    refusal(429, says("x", { type: "exceeded_current_quota_error" })),
    "quota_exhausted",
    false,
  ],
  [
    "429 for a request that no minute has room for",
    refusal(429, says("Request too large for m-1 on tokens per min (TPM): Limit 30000, Requested 45000")),
    "context_overflow",
    false,
  ],
  [
    "400 for a call that the model wrote badly",
    refusal(400, says("x", { code: "tool_use_failed" })),
    "reply_malformed",
    true,
  ],
  ["503 while a model is loaded", refusal(503, says("Loading model")), "provider_failed", true],
  [
    "the overflow of somebody behind OpenRouter",
    refusal(400, says("Provider returned error", { metadata: { raw: '{"message":"prompt is too long"}' } })),
    "context_overflow",
    false,
  ],
  [
    "a status as code in the stream",
    { parts: ['data: {"error":{"message":"No","code":401}}\n\n'] },
    "key_rejected",
    false,
  ],
];

describe("provider failures", () => {
  for (const [what, script, code, retryable] of table)
    it(`${what} is ${code}${retryable ? ", tried again" : ""}`, async () => {
      const event = await failureFor(script);
      assert.equal(event.failure.code, code);
      assert.equal(event.retryable, retryable);
      assert.doesNotMatch(event.failure.message, /<|undefined|\[object/);
      if (code !== "context_overflow") assert.match(event.failure.message, /127\.0\.0\.1:\d+/);
    });

  it("repeats what the one behind a router said, and who that is", async () => {
    const raw = JSON.stringify({ error: { message: "tools[0].name is too long" } });
    const error = says("Provider returned error", { code: 400, metadata: { provider_name: "Acme", raw } });
    const whole = await failureFor(refusal(400, error));
    assert.match(whole.failure.message, /refused the request \(400\): Acme: tools\[0\]\.name is too long$/);
    const inStream = await failureFor({ parts: [`: OPENROUTER PROCESSING\n\ndata: ${JSON.stringify(error)}\n\n`] });
    assert.match(inStream.failure.message, /\(400\): Acme: tools/);
    const plain = await failureFor(refusal(502, says("Provider returned error", { metadata: { raw: "It broke" } })));
    assert.match(plain.failure.message, /failed \(502\): It broke$/);
  });

  it("repeats what the server said, and asks for a key where none was given", async () => {
    const refused = await failureFor(refusal(400, says("Bad\n  temperature")));
    assert.match(refused.failure.message, /^127\.0\.0\.1:\d+ refused the request \(400\): Bad temperature$/);
    const missing = await failureFor(refusal(401, says("Unauthorized")), "");
    assert.equal(missing.failure.code, "key_missing");
    assert.equal(missing.failure.action, "setKey");
  });

  it("does not repeat the key where a refusal comes under a good status, nor a part of it", async () => {
    for (const room of [0, 190]) {
      const said = says(`${"x".repeat(room)} no such key: sk-secret`);
      const { failure } = await failureFor({ ...refusal(200, said) });
      assert.match(failure.message, /answered without a stream: (x+ )?no such key: …$/);
    }
  });

  it("reads a refusal of any length at once", async () => {
    for (const word of ["model ", "loading ", "tool_call_id "]) {
      const { failure } = await failureFor(refusal(400, says(word.repeat(60_000))));
      assert.equal(failure.code, "request_refused");
    }
  });

  it("BRAIN-EXEC-12 reads how long the server asks to wait, in seconds, milliseconds or as a date", async () => {
    const waits = async (headers: object): Promise<number | undefined> =>
      (await failureFor(refusal(429, says("Slow down"), headers))).retryAfter;
    assert.equal(await waits({ "retry-after": "7" }), 7_000);
    assert.equal(await waits({ "retry-after-ms": "250", "retry-after": "7" }), 250);
    assert.equal(await waits({ "retry-after": "soon" }), undefined);
    assert.equal(await waits({}), undefined);
    const said = async (body: object): Promise<number | undefined> => (await failureFor(refusal(429, body))).retryAfter;
    assert.equal(await said(says("No", { details: [{ "@type": "x" }, { retryDelay: "34.07s" }] })), 34_070);
    assert.equal(await said(says("Limit reached. Please try again in 1m2.5s. Thank you")), 62_500);
    assert.equal(await said(says("Please try again in 20ms.")), 20);
    assert.equal((await failureFor(refusal(503, says("Loading model")))).retryAfter, 15_000);
    const longest = 2 ** 31 - 1;
    for (const header of ["99999999999", "1e999", "Fri, 31 Dec 9999 23:59:59 GMT"])
      assert.equal(await waits({ "retry-after": header }), longest, header);
    assert.equal(await said(says(`Please try again in ${"9".repeat(400)}s.`)), longest);
    const wait = (await waits({ "retry-after": new Date(Date.now() + 60_000).toUTCString() })) ?? 0;
    assert.ok(wait > 30_000 && wait <= 60_000, String(wait));
  });

  for (const [provider, path] of [
    ["openai-chat", "/v1/chat/completions"],
    ["openai-responses", "/v1/responses"],
    ["anthropic", "/v1/messages"],
  ] as const)
    it(`follows no redirect with a key: ${provider}`, async () => {
      const other = await startJson({});
      const location = `${other.root}${path}`;
      const server = await startJson({ [`POST ${path}`]: { status: 307, headers: { location } } });
      const options = { provider, apiKey: "sk-secret", model: "m", contextWindow: 9_000, clock: realClock };
      try {
        const [event] = await collect(modelOnce({ ...options, baseUrl: `${server.root}/v1` }));
        assert.ok(event?.type === "error" && !event.retryable);
        assert.equal(event.failure.code, "endpoint_unreachable");
        assert.ok(event.failure.message.includes(`sends requests on to ${other.root}.`), event.failure.message);
        assert.deepEqual(other.asked, []);
      } finally {
        await Promise.all([server.close(), other.close()]);
      }
    });

  it("says that nothing answers where no server listens", async () => {
    const free = await freePort();
    const [event] = await collect(chatAt(`http://127.0.0.1:${free}/v1`));
    assert.ok(event?.type === "error" && event.retryable);
    assert.equal(event.failure.code, "endpoint_unreachable");
    assert.match(event.failure.message, new RegExp(`^127\\.0\\.0\\.1:${free} cannot be reached \\(ECONNREFUSED\\)`));
  });

  it("says that no server has this name", async () => {
    const [event] = await collect(chatAt("http://nowhere.invalid/v1"));
    assert.ok(event?.type === "error" && event.retryable);
    assert.equal(event.failure.code, "endpoint_unreachable");
    assert.match(event.failure.message, /nowhere\.invalid/);
  });
});

describe("listModels", () => {
  const list = async (script: Script, signal = new AbortController().signal): Promise<readonly string[]> => {
    const server = await startSse(script);
    try {
      return await listModels({ baseUrl: server.baseUrl, apiKey: "sk-secret" }, signal);
    } finally {
      await server.close();
    }
  };

  it("gives the names in order", async () => {
    const body = { object: "list", data: [{ id: "b" }, { id: "a" }, { id: 7 }, null] };
    assert.deepEqual(await list({ headers: json, parts: [JSON.stringify(body)] }), ["a", "b"]);
  });

  for (const [what, script, code] of [
    ["401", refusal(401, says("sk-secret is wrong")), "key_rejected"],
    ["404", refusal(404, says("no")), "endpoint_unreachable"],
    ["a web page", { headers: { "content-type": "text/html" }, parts: ["<html>"] }, "endpoint_unreachable"],
  ] as const)
    it(`throws ${code} for ${what}`, async () => {
      await assert.rejects(
        list(script),
        (error) => error instanceof LoopError && error.code === code && !error.message.includes("sk-secret"),
      );
    });

  const atAzure = async (answers: Readonly<Record<string, Response>>): Promise<readonly string[]> => {
    const ask: typeof fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const headers = new Headers(init?.headers);
      const key = pathname === "/openai/deployments" ? headers.get("api-key") : headers.get("authorization");
      assert.match(key ?? "", /^(Bearer )?sk-secret$/);
      return Promise.resolve(answers[pathname]?.clone() ?? new Response("{}", { status: 404 }));
    };
    const endpoint = { baseUrl: "https://contoso.openai.azure.com/openai/v1", apiKey: "sk-secret", fetch: ask };
    return listModels(endpoint, new AbortController().signal);
  };
  const named = (...ids: readonly string[]): Response => Response.json({ data: ids.map((id) => ({ id })) });

  it("gives Azure's deployments, and nothing of all that could be deployed where they are not listed", async () => {
    const models = { "/openai/v1/models": named("gpt-5", "gpt-4") };
    assert.deepEqual(await atAzure({ ...models, "/openai/deployments": named("mine") }), ["mine"]);
    assert.deepEqual(await atAzure(models), []);
    const page = new Response("<html>", { headers: { "content-type": "text/html" } });
    assert.deepEqual(await atAzure({ ...models, "/openai/deployments": page }), []);
    await assert.rejects(
      atAzure({ "/openai/v1/models": Response.json({ error: { message: "No." } }, { status: 401 }) }),
      (error) => error instanceof LoopError && error.code === "key_rejected",
    );
  });

  it("asks Anthropic in its own form", async () => {
    const server = await startJson({ "GET /v1/models": { body: { data: [{ id: "b" }, { id: "a" }] } } });
    try {
      for (const path of ["", "/v1", "/"]) {
        const endpoint = { provider: "anthropic", baseUrl: server.root + path, apiKey: "sk-secret" } as const;
        assert.deepEqual(await listModels(endpoint, new AbortController().signal), ["a", "b"]);
      }
      assert.ok(server.asked.every(({ headers }) => headers["x-api-key"] === "sk-secret" && !headers.authorization));
    } finally {
      await server.close();
    }
  });

  it("throws key_rejected for a key that Anthropic refuses", async () => {
    const body = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } };
    const server = await startJson({ "GET /v1/models": { status: 401, body } });
    try {
      const endpoint = { provider: "anthropic", baseUrl: server.root, apiKey: "sk-secret" } as const;
      await assert.rejects(
        listModels(endpoint, new AbortController().signal),
        (error) =>
          error instanceof LoopError && error.code === "key_rejected" && /invalid x-api-key/.test(error.message),
      );
    } finally {
      await server.close();
    }
  });

  it("throws the signal's reason when it is aborted", async () => {
    await assert.rejects(list({ ending: "hang" }, AbortSignal.abort(new Error("enough"))), /enough/);
  });
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
