// Messages into a run that is going on: read at the next safe point, kept in the transcript, handed back when unread.
import assert from "node:assert/strict";
import { replay } from "../../../src/protocol/replay.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

const slow = (made: () => Kit) =>
  tool("slow", {
    run: () =>
      new Promise((resolve) => void made().clock.after(100, () => resolve({ status: "succeeded", content: "slow" }))),
  });

describe("a message into a run", () => {
  it("is read with the next request, after all results, and stays in the conversation", async () => {
    const model = scriptedModel(calls(["a", "slow", {}]), calls(["b", "slow", {}]), says("ok"));
    const made: Kit = kit({ model, tools: [slow(() => made)] });
    const run = made.start();
    await made.clock.advance(50);
    assert.equal(run.steer("Use tabs."), true);
    assert.equal(run.steer("  "), false);
    await made.clock.advance(1_000);
    const outcome = await run.result;
    assert.deepEqual(
      model.requests.map(({ messages }) => messages.map(({ role, content }) => `${role}: ${content}`).slice(2)),
      [[], ["tool: slow", "user: Use tabs."], ["tool: slow", "user: Use tabs.", "assistant: ", "tool: slow"]],
    );
    assert.deepEqual(outcome.unread, []);
    const view = replay(made.lines, { id: "id-2", title: "" }).reduce(reduce, emptyView);
    assert.equal(view.turns.length, 1);
    assert.ok(view.turns[0]?.items.some((item) => item.kind === "user" && item.text === "Use tabs."));
  });

  it("that comes while the answer is written is answered too, in the same run", async () => {
    const model = scriptedModel(async function* () {
      yield { type: "text", text: "The answer" };
      await new Promise<void>((resolve) => void made.clock.after(100, resolve));
      yield { type: "finish", reason: "stop" };
    }, says("And that."));
    const made: Kit = kit({ model });
    const run = made.start();
    await made.clock.advance(50);
    run.steer("And that?");
    await made.clock.advance(1_000);
    const outcome = await run.result;
    assert.equal(outcome.output, "And that.");
    assert.deepEqual(
      outcome.messages.map(({ content }) => content),
      ["Do it.", "The answer", "And that?", "And that."],
    );
    assert.equal(ofType(made.events, "message:user").length, 1);
  });

  it("that is not read any more is handed back: nothing a person wrote is lost", async () => {
    const model = scriptedModel(calls(["a", "slow", {}]));
    const made: Kit = kit({ model, tools: [slow(() => made)] });
    const run = made.start();
    await made.clock.advance(50);
    run.steer("first");
    run.steer("second");
    run.stop();
    await made.clock.advance(3_000);
    assert.deepEqual((await run.result).unread, ["first", "second"]);
    assert.equal(run.steer("third"), false);
    const failing = kit({ model: scriptedModel(), ports: { model: () => Promise.reject(new Error("no model")) } });
    const failed = failing.start();
    failed.steer("early");
    assert.deepEqual((await failed.result).unread, ["early"]);
  });
});
