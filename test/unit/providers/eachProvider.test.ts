// What a person reads, and which button they get, when a provider refuses: its own answers, on its own wire.
import assert from "node:assert/strict";
import type { ProviderName } from "../../../src/protocol/config.ts";
import type { ErrorCode } from "../../../src/protocol/errors.ts";
import { modelOnce } from "../../../src/providers/catalog.ts";
import { startJson } from "../../support/jsonServer.ts";
import { startSse } from "../../support/sse.ts";
import { collect, realClock } from "./chat.ts";

const paths = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
} satisfies Partial<Record<ProviderName, string>>;
type Wire = keyof typeof paths;

const error = (message: string, more: object = {}): object => ({ error: { message, ...more } });
const anthropic = (type: string, message: string): object => ({ type: "error", error: { type, message } });

type Row = readonly [who: string, wire: Wire, status: number, body: unknown, code: ErrorCode, sentence: string];

const rows: readonly Row[] = [
  [
    "OpenAI, wrong key",
    "openai-responses",
    401,
    error("Incorrect API key provided: sk-secret.", { code: "invalid_api_key" }),
    "key_rejected",
    "HOST does not accept this key: Incorrect API key provided: ….",
  ],
  [
    "OpenAI, unknown model",
    "openai-responses",
    404,
    error("The model `m` does not exist or you do not have access to it.", { code: "model_not_found" }),
    "model_not_found",
    "HOST has no model “m” at this address: The model `m` does not exist or you do not have access to it.",
  ],
  [
    "OpenAI, nothing left",
    "openai-responses",
    429,
    error("You exceeded your current quota.", { type: "insufficient_quota", code: "insufficient_quota" }),
    "quota_exhausted",
    "The account at HOST has no credit left: You exceeded your current quota.",
  ],
  [
    "OpenAI, not in this country",
    "openai-responses",
    403,
    error("Country, region, or territory not supported", { code: "unsupported_country_region_territory" }),
    "access_denied",
    "HOST does not allow this key to use m: Country, region, or territory not supported",
  ],
  [
    "Anthropic, wrong key",
    "anthropic",
    401,
    anthropic("authentication_error", "invalid x-api-key"),
    "key_rejected",
    "HOST does not accept this key: invalid x-api-key",
  ],
  [
    "Anthropic, unknown model",
    "anthropic",
    404,
    anthropic("not_found_error", "model: m"),
    "model_not_found",
    "HOST has no model “m” at this address: model: m",
  ],
  [
    "Anthropic, nothing left",
    "anthropic",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "quota_exhausted",
    "The account at HOST has no credit left: Your credit balance is too low to access the Anthropic API.",
  ],
  [
    "Anthropic, too many requests",
    "anthropic",
    429,
    anthropic("rate_limit_error", "This request would exceed your rate limit."),
    "rate_limited",
    "HOST asks for a pause: This request would exceed your rate limit.",
  ],
  [
    "Anthropic, not allowed",
    "anthropic",
    403,
    anthropic("permission_error", "Your API key does not have permission to use the specified resource."),
    "access_denied",
    "HOST does not allow this key to use m: Your API key does not have permission to use the specified resource.",
  ],
  [
    "Azure, wrong key",
    "openai-chat",
    401,
    error("Access denied due to invalid subscription key or wrong API endpoint.", { code: "401" }),
    "key_rejected",
    "HOST does not accept this key: Access denied due to invalid subscription key or wrong API endpoint.",
  ],
  [
    "Azure, unknown deployment",
    "openai-chat",
    404,
    error("The API deployment for this resource does not exist.", { code: "DeploymentNotFound" }),
    "model_not_found",
    "HOST has no model “m” at this address: The API deployment for this resource does not exist.",
  ],
  [
    "Azure, too many requests",
    "openai-chat",
    429,
    error("Requests have exceeded the token rate limit of your tier.", { code: "429" }),
    "rate_limited",
    "HOST asks for a pause: Requests have exceeded the token rate limit of your tier.",
  ],
  [
    "OpenRouter, wrong key",
    "openai-chat",
    401,
    error("User not found.", { code: 401 }),
    "key_rejected",
    "HOST does not accept this key: User not found.",
  ],
  [
    "OpenRouter, unknown model",
    "openai-chat",
    400,
    error("m is not a valid model ID", { code: 400 }),
    "model_not_found",
    "HOST has no model “m” at this address: m is not a valid model ID",
  ],
  [
    "OpenRouter, nothing left",
    "openai-chat",
    402,
    error("Insufficient credits. Add more and retry the request.", { code: 402 }),
    "quota_exhausted",
    "The account at HOST has no credit left: Insufficient credits. Add more and retry the request.",
  ],
  [
    "Gemini, wrong key",
    "openai-chat",
    400,
    [error("API key not valid. Please pass a valid API key.", { code: 400, status: "INVALID_ARGUMENT" })],
    "key_rejected",
    "HOST does not accept this key: API key not valid. Please pass a valid API key.",
  ],
  [
    "Ollama, unknown model",
    "openai-chat",
    404,
    error('model "m" not found, try pulling it first', { type: "api_error" }),
    "model_not_found",
    'HOST has no model “m” at this address: model "m" not found, try pulling it first',
  ],
  [
    "vLLM, unknown model",
    "openai-chat",
    404,
    { object: "error", message: "The model `m` does not exist.", type: "NotFoundError", code: 404 },
    "model_not_found",
    "HOST has no model “m” at this address: The model `m` does not exist.",
  ],
  [
    "vLLM, wrong key",
    "openai-chat",
    401,
    { error: "Unauthorized" },
    "key_rejected",
    "HOST does not accept this key: Unauthorized",
  ],
  [
    "llama.cpp, wrong key",
    "openai-chat",
    401,
    error("Invalid API Key", { code: 401, type: "authentication_error" }),
    "key_rejected",
    "HOST does not accept this key: Invalid API Key",
  ],
  [
    "LM Studio, an address without /v1",
    "openai-chat",
    200,
    { error: "Unexpected endpoint or method. (POST /chat/completions)" },
    "endpoint_unreachable",
    "HOST answered without a stream: Unexpected endpoint or method. (POST /chat/completions)",
  ],
];

