// When another model is asked: after a failure that it may not have, and before anything was shown; never later.
import assert from "node:assert/strict";
import type { Model, ModelEvent } from "../../../src/engine/ports.ts";
import { LoopError, toFailure, type ErrorCode } from "../../../src/protocol/errors.ts";
import { withFallback } from "../../../src/providers/fallback.ts";
import { calls, kit, ofType, says, scriptedModel, tool } from "../../support/kit.ts";
import { collect } from "./chat.ts";

const failed = (code: ErrorCode): ModelEvent => ({
  type: "error",
  failure: toFailure(new LoopError(code, "It failed.")),
  retryable: true,
});
const price = { input: 1_000, output: 100_000 };

function models(...replies: readonly (readonly ModelEvent[])[]): {
  model: Model;
  second: ReturnType<typeof scriptedModel>;
} {
  const second = scriptedModel(says("From the second."));
  const first = { ...scriptedModel(...replies), id: "first", contextWindow: 50_000, price };
  return { model: withFallback(first, { ...second, id: "second", contextWindow: 20_000 }), second };
}

describe("withFallback", () => {
  for (const code of [
    "rate_limited",
    "provider_failed",
    "endpoint_unreachable",
    "quota_exhausted",
    "reply_stalled",
  ] as const)
    it(`asks the other after ${code}`, async () => {
      const { model, second } = models([failed(code)]);
      await collect(model);
      assert.equal(second.requests.length, 1);
    });

  for (const [what, reply] of [
    ["a rejected key", [failed("key_rejected")]],
    ["a request that is too long", [failed("context_overflow")]],
    ["words that were shown", [{ type: "text", text: "So" }, failed("provider_failed")]],
    ["a call that was begun", [{ type: "call:start", id: "c", name: "t" }, failed("provider_failed")]],
  ] as const)
    it(`asks nobody else after ${what}`, async () => {
      const { model, second } = models(reply);
      assert.deepEqual(await collect(model), reply);
      assert.equal(second.requests.length, 0);
    });

  it("has the smaller window of both", () => assert.equal(models([]).model.contextWindow, 20_000));

  it("the run says so once, its messages say who wrote them, and no cost is made up", async () => {
    const { model } = models(calls(["c", "read_file", {}]), [failed("quota_exhausted")]);
    const made = kit({ model, tools: [tool("read_file")] });
    const { status, output, cost, usage } = await made.run();
    assert.deepEqual([status, output], ["completed", "From the second."]);
    const notices = made.events.flatMap((event) => (event.type === "loop:notice" ? [event.message] : []));
    assert.deepEqual(notices, ["It failed. This run goes on with second."]);
    const writers = made.lines.flatMap((line) => (line["role"] === "assistant" ? [line["model"]] : []));
    assert.deepEqual(writers, ["first", "second"]);
    assert.ok(usage.input > 0);
    assert.equal(cost, undefined);
  });

  it("costs what each of them costs", async () => {
    const second = { price: { input: 2_000, output: 0 } };
    for (const [used, expected] of [
      // Ten tokens in, at 2,000 dollars for a million.
      [[], "0.02"],
      [says("").slice(1, 2), "0.23"],
    ] as const) {
      const first = { ...scriptedModel([...used, failed("quota_exhausted")]), id: "first", price };
      const other = { ...second, ...scriptedModel(says("Hi.")), id: "second" };
      const made = kit({ model: withFallback(first, other) });
      assert.equal((await made.run()).cost?.toFixed(2), expected);
      const [end] = ofType(made.events, "message:end");
      assert.deepEqual(end?.usage, { input: 10, output: 2 }, "the window holds what the second has read");
    }
  });
});
