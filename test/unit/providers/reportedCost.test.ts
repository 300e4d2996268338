// What endpoints say that a request cost: read in each one's own unit, given with the tokens, and never made up.
import assert from "node:assert/strict";
import { reportedCost } from "../../../src/providers/reportedCost.ts";
import { frames, startSse } from "../../support/sse.ts";
import { chatAt, collect, delta } from "./chat.ts";
import { eventFrames, responsesAt } from "./responses.ts";

const upstream = (cost: unknown): object => ({ cost_details: { upstream_inference_cost: cost } });

const said: readonly (readonly [what: string, counts: object, cost: number | undefined])[] = [
  ["a router", { cost: 0.95, is_byok: false, ...upstream(0.95) }, 0.95],
  ["a router, asked with a key that the person has lent it", { cost: 0.5, is_byok: true, ...upstream(10) }, 10.5],
  ["the same, without what the maker asks", { cost: 0.5, is_byok: true, ...upstream(null) }, undefined],
  ["the same, where the maker pays back", { cost: 0.5, is_byok: true, ...upstream(-1) }, undefined],
  ["no number", { cost: Number.NaN }, undefined],
  ["nothing to pay", { cost: 0 }, 0],
  ["xAI", { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
  ["no word of it", { prompt_tokens: 3 }, undefined],
  ["nothing", { cost: null }, undefined],
  ["words", { cost: "0.5" }, undefined],
  ["parts that nobody has agreed on", { cost: { total: 1 } }, undefined],
  ["less than nothing", { cost: -1 }, undefined],
];

describe("the cost that an endpoint says", () => {
  for (const [what, counts, cost] of said)
    it(`${what}: ${cost === undefined ? "is not known" : `$${cost}`}`, () => {
      assert.equal(reportedCost({ ...counts }).cost, cost);
    });

  it("comes with the tokens of a Chat Completions reply, once, though the server says it twice", async () => {
    const counts = {
      prompt_tokens: 194,
      completion_tokens: 2,
      cost: 0.25,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100 },
    };
    const chunks = [delta({ content: "Hi" }), { ...delta({}, "stop"), usage: counts }, { choices: [], usage: counts }];
    const server = await startSse({ parts: [frames(chunks)] });
    try {
      const events = await collect(chatAt(server.baseUrl));
      assert.deepEqual(
        events.filter(({ type }) => type === "usage"),
        [{ type: "usage", usage: { input: 194, output: 2, cached: 0, written: 100 }, cost: 0.25 }],
      );
      assert.ok(!("usage" in JSON.parse(server.asked[0]?.body ?? "")), "nobody has to ask for it");
    } finally {
      await server.close();
    }
  });

  for (const [what, total, beside] of [
    ["xAI and Google, in the total alone", 303, { beside: 290 }],
    ["others, as output", 13, {}],
    ["who does not say", undefined, {}],
  ] as const)
    it(`tells thoughts apart that are counted by ${what}`, async () => {
      const counts = {
        prompt_tokens: 12,
        completion_tokens: 1,
        ...(total && { total_tokens: total }),
        completion_tokens_details: { reasoning_tokens: 290 },
      };
      const server = await startSse({ parts: [frames([delta({}, "stop"), { choices: [], usage: counts }])] });
      try {
        const [told] = await collect(chatAt(server.baseUrl));
        assert.deepEqual(told, { type: "usage", usage: { input: 12, output: 1, reasoning: 290 }, ...beside });
      } finally {
        await server.close();
      }
    });

  it("comes with the tokens of a Responses reply", async () => {
    const usage = { input_tokens: 10, output_tokens: 2, cost_in_usd_ticks: 5_000_000_000 };
    const end = { type: "response.completed", response: { status: "completed", output: [], usage } };
    const server = await startSse({ parts: [eventFrames([end])] });
    try {
      const events = await collect(responsesAt(server.baseUrl));
      assert.deepEqual(events[0], { type: "usage", usage: { input: 10, output: 2 }, cost: 0.5 });
    } finally {
      await server.close();
    }
  });
});
