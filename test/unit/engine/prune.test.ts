// Long results give way to a line in what the model reads; pairs, short results and the last five stay.
import assert from "node:assert/strict";
import fc from "fast-check";
import { estimateTokens } from "../../../src/engine/estimate.ts";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import { cutLongest, prune, shorten, withPruned } from "../../../src/engine/prune.ts";
import { endThatFits, keepEnd, unitsOf } from "../../../src/engine/units.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import { calls, kit, ofType, says, scriptedModel, tool } from "../../support/kit.ts";
import { history, pairsHold, randomHistory } from "./histories.ts";

describe("pruning", () => {
  it("BRAIN-CTX-10: leaves the last five results, short results, and every pair of call and result", () => {
    fc.assert(
      fc.property(randomHistory, (made) => {
        const messages = history(made);
        const seen = withPruned(messages, prune(messages, new Map()));
        assert.ok(pairsHold(seen));
        assert.deepEqual(
          seen.map(({ id, role }) => [id, role]),
          messages.map(({ id, role }) => [id, role]),
        );
        const results = messages.filter(({ role }) => role === "tool");
        const after = seen.filter(({ role }) => role === "tool");
        assert.deepEqual(after.slice(-5), results.slice(-5));
        results.forEach((result, index) => {
          if (result.content.length <= 600) assert.equal(after[index]?.content, result.content);
          else if (index < results.length - 5) assert.ok((after[index]?.content.length ?? 0) < 400);
        });
      }),
    );
  });

  it("says what was left out, how it began and how to get it again", () => {
    const messages = history([{ results: [2_000] }, { results: [10, 10, 10, 10, 10] }]);
    const line = withPruned(messages, prune(messages, new Map())).find(({ role }) => role === "tool")?.content ?? "";
    assert.match(line, /this result of read \(succeeded, 2,000 characters\)/);
    assert.match(line, /It began: 0-0 x+… To see it again, make the call again\./);
  });

  it("what was pruned once stays pruned, and nothing new gives the same", () => {
    const messages = history([{ results: [2_000, 2_000, 2_000, 2_000, 2_000, 2_000] }]);
    const first = prune(messages, new Map());
    assert.equal(first.size, 1);
    assert.equal(prune(messages, first), first);
    const more = prune([...messages, ...history([{ results: [2_000] }], "later")], first);
    assert.deepEqual([...more.keys()].slice(0, 1), [...first.keys()]);
    assert.equal(more.size, 2);
  });

  it("cuts the longest first, and only as much as is needed", () => {
    const messages = history([{ results: [9_000, 30_000, 1_000] }]);
    const before = estimateTokens({ system: "", tools: [], messages });
    const seen = withPruned(messages, cutLongest(messages, new Map(), 1_000, 4_000));
    assert.ok(before - estimateTokens({ system: "", tools: [], messages: seen }) >= 4_000);
    assert.deepEqual(
      seen.filter(({ role }) => role === "tool").map(({ content }) => content.length > 8_999),
      [true, true, false],
    );
    for (const most of [4, 5, 6, 7]) assert.doesNotMatch(shorten("🌱".repeat(9), most), /\p{Cs}/u);
    assert.match(shorten("abcdefghij", 6), /^abcd\n\[… 4 characters left out …\]\nij$/);
  });

  it("BRAIN-CTX-9: begins when the flush threshold is passed, in the request and not in the transcript", async () => {
    const read = tool("read", { run: () => ({ status: "succeeded", content: `big ${"x".repeat(12_000)}` }) });
    const rounds = Array.from({ length: 12 }, (_, round) => calls([`c${round}`, "read", {}]));
    const model = { ...scriptedModel(...rounds, says("Done.")), contextWindow: 40_000 };
    const made = kit({ model, tools: [read], config: { maxToolIterations: 50 } });
    assert.equal((await made.run()).status, "completed");
    const whole = ({ messages }: ModelRequest): number =>
      messages.filter(({ role, content }) => role === "tool" && content.startsWith("big")).length;
    const counts = model.requests.map(whole);
    assert.deepEqual(counts.slice(0, 9), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.equal(counts[10], 5, "the first request over the threshold keeps five");
    assert.deepEqual(counts.slice(11), [6, 7], "and nothing more gives way before it is passed again");
    const pruned = ofType(made.events, "context:pruned");
    assert.deepEqual(
      pruned.map(({ results }) => results),
      [5],
    );
    const kept = made.lines.filter((entry) => entry["role"] === "tool");
    assert.ok(kept.every(({ content }) => String(content).length === 12_004));
  });

  it("BRAIN-CTX-13: one result that no request could hold loses its middle, and the run goes on", async () => {
    const read = tool("read", { run: () => ({ status: "succeeded", content: `${"a".repeat(500_000)}the end` }) });
    const model = scriptedModel(calls(["c", "read", {}]), says("Done."));
    const made = kit({ model, tools: [read] });
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    for (const request of model.requests) assert.ok(estimateTokens(request) <= 124_000);
    assert.match(model.requests[1]?.messages.at(-1)?.content ?? "", /^aaa[^]*characters left out[^]*the end$/);
    assert.equal(String(made.lines[2]?.["content"]).length, 500_007);
  });
});

describe("the end of a conversation", () => {
  it("BRAIN-COMP-2: never splits a reply from its results, whatever is asked for", () => {
    const most = fc.record({
      messages: fc.integer({ min: 0, max: 30 }),
      tokens: fc.integer({ min: -500, max: 9_000 }),
    });
    fc.assert(
      fc.property(randomHistory, most, (made, room) => {
        const messages = history(made);
        const { gone, kept } = keepEnd(messages, room);
        assert.deepEqual([...gone, ...kept], messages);
        assert.ok(pairsHold(gone) && pairsHold(kept));
        const last: readonly Message[] = unitsOf(messages).at(-1) ?? [];
        assert.deepEqual(kept.slice(-last.length || messages.length), last);
        if (kept.length > last.length) assert.ok(kept.length <= room.messages);
        const fitting = endThatFits(messages, room.tokens);
        assert.ok(pairsHold(fitting));
        const tokens = estimateTokens({ system: "", tools: [], messages: fitting });
        assert.ok(fitting.length === 0 || tokens <= room.tokens);
      }),
    );
  });
});
