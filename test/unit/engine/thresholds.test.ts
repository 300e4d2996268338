// What an estimate asks for, and how an estimate follows what requests really took.
import assert from "node:assert/strict";
import fc from "fast-check";
import { anchorOf, estimateFrom, estimateTokens } from "../../../src/engine/estimate.ts";
import type { ModelEvent, ModelRequest } from "../../../src/engine/ports.ts";
import { contextActions, thresholds } from "../../../src/engine/thresholds.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { AssistantEntry, Message } from "../../../src/protocol/messages.ts";
import { kit, ofType, says, scriptedModel } from "../../support/kit.ts";

const sizes = { contextWindow: 128_000, reserveFloor: 4_000, flushThreshold: 8_000 };

describe("the thresholds of a window", () => {
  it("BRAIN-CTX-6, BRAIN-CTX-7: only strictly more than a threshold asks for something", () => {
    assert.deepEqual(contextActions(120_000, sizes, false), []);
    assert.deepEqual(contextActions(120_001, sizes, false), ["memory_flush"]);
    assert.deepEqual(contextActions(120_001, sizes, true), []);
    assert.deepEqual(contextActions(124_000, sizes, true), []);
    assert.deepEqual(contextActions(124_001, sizes, true), ["compaction"]);
  });

  it("BRAIN-CTX-8: a flush comes before a compaction", () => {
    assert.deepEqual(contextActions(124_001, sizes, false), ["memory_flush", "compaction"]);
  });

  it("BRAIN-CTX-12: a small window keeps at most a quarter for the reply and two fifths for the flush", () => {
    assert.deepEqual(thresholds({ ...sizes, contextWindow: 8_000 }), { flushAt: 4_800, compactAt: 6_000 });
    const window = fc.integer({ min: 10, max: 2_000_000 });
    const reserve = fc.integer({ min: 1, max: 500_000 });
    fc.assert(
      fc.property(window, reserve, fc.integer({ min: 1, max: 500_000 }), (contextWindow, reserveFloor, more) => {
        const at = thresholds({ contextWindow, reserveFloor, flushThreshold: reserveFloor + more });
        assert.ok(at.flushAt > 0 && at.flushAt <= at.compactAt && at.compactAt <= contextWindow);
        assert.ok(at.compactAt >= contextWindow * 0.75 && at.flushAt >= contextWindow * 0.6);
      }),
    );
  });

  it("BRAIN-CTX-12: a flush that could never come first is an error of the settings, before any request", async () => {
    const model = scriptedModel(says("never"));
    const made = kit({ model, config: { reserveFloor: 8_000, flushThreshold: 8_000 } });
    const outcome = await made.run();
    assert.equal(outcome.failure?.code, "bad_setting");
    assert.match(outcome.failure.message, /flushThreshold must be more than reserveFloor/);
    assert.equal(model.requests.length, 0);
    assert.equal(made.locked(), false);
  });
});

const line = { id: "m", runId: "r", timestamp: "t" };
const user = (content: string): Message => ({ role: "user", content, ...line });
const reply = (content: string): AssistantEntry => ({ role: "assistant", content, ...line, iteration: 1 });
const request = (...messages: Message[]): ModelRequest => ({ system: "x".repeat(350), messages, tools: [] });

