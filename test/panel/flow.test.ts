// A plan drawn, a plan changed before it begins, and the to-dos, as a person meets them.
import assert from "node:assert/strict";
import type { ToHost } from "../../src/protocol/wire.ts";
import { usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as plans from "./planStories.ts";
import * as story from "./stories.ts";

type Decision = Extract<ToHost, { type: "plan:decide" }>["decision"];
const decided = (decision: Decision): ToHost => ({ type: "plan:decide", planId: "plan-1", decision });

describe("the drawing of a plan in the panel", function () {
  this.timeout(60_000);
  const { panel, show, tell, press } = usePanel();
  const unfold = async () => {
    await panel().page.locator(".plan .call-head").click();
    await panel().page.locator(".flow-box").first().waitFor();
  };
  const names = () =>
    panel().page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.flow-box > .for-readers')].map((words) => words.textContent)",
    );

  it("LOOP-PLAN-6: has a box for each call with its state in words, which follow the run while nothing moves", async () => {
    await show(story.withPlan("eager"));
    await unfold();
    assert.deepEqual(await names(), [
      "Read src/price.js, ready",
      "Read src/cart.js, ready",
      "Write docs/prices.md, waits, after Read src/price.js",
      "Edit src/price.js, waits, after Read src/price.js and Read src/cart.js",
      "Run node --test test/cart.test.js, waits, after Edit src/price.js",
    ]);
    const places = () =>
      panel().page.evaluate(
        "JSON.stringify([...document.querySelectorAll('.flow-place')].map((box) => [box.offsetLeft, box.offsetTop]))",
      );
    const before = await places();
    await tell(...story.planHalfWay(), ...story.planToEdit());
    assert.deepEqual(
      (await names()).map((name) => name.split(", ")[1]),
      ["done", "done", "done", "waits for you", "waits"],
    );
    assert.equal(await places(), before);
    assert.equal(await panel().page.locator(".flow-lines path.flowed").count(), 3);
  });

  it("is one tab stop: arrows go along the lines and columns, Enter goes to the call", async () => {
    await show(story.withPlan("eager"));
    await unfold();
    assert.equal(await panel().page.locator(".flow-box[tabindex='0']").count(), 1);
    await panel().page.locator(".flow-box").first().focus();
    const walked: string[] = [];
    for (const key of [
      "ArrowRight",
      "ArrowDown",
      "ArrowRight",
      "ArrowRight",
      "ArrowLeft",
      "ArrowLeft",
      "End",
      "Home",
    ]) {
      await press(key);
      walked.push(await panel().page.evaluate("document.activeElement.dataset.box"));
    }
    assert.deepEqual(walked, ["w1", "e1", "c1", "c1", "e1", "r2", "c1", "r1"]);
    await press("ArrowRight", "ArrowDown", "Enter");
    assert.equal(await panel().page.evaluate("document.activeElement.dataset.item"), "e1");
  });

  it("goes to a call that is folded into a line with others", async () => {
    await show([...story.withPlan("eager"), ...story.planHalfWay(), ...story.planToEdit()]);
    await unfold();
    await panel().page.locator("[data-box=r2]").click();
    assert.equal(await panel().page.evaluate("document.activeElement.dataset.item"), "r1 r2");
  });

  it("is never higher than 160 pixels unless it is enlarged, which is remembered, as is the list in its place", async () => {
    await show(plans.sixty());
    await unfold();
    const height = async () => (await panel().page.locator(".flow-frame").boundingBox())?.height ?? 0;
    assert.equal(await height(), 160);
    await panel().page.getByRole("button", { name: "Enlarge the drawing" }).click();
    assert.ok((await height()) > 400);
    await panel().page.getByRole("button", { name: "Make the drawing small again" }).click();
    await panel().page.getByRole("button", { name: "Flow" }).click();
    assert.equal(await panel().page.locator(".step").count(), 60);
    for (let press = 0; press < 2; press++) await panel().page.locator(".plan .call-head").click();
    await drawn(panel().page);
    assert.equal(await panel().page.locator(".step").count(), 60);
    assert.equal(await panel().page.locator(".flow-box").count(), 0);
  });
});