/** What helps, by the code: the words of the button are the panel's. */
const buttons: Partial<Record<ErrorCode, string>> = {
  key_rejected: "setKey",
  model_not_found: "selectModel",
  access_denied: "selectModel",
  quota_exhausted: "selectModel",
  rate_limited: "retry",
  endpoint_unreachable: "openSettings",
};

const asked = (wire: Wire, baseUrl: string) =>
  collect(
    modelOnce({ provider: wire, baseUrl, apiKey: "sk-secret", model: "m", contextWindow: 9_000, clock: realClock }),
  );

describe("each provider's own refusals", () => {
  for (const [who, wire, status, body, code, sentence] of rows)
    it(`${who}: ${code}`, async () => {
      const server = await startJson({ [`POST ${paths[wire]}`]: { status, body } });
      try {
        const [event] = await asked(wire, `${server.root}/v1`);
        assert.ok(event?.type === "error");
        const { message, code: found, action, next } = event.failure;
        assert.deepEqual(
          [found, message.replaceAll(new URL(server.root).host, "HOST"), action],
          [code, sentence, buttons[code]],
        );
        assert.notEqual(next, "");
      } finally {
        await server.close();
      }
    });

  for (const wire of ["openai-chat", "openai-responses", "anthropic"] as const)
    it(`leads to the address where a web page answers: ${wire}`, async () => {
      const server = await startSse({ headers: { "content-type": "text/html" }, parts: ["<html>Sign in</html>"] });
      try {
        const [event] = await asked(wire, server.baseUrl);
        assert.ok(event?.type === "error" && !event.retryable);
        assert.deepEqual([event.failure.code, event.failure.action], ["endpoint_unreachable", "openSettings"]);
        assert.match(event.failure.message, /answered with a web page: is .* the address of its API\?$/);
      } finally {
        await server.close();
      }
    });

  it("says so where a server speaks no TLS", async () => {
    const server = await startJson({});
    try {
      const { host } = new URL(server.root);
      const [event] = await asked("openai-chat", `https://${host}/v1`);
      assert.ok(event?.type === "error" && !event.retryable);
      assert.equal(event.failure.code, "endpoint_unreachable");
      assert.equal(event.failure.message, `${host} does not answer over https: does its address start with http://?`);
    } finally {
      await server.close();
    }
  });

  it("asks Azure as it wants to be asked: the deployment as the model, the key as a bearer's, below /openai/v1", async () => {
    const server = await startJson({});
    try {
      await asked("openai-chat", `${server.root}/openai/v1`);
      const [request] = server.asked;
      assert.equal(request?.what, "POST /openai/v1/chat/completions");
      assert.equal(request.headers.authorization, "Bearer sk-secret");
      assert.equal(Object(JSON.parse(request.body)).model, "m");
    } finally {
      await server.close();
    }
  });
});