describe("an estimate", () => {
  it("BRAIN-CTX-5: grows with the system prompt, the tools, the messages and the calls in them", () => {
    const small = request(user("hello"));
    const tool = { name: "read", description: "Reads.", parameters: { type: "object" } };
    const call = { id: "c", name: "read", arguments: '{"path":"a-long-name.js"}' };
    const larger: readonly ModelRequest[] = [
      { ...small, system: `${small.system} and more` },
      { ...small, tools: [tool] },
      request(user("hello"), user("hello")),
      request(user("hello"), { ...reply(""), tool_calls: [call] }),
    ];
    for (const one of larger) assert.ok(estimateTokens(one) > estimateTokens(small));
  });

  it("stands on what the last request really took, and adds only what came since", () => {
    const asked = request(user("a".repeat(3_500)));
    const said = reply("b".repeat(700));
    const anchor = anchorOf(asked, said, { input: 900, output: 150 });
    assert.equal(estimateFrom(anchor, request(...asked.messages, said)), 1_050);
    const more = user("c".repeat(350));
    assert.equal(estimateFrom(anchor, request(...asked.messages, said, more)), 1_050 + 104);
  });

  it("counts what came since on the careful side: at least as we do, and as the provider does where that is more", () => {
    const asked = request(user("a".repeat(3_500)));
    const more = request(...asked.messages, user("c".repeat(350)));
    const counted = estimateTokens(asked);
    const twice = anchorOf(asked, undefined, { input: 2 * counted, output: 0 });
    assert.equal(estimateFrom(twice, more), 2 * counted + 2 * 104);
    const half = anchorOf(asked, undefined, { input: counted / 2, output: 0 });
    assert.equal(estimateFrom(half, more), counted / 2 + 104);
  });

  it("counts reasoning only where the provider wants it back", () => {
    const asked = request(user("a".repeat(3_500)));
    const usage = { input: 1_000, output: 600, reasoning: 500 };
    assert.equal(anchorOf(asked, reply("b"), usage)?.tokens, 1_100);
    assert.equal(anchorOf(asked, { ...reply("b"), providerData: [1] }, usage)?.tokens, 1_600);
  });

  it("does not believe a server that reports almost nothing", () => {
    const asked = request(user("a".repeat(35_000)));
    assert.equal(anchorOf(asked, undefined, { input: 0, output: 5 }), null);
    assert.equal(anchorOf(asked, undefined, { input: 2_000, output: 5 }), null);
    assert.equal(estimateFrom(null, asked), estimateTokens(asked));
  });

  it("keeps the provider's measure when something was taken away", () => {
    const asked = request(user("a".repeat(70_000)));
    const anchor = anchorOf(asked, undefined, { input: 30_000, output: 0 });
    const less = request(user("a".repeat(35_000)));
    const share = estimateFrom(anchor, less) / 30_000;
    assert.ok(share > 0.49 && share < 0.52, String(share));
  });

  it("is told again during a run when it has changed by a hundredth of the window", async () => {
    const call = { id: "c", name: "nothing", arguments: "{}" };
    const round = (...inputs: readonly number[]): ModelEvent[] => [
      ...inputs.flatMap((input): ModelEvent[] => [
        { type: "retry", attempt: 1, delay: 0, reason: "again" },
        { type: "usage", usage: { input, output: 10 } },
      ]),
      { type: "call:start", id: "c", name: "nothing" },
      { type: "call", call },
      { type: "finish", reason: "calls" },
    ];
    // The second request was tried twice: only the last of the two is what the window holds.
    const made = kit({ model: scriptedModel(round(60_000), round(61_000, 61_500), round(90_000), says("ok")) });
    const { usage } = await made.run();
    assert.equal(usage.input, 60_000 + 61_000 + 61_500 + 90_000 + 10);
    const told = ofType(made.events, "context:estimate");
    assert.deepEqual(
      told.map(({ tokenEstimate }) => Math.floor(tokenEstimate / 1_000)),
      [60, 61, 90],
    );
    assert.equal(told[0]?.contextWindow, loopDefaults.contextWindow);
    assert.equal(ofType(made.events, "loop:context").length, 1);
  });

  it("begins the next run where the last request ended, with the same model", async () => {
    const usage = { type: "usage", usage: { input: 50_000, output: 100 } } as const;
    const heavy = [{ type: "text", text: "ok" }, usage, { type: "finish", reason: "stop" }] as const;
    const model = scriptedModel(heavy, heavy, heavy);
    const made = kit({ model });
    await made.run({ message: "One", sessionId: "s" });
    await made.run({ message: "Two", sessionId: "s" });
    const changed = { ...model, id: "another" };
    const other = kit({ model: changed, history: made.lines });
    await other.run({ message: "Three", sessionId: "s" });
    const told = ofType([...made.events, ...other.events], "loop:context").map(({ tokenEstimate }) => tokenEstimate);
    assert.ok((told[0] ?? 0) < 2_000 && (told[2] ?? 0) < 2_000, String(told));
    assert.ok((told[1] ?? 0) > 50_100 && (told[1] ?? 0) < 50_200, String(told));
  });
});
