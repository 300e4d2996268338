// A compaction that a person undid is not made again behind their back; where nothing else fits, they are told why it is.
import assert from "node:assert/strict";
import { isUndone } from "../../../src/engine/compacted.ts";
import { reviseCompaction } from "../../../src/engine/compactSession.ts";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { undoneAt } from "../../../src/engine/thresholds.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { LoopError, toFailure } from "../../../src/protocol/errors.ts";
import type { CompactionEntry, Entry } from "../../../src/protocol/messages.ts";
import { kit, ofType, says, type Kit } from "../../support/kit.ts";
import { longModel, textOf, type LongModel } from "../../support/longSession.ts";
import { history } from "./histories.ts";

const window = 20_000;
const fact = "FACT: the bill of 2019-03-07 is the first that is wrong.";

const compactions = (made: Kit): CompactionEntry[] =>
  made.lines.filter((entry): entry is CompactionEntry => entry["type"] === "compaction");
const notices = (made: Kit): string[] => ofType(made.events, "loop:notice").map(({ message }) => message);

const undo = async (made: Kit): Promise<void> => {
  const compactionId = compactions(made).at(-1)?.id ?? "";
  await reviseCompaction({ sessionId: "s", compactionId, summary: null }, made.ports);
};

/** A session in words, just too long, whose compaction was made by itself and then undone. */
async function undone(reply: () => readonly ModelEvent[]): Promise<{ made: Kit; model: LongModel }> {
  const model = longModel({ window, task: (count) => (count === 0 ? says("Fine.") : reply()) });
  const talk = history(Array.from({ length: 19 }, () => ({ said: 3_000 })));
  const said: Entry = { role: "user", content: fact, id: "fact", runId: "r", timestamp: "t" };
  const made = kit({ model, history: [said, ...talk] });
  await made.run({ message: "Go on.", sessionId: "s" });
  assert.equal(compactions(made).length, 1);
  assert.deepEqual(notices(made), []);
  await undo(made);
  return { made, model };
}

describe("a compaction that was undone", () => {
  it("is not made again while the request fits the window without it, in however many runs", async () => {
    const { made, model } = await undone(() => says("As you said."));
    for (const message of ["And now?", "And then?"]) {
      assert.equal((await made.run({ message, sessionId: "s" })).output, "As you said.");
      const sent = model.tasks.at(-1);
      assert.ok(sent?.messages[0]?.content === fact && sent.messages.at(-1)?.content === message);
    }
    assert.equal(compactions(made).length, 1);
    assert.ok(model.largest() > 16_000 && model.largest() <= undoneAt({ ...loopDefaults, contextWindow: window }));
    assert.deepEqual(notices(made), []);
  });

  it("is made again where nothing fits without it, which a notice says; what comes after is as ever", async () => {
    const { made, model } = await undone(() => says("a".repeat(3_000)));
    for (let run = 0; compactions(made).length === 1 && run < 9; run += 1)
      assert.equal((await made.run({ message: `Question ${run}`, sessionId: "s" })).status, "completed");
    assert.ok(model.largest() > 17_000 && model.largest() <= 18_000, `${model.largest()}`);
    const [told, ...more] = notices(made);
    assert.match(
      told ?? "",
      /^You undid the last summary .* no longer fits: about 1[89],\d{3} tokens, .* takes 16,000\./,
    );
    assert.deepEqual(more, []);
    assert.ok(textOf(model.tasks.at(-1)).includes(fact));
    for (let run = 0; compactions(made).length === 2 && run < 40; run += 1)
      await made.run({ message: `More ${run}`, sessionId: "s" });
    assert.equal(compactions(made).length, 3);
    assert.equal(notices(made).length, 1, "the person undid that one, and not this");
  });

  it("is made again where the endpoint itself refuses the request, and says so", async () => {
    let refused = false;
    const { made, model } = await undone(() => {
      if (refused) return says("Shorter.");
      refused = true;
      const failure = toFailure(new LoopError("context_overflow", "It said no."));
      return [{ type: "error", failure, retryable: false }];
    });
    assert.equal((await made.run({ message: "And now?", sessionId: "s" })).output, "Shorter.");
    assert.deepEqual([compactions(made).length, model.tasks.length, notices(made).length], [2, 3, 1]);
  });

  it("counts until there is another, a delegate's and an edited text left out", () => {
    const about = { runId: "r", timestamp: "t" };
    const text = { summary: "", carried: [], firstKeptId: "", messages: 1, tokensBefore: 2, tokensAfter: 1 };
    const one: Entry = { type: "compaction", id: "one", ...about, ...text };
    const gone: Entry = { type: "compaction_undone", id: "x", ...about, compactionId: "one" };
    assert.equal(isUndone([]), false);
    assert.equal(isUndone([one]), false);
    assert.equal(isUndone([one, gone]), true);
    assert.equal(isUndone([one, gone, { ...one, id: "inner", within: "call" }]), true);
    assert.equal(isUndone([one, gone, { ...one, id: "edit", edits: "one" }]), true);
    assert.equal(isUndone([one, gone, { ...one, id: "two" }]), false);
  });
});
