// What fills a window: each part where it belongs, together exactly the estimate, as the events of a run tell it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { compactedMessage } from "../../../src/engine/compacted.ts";
import { holdsOf } from "../../../src/engine/holds.ts";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import { partsOfPrompt, systemPrompt } from "../../../src/engine/prompt.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { calls, coder, kit, ofType, says, scriptedModel, tool } from "../../support/kit.ts";

const limits = { flushAt: 90_000, compactAt: 100_000 };
const about = { id: "m", runId: "r", timestamp: "" };

function promptWith(rules: string, memory: string, data: readonly string[] = []): string {
  const window = 128_000;
  const parts = { agent: coder, tools: [], project: "A project.", rules, memory, data, date: "2026-01-02", window };
  return systemPrompt({ ...parts, config: loopDefaults });
}

describe("what a window holds", () => {
  it("has rules, memory and the rest of the system prompt apart", () => {
    const bare = promptWith("", "");
    assert.deepEqual(partsOfPrompt(bare), { rules: 0, memory: 0 });
    const both = partsOfPrompt(promptWith("r".repeat(1_000), "m".repeat(500)));
    assert.ok(both.rules >= 1_000 && both.rules < 1_400, `${both.rules}`);
    assert.ok(both.memory >= 500 && both.memory < 600, `${both.memory}`);
    const alone = partsOfPrompt(promptWith("", "m".repeat(500)));
    assert.deepEqual([alone.rules, alone.memory], [0, both.memory]);
    assert.deepEqual(partsOfPrompt(coder.identity), { rules: 0, memory: 0 }, "the prompt of a .prompty file");
  });

  it("has each message where it belongs: words, attachments, results, and the summary of what was before", () => {
    const summary = compactedMessage({
      type: "compaction",
      ...about,
      summary: "s".repeat(700),
      carried: [],
      firstKeptId: "",
      messages: 3,
      tokensBefore: 0,
      tokensAfter: 0,
    });
    const attachments = [{ kind: "file" as const, label: "a.js", text: "a".repeat(3_500) }];
    const messages: Message[] = [
      summary,
      { role: "user", content: `Look.\n\n${"a".repeat(3_500)}`, attachments, ...about },
      {
        role: "tool",
        tool_call_id: "c",
        content: "r".repeat(7_000),
        name: "t",
        status: "succeeded",
        duration: 0,
        ...about,
      },
    ];
    const request: ModelRequest = { system: promptWith("", ""), messages, tools: [] };
    const { parts } = holdsOf(request, 10_000, limits);
    assert.ok(
      parts.results > 1.9 * parts.attachments && parts.attachments > 10 * parts.messages,
      JSON.stringify(parts),
    );
    assert.ok(parts.summary > parts.messages && parts.system > 0 && parts.rules === 0);
  });

  it("is together exactly the estimate, whatever it is made of", () => {
    const text = fc.string({ maxLength: 400 });
    const message = fc.record({ role: fc.constantFrom("user", "tool"), content: text });
    fc.assert(
      fc.property(fc.array(message), text, text, fc.nat(1_000_000), (list, rules, memory, estimate) => {
        const messages = list.map(({ role, content }): Message =>
          role === "user"
            ? { role: "user", content, ...about }
            : { role: "tool", tool_call_id: "c", content, name: "t", status: "succeeded", duration: 0, ...about },
        );
        const { parts } = holdsOf({ system: promptWith(rules, memory), messages, tools: [] }, estimate, limits);
        const all = Object.values(parts);
        assert.equal(
          all.reduce((sum, part) => sum + part, 0),
          estimate,
        );
        assert.ok(all.every((part) => part >= 0));
      }),
      { numRuns: Number(process.env["RUNS"] ?? 100) },
    );
  });

  it("is told with the numbers of the meter, and what of the last request the cache had", async () => {
    const model = scriptedModel(
      calls(["c", "read_file", { path: "a.js" }]),
      says("Done.").map((event) =>
        event.type === "usage" ? { ...event, usage: { input: 3_000, output: 20, cached: 1_200 } } : event,
      ),
    );
    const long = tool("read_file", { run: () => ({ status: "succeeded", content: "x".repeat(40_000) }) });
    const made = kit({ model, tools: [long] });
    await made.run({ message: "Read it." });
    const told = ofType(made.events, "loop:context", "context:estimate");
    assert.ok(told.length > 1, "the result is worth telling");
    for (const { holds, tokenEstimate } of told) {
      assert.ok(holds);
      assert.equal(
        Object.values(holds.parts).reduce((sum, part) => sum + part, 0),
        tokenEstimate,
      );
    }
    const { context } = made.events.reduce(reduce, emptyView);
    assert.ok(context?.holds);
    assert.ok(context.holds.parts.results > context.tokens / 2);
    assert.equal(context.last?.cached, 1_200);
  });
});
