// Plans: how their calls depend on each other, their states as they go on, and whether they may begin.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { PlanStep } from "../../src/protocol/messages.ts";
import type { ToHost } from "../../src/protocol/wire.ts";
import { edgesOf } from "../../webview/plan.ts";
import { lanesOf, rowsOfPlan } from "../../webview/rails.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Rename the module.")];
const decidePlan = (decision: Extract<ToHost, { type: "plan:decide" }>["decision"]): ToHost => ({
  type: "plan:decide",
  planId: "plan-1",
  decision,
});

describe("the panel shows a plan", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused, transcript } = usePanel();
  const steps = () => panel().page.locator(".step").allInnerTexts();
  const line = () => panel().page.locator(".plan .call-head");

  it("LOOP-PLAN-6: the state of each call as a word, as it changes, and how far the whole has come", async () => {
    await show(story.withPlan("eager"));
    assert.match(await line().innerText(), /Plan of 5 calls\s+5 to come/);
    await line().click();
    await panel().page.getByRole("button", { name: "Flow" }).click();
    assert.deepEqual((await steps()).map(oneLine), [
      "Read src/price.js ready",
      "Read src/cart.js ready",
      "Edit src/price.js waits after Read src/price.js and Read src/cart.js",
      "Write docs/prices.md waits after Read src/price.js",
      "Run node --test test/cart.test.js waits after Edit src/price.js",
    ]);
    await tell(...story.planHalfWay());
    assert.match(await line().innerText(), /1 done, 2 running, 2 to come/);
    assert.deepEqual(
      (await steps()).map(oneLine).map((words) => words.split(" after ")[0]),
      [
        "Read src/price.js done",
        "Read src/cart.js running",
        "Edit src/price.js waits",
        "Write docs/prices.md running",
        "Run node --test test/cart.test.js waits",
      ],
    );
    await tell(...story.planToEdit());
    assert.match(await line().innerText(), /3 done, 1 waiting, 1 to come/);
    assert.match(oneLine((await steps())[2] ?? ""), /^Edit src\/price\.js waits for you/);
  });

  it("as one quiet line that is folded, and not at all when nothing of it depends on anything", async () => {
    await show(story.withPlan("eager"));
    assert.equal(await panel().page.locator(".step").count(), 0);
    assert.equal(await panel().page.locator(".waiting").count(), 0);
    await show([
      ...asked,
      story.plan(
        "eager",
        undefined,
        story.planSteps.map((step) => ({ ...step, after: [] })),
      ),
    ]);
    assert.equal(await panel().page.locator(".plan").count(), 0);
  });

  it("that cannot run, with the reason", async () => {
    const circle = story.planSteps
      .slice(0, 2)
      .map((step, index) => ({ ...step, after: [["r2"], ["r1"]][index] ?? [] }));
    await show([...asked, story.plan("lazy", "The two calls wait for each other.", circle)]);
    assert.match(await transcript(), /Plan of 2 calls\s+cannot run[^]*The two calls wait for each other\./);
    assert.equal(await panel().page.locator(".waiting").count(), 0);
    await line().click();
    assert.equal(await panel().page.locator(".flow-box, .step").count(), 2);
  });

  it("that waits above the composer, and lets it begin with Enter, once", async () => {
    await show(story.withPlan("lazy"));
    assert.match(await transcript(), /Plan of 5 calls\s+waits for you/);
    assert.equal((await steps()).length, 5);
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab");
    assert.equal(await focused(), "plan-1");
    await press("Enter");
    assert.deepEqual(await panel().posted(), [decidePlan({ kind: "approve" })]);
    assert.equal(await focused(), composer);
    await panel().page.locator("[data-call=plan-1]").focus();
    await press("Enter", "a");
    assert.deepEqual(await panel().posted(), [decidePlan({ kind: "approve" })]);
    await tell(story.planDecided({ kind: "approve" }));
    assert.match(await transcript(), /Plan of 5 calls\s+5 to come · approved by you/);
    assert.equal(await panel().page.locator(".waiting").count(), 0);
  });

  it("and runs all of it without asking by A or by the button", async () => {
    await show(story.withPlan("lazy"));
    await panel().page.locator("[data-call=plan-1]").focus();
    await press("a");
    await show(story.withPlan("lazy"));
    await panel().page.getByRole("button", { name: "Run all without asking" }).click();
    assert.deepEqual(await panel().posted(), [decidePlan({ kind: "approveAll" })]);
    await tell(story.planDecided({ kind: "approveAll" }));
    assert.match(await transcript(), /approved as a whole by you/);
  });

  it("and rejects it with a reason or without; Escape takes that back", async () => {
    await show(story.withPlan("lazy"));
    await panel().page.locator("[data-call=plan-1]").focus();
    await press("Backspace", "Escape");
    assert.equal(await focused(), "plan-1");
    await press("Backspace");
    assert.equal(await focused(), "Why not this plan? Optional.");
    await panel().page.keyboard.type("not the docs");
    await press("Enter");
    const decision = { kind: "reject", reason: "not the docs" } as const;
    assert.deepEqual(await panel().posted(), [decidePlan(decision)]);
    await tell(story.planDecided(decision));
    assert.match(await transcript(), /Plan of 5 calls\s+rejected by you: not the docs/);
    await show(story.withPlan("lazy"));
    await panel().page.getByRole("button", { name: "Reject…" }).click();
    await press("Enter");
    assert.deepEqual(await panel().posted(), [decidePlan({ kind: "reject" })]);
  });

  it("that waits no more when its run has ended", async () => {
    await show([...story.withPlan("lazy"), story.end("aborted")]);
    assert.equal(await panel().page.locator(".waiting").count(), 0);
    assert.match(await transcript(), /Plan of 5 calls\s+was not decided/);
  });

  it("to a screen reader in a sentence, and lets nothing move the focus", async () => {
    const events = story.withPlan("lazy");
    await show(events.slice(0, -1));
    await panel().page.getByLabel(composer).focus();
    await tell(...events.slice(-1));
    assert.equal(await panel().page.getByRole("status").innerText(), "Plan of 5 calls waits for you.");
    assert.equal(await focused(), composer);
  });

  it("and its calls go ready one after another without anything moving", async () => {
    await show(story.withPlan("eager"));
    const rows = panel().page.locator(".call .call-head");
    const places = async () => Promise.all((await rows.all()).map((row) => row.boundingBox()));
    const before = await places();
    // The end of the second read is left out: then both share a line, which is another matter.
    const moved: unknown[] = [];
    for (const event of [...story.planHalfWay(), ...story.planToEdit().slice(1, -1)]) {
      await tell(event);
      const now = await places();
      if (now.some((box, index) => box?.y !== before[index]?.y)) moved.push({ event: event.type, before, now });
    }
    await drawn(panel().page);
    assert.deepEqual(moved, []);
  });
});

