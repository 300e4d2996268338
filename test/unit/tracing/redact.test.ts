// What of a trace is secret: texts under names that hold a whole word, and nothing else.
import assert from "node:assert/strict";
import { isSecretName, redacted } from "../../../src/tracing/redact.ts";

describe("secrets in traces", () => {
  it("PROMPTY-3-5 are found by whole words of their names, in any spelling", () => {
    const secret = ["apiKey", "api_key", "API-KEY", "x-api-key", "authorization", "Authorization", "accessToken"];
    const more = ["token", "GITHUB_TOKEN", "client_secret", "password", "privateKey", "awsSecretAccessKey", "cookie"];
    const plain = ["max_tokens", "prompt_tokens", "authors", "author", "tokenize", "key", "monkey", "passage", "keys"];
    for (const name of [...secret, ...more]) assert.ok(isSecretName(name), name);
    for (const name of plain) assert.ok(!isSecretName(name), name);
  });

  it("PROMPTY-3-5 go at any depth, also inside JSON text; numbers and everything else stay", () => {
    const value = { authors: ["A"], prompt_tokens: 3, token: 3, nested: [{ apiKey: "k", city: "P" }] };
    const kept = { authors: ["A"], prompt_tokens: 3, token: 3, nested: [{ apiKey: "[redacted]", city: "P" }] };
    assert.deepEqual(redacted(value), kept);
    assert.equal(redacted(JSON.stringify(value)), JSON.stringify(kept));
    assert.deepEqual(redacted({ secret: { value: "v", count: 1 } }), { secret: { value: "[redacted]", count: 1 } });
    assert.equal(redacted("{not JSON, token: x"), "{not JSON, token: x");
  });
});
