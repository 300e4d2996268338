// Every way the Messages API can refuse, as a person reads it: the code, whether it is tried again, and a sentence without the key.
import assert from "node:assert/strict";
import type { ErrorCode } from "../../../src/protocol/errors.ts";
import { startSse, type Script } from "../../support/sse.ts";
import { collect } from "./chat.ts";
import { messagesAt } from "./messages.ts";

const body = (type: string, message: string): string =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" });
const answered = (status: number, type: string, message: string, headers = {}): Script => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  parts: [body(type, message)],
});
const streamed = (type: string, message: string): Script => ({
  parts: [`event: error\ndata: ${body(type, message)}\n\n`],
});

const low = "Your credit balance is too low to access the API.";
const both = "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000";

const table: readonly (readonly [string, Script, ErrorCode, boolean])[] = [
  ["400", answered(400, "invalid_request_error", "tools.0: bad name"), "request_refused", false],
  ["400 without credit", answered(400, "invalid_request_error", low), "quota_exhausted", false],
  [
    "400 for too long a prompt",
    answered(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "context_overflow",
    false,
  ],
  ["400 for too little room", answered(400, "invalid_request_error", both), "context_overflow", false],
  ["401", answered(401, "authentication_error", "invalid x-api-key sk-secret"), "key_rejected", false],
  ["402", answered(402, "billing_error", "Pay first"), "quota_exhausted", false],
  ["403", answered(403, "permission_error", "Not this model"), "access_denied", false],
  ["404", answered(404, "not_found_error", "model: m-1"), "model_not_found", false],
  ["413", answered(413, "request_too_large", "Request exceeds the maximum size"), "context_overflow", false],
  ["429", answered(429, "rate_limit_error", "Slow down"), "rate_limited", true],
  ["500", answered(500, "api_error", "Internal server error"), "provider_failed", true],
  ["529", answered(529, "overloaded_error", "Overloaded"), "provider_failed", true],
  [
    "503 from a proxy",
    { status: 503, headers: { "content-type": "text/html" }, parts: ["<html>Bad gateway</html>"] },
    "provider_failed",
    true,
  ],
  ["an overload in the stream", streamed("overloaded_error", "Overloaded"), "provider_failed", true],
  ["a limit in the stream", streamed("rate_limit_error", "Slow down"), "rate_limited", true],
  ["a timeout in the stream", streamed("timeout_error", "Too slow"), "provider_failed", true],
  ["a bill in the stream", streamed("billing_error", "Pay first"), "quota_exhausted", false],
  ["too much in the stream", streamed("request_too_large", "Too large"), "context_overflow", false],
  ["a bare error in the stream", { parts: ['data: {"error":{"message":"It broke"}}\n\n'] }, "provider_failed", true],
  ["an error in plain words", { parts: ["event: error\ndata: it broke\n\n"] }, "provider_failed", true],
];

describe("anthropic failures", () => {
  for (const [what, script, code, retryable] of table)
    it(`${what} is ${code}${retryable ? ", tried again" : ""}`, async () => {
      const server = await startSse(script);
      try {
        const events = await collect(messagesAt(server.baseUrl));
        const [event] = events;
        assert.equal(events.length, 1);
        assert.equal(server.asked.length, 1, "the library must not try again by itself");
        assert.ok(event?.type === "error");
        assert.deepEqual([event.failure.code, event.retryable], [code, retryable]);
        assert.doesNotMatch(JSON.stringify(event), /sk-secret|<html|undefined|\[object|request_id/);
        if (code !== "context_overflow") assert.match(event.failure.message, /127\.0\.0\.1:\d+/);
      } finally {
        await server.close();
      }
    });

  it("waits as long as the server asks, and asks for a key where none was given", async () => {
    const server = await startSse(
      answered(429, "rate_limit_error", "Slow down", { "retry-after": "7" }),
      answered(401, "authentication_error", "x-api-key header is required"),
    );
    try {
      const model = messagesAt(server.baseUrl, { apiKey: "" });
      const [[limited], [missing]] = [await collect(model), await collect(model)];
      assert.ok(limited?.type === "error" && missing?.type === "error");
      assert.equal(limited.retryAfter, 7_000);
      assert.equal(limited.failure.message.replace(/^\S+ /, ""), "asks for a pause: Slow down");
      assert.equal(missing.failure.code, "key_missing");
    } finally {
      await server.close();
    }
  });

  it("says that a server cannot be reached", async () => {
    const [event] = await collect(messagesAt("http://127.0.0.1:9"));
    assert.ok(event?.type === "error" && event.retryable);
    assert.equal(event.failure.code, "endpoint_unreachable");
  });
});