describe("a plan that waits in the panel", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused, transcript } = usePanel();
  const button = (name: string) => panel().page.getByRole("button", { name });
  const states = () => panel().page.locator(".step-state").allInnerTexts();

  it("LOOP-PLAN-3: begins with what a person left of it: a step taken out, another one changed", async () => {
    await show(plans.changeable());
    await button("Take out of the plan: write docs/prices.md").click();
    await button("Change: run node --test test/cart.test.js").click();
    assert.equal(await focused(), "");
    await panel().page.getByRole("textbox", { name: "Command" }).fill("node --test");
    await button("Keep").click();
    assert.equal(await focused(), "plan-1");
    assert.deepEqual(await states(), ["ready", "ready", "waits", "removed", "changed"]);
    await press("Enter");
    const changes = { removed: ["w1"], changed: [{ toolCallId: "c1", params: { command: "node --test" } }] };
    const decision = { kind: "approve", changes } as const;
    assert.deepEqual(await panel().posted(), [decided(decision)]);
    await tell({
      type: "plan:decided",
      runId: "run-1",
      planId: "plan-1",
      decision,
      by: "person",
      steps: story.planSteps.filter(({ toolCallId }) => toolCallId !== "w1"),
    });
    assert.match(await transcript(), /Plan of 4 calls\s+4 to come · 1 removed, 1 changed · approved by you/);
  });

  it("puts back what was taken out and what was changed, and then is approved as it was", async () => {
    await show(plans.changeable());
    await button("Take out of the plan: read src/cart.js").click();
    await button("Put back: read src/cart.js").click();
    for (const command of ["node --test", "node --test test/cart.test.js"]) {
      await button("Change: run node --test test/cart.test.js").click();
      await panel().page.getByRole("textbox", { name: "Command" }).fill(command);
      await press("Control+Enter");
    }
    await panel().page.locator("[data-call=plan-1]").focus();
    await press("a");
    assert.deepEqual(await panel().posted(), [decided({ kind: "approveAll" })]);
  });

  it("says why what was made of it cannot run, keeps it, and can be decided again", async () => {
    await show(plans.changeable());
    await button("Take out of the plan: read src/price.js").click();
    await button("Run plan").click();
    await tell(plans.refused());
    assert.match(await panel().page.locator(".waiting").innerText(), /written by no call/);
    assert.equal((await states())[0], "removed");
    await button("Put back: read src/price.js").click();
    await panel().page.locator("[data-call=plan-1]").focus();
    await press("Enter");
    const changes = { removed: ["r1"], changed: [] };
    assert.deepEqual(await panel().posted(), [decided({ kind: "approve", changes }), decided({ kind: "approve" })]);
  });

  it("is refused when nothing of it is left; Escape leaves a step as it was", async () => {
    await show(plans.changeable());
    await button("Change: read src/cart.js").click();
    await press("Escape");
    assert.equal(await focused(), "plan-1");
    assert.equal(await panel().page.locator(".step-form").count(), 0);
    for (const name of ["src/price.js", "src/cart.js"]) await button(`Take out of the plan: read ${name}`).click();
    for (const what of ["edit src/price.js", "write docs/prices.md", "run node --test test/cart.test.js"])
      await button(`Take out of the plan: ${what}`).click();
    await button("Run plan").click();
    assert.deepEqual(await panel().posted(), [decided({ kind: "reject", reason: "All of its steps were taken out." })]);
  });
});

describe("the to-dos in the panel", function () {
  this.timeout(60_000);
  const { panel, show, tell } = usePanel();
  const line = () => panel().page.locator(".todos");

  it("are one line with the one that is being done, unfolded all of them, and gone when all are done", async () => {
    await show([...story.working(), ...plans.keepsTodos(plans.todos)]);
    assert.match(await line().innerText(), /^1 of 4 done\s+Round once, after the discount, in src\/price\.js$/);
    await line().getByRole("button").click();
    await line().locator(".todo-new").waitFor();
    assert.deepEqual(
      (await panel().page.locator(".todos .todo").allInnerTexts()).map((words) => words.split("\n")[0]),
      ["Done:", "Being done:", "Open:", "Open:"],
    );
    const next = plans.todos.map((todo, index) => ({ ...todo, state: index < 3 ? "done" : "doing" }) as const);
    await tell(...plans.keepsTodos(next, "todos-2"));
    assert.match(await line().innerText(), /^3 of 4 done/);
    await tell(
      ...plans.keepsTodos(
        next.map(({ text }) => ({ text, state: "done" })),
        "todos-3",
      ),
    );
    assert.equal(await line().count(), 0);
  });
});
