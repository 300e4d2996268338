// “Always allow” in the panel: the rule that will be made, by keys and by button, and what a rule allowed afterwards.
import assert from "node:assert/strict";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const offers: PanelEvent = {
  type: "call:offers",
  runId: "run-1",
  toolCallId: "c1",
  offers: [
    { text: "allow run_command: npm test", words: "Runs exactly “npm test” without asking.", matches: [] },
    {
      text: "allow run_command: npm test *",
      words: "Runs “npm test” with any arguments without asking.",
      matches: ["Run npm test -w"],
    },
  ],
};
const asked = [
  story.setup(),
  ...story.start("Test it."),
  ...story.pendingCommand("c1", "npm test"),
  ...story.pendingEdit("e1"),
];

describe("the panel makes rules", function () {
  this.timeout(60_000);
  const { panel, show, press, focused, transcript, tell } = usePanel();
  const part = () => panel().page.getByRole("group", { name: "Always allow: run npm test" });

  it("by keys alone: A shows the exact rule, Enter makes it for the session", async () => {
    await show([...asked, offers]);
    await panel().page.locator("[data-call=c1]").focus();
    await press("a");
    assert.match(await part().innerText(), /Runs exactly “npm test” without asking\. allow run_command: npm test/);
    assert.match(await part().innerText(), /It fits no other call of this session so far\./);
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "call:allow", toolCallId: "c1", offer: 0, scope: "session" }]);
    assert.equal(await focused(), "e1");
  });

  it("a wider one, for the workspace, with what it would have allowed", async () => {
    await show([...asked, offers]);
    await panel().page.locator("[data-call=c1]").focus();
    await press("a", "ArrowDown");
    assert.match(await part().innerText(), /Would have allowed 1 call of this session/);
    assert.equal(await part().getByRole("listitem").textContent(), "Run npm test -w");
    await part().getByLabel("How long it counts").selectOption("workspace");
    await part().getByRole("button", { name: "Allow" }).click();
    assert.deepEqual(await panel().posted(), [{ type: "call:allow", toolCallId: "c1", offer: 1, scope: "workspace" }]);
  });

  it("unless a person takes it back, or no rule can allow the call", async () => {
    await show([...asked, offers]);
    await panel().page.locator("[data-call=c1]").focus();
    await press("a", "Escape");
    assert.equal(await part().count(), 0);
    assert.equal(await focused(), "c1");
    await panel().page.locator("[data-call=e1]").focus();
    await press("a");
    assert.equal(await panel().page.locator(".allow").count(), 0);
    assert.deepEqual(await panel().posted(), []);
  });

  it("says which rule allowed a call", async () => {
    await show(asked);
    const about = { runId: "run-1", toolCallId: "c1" };
    const rule = "allow run_command: npm test";
    await tell({ type: "call:decided", ...about, decision: { kind: "approve" }, by: "policy", rule });
    assert.match(await transcript(), /allowed by the rule “allow run_command: npm test”/);
  });
});