describe("the rails of a plan", () => {
  const step = (toolCallId: string, ...after: string[]): PlanStep => ({
    toolCallId,
    toolName: "t",
    label: { verb: toolCallId, subject: "" },
    after,
  });

  it("leave out what comes before anyway", () => {
    assert.equal(edgesOf([step("a"), step("b", "a"), step("c", "a", "b")]), 2);
    assert.equal(edgesOf(story.planSteps), 4);
  });

  it("put each call after those it comes after, whatever the order in which they were written", () => {
    const rows = rowsOfPlan([step("c", "b"), step("b", "a"), step("a")]);
    assert.deepEqual(
      rows.map((row) => row.step.toolCallId),
      ["a", "b", "c"],
    );
  });

  it("are not drawn where there are none, or more than can be followed", () => {
    assert.equal(lanesOf(rowsOfPlan([step("a"), step("b")])), 0);
    const many = Array.from({ length: 9 }, (_, index) => step(`s${index}`));
    assert.equal(lanesOf(rowsOfPlan([...many, step("end", ...many.map(({ toolCallId }) => toolCallId))])), 0);
  });

  it("lead from each call to every call directly after it, and nowhere else; circles do not hang them up", () => {
    const plans = fc
      .array(fc.array(fc.nat(9), { maxLength: 4 }), { minLength: 1, maxLength: 10 })
      .map((all) => all.map((after, index) => step(`s${index}`, ...after.map((other) => `s${other}`))));
    fc.assert(
      fc.property(plans, (steps) => {
        const rows = rowsOfPlan(steps);
        assert.deepEqual(new Set(rows.map((row) => row.step.toolCallId)), new Set(steps.map((one) => one.toolCallId)));
        assert.deepEqual(
          followed(rows),
          rows.map((row) => row.after.map((one) => one.toolCallId).toSorted()),
        );
      }),
    );
  });
});

/** What the lines say, read as an eye does: from each dot down its lane until the lane ends. */
function followed(rows: ReturnType<typeof rowsOfPlan>): readonly (readonly string[])[] {
  const lanes = new Map<number, string>();
  return rows.map((row) => {
    const from = row.into.map((lane) => lanes.get(lane) ?? "nothing").toSorted();
    for (const lane of lanes.keys()) if (!row.through.includes(lane)) lanes.delete(lane);
    assert.deepEqual(new Set(lanes.keys()), new Set(row.through));
    assert.ok(!row.through.includes(row.lane), "a line goes through a dot");
    if (row.leads) lanes.set(row.lane, row.step.toolCallId);
    return from;
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
