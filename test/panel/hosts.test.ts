// A command that wants to reach a host, in the panel: asked in words, by keys and by button, and only to be allowed or refused.
import assert from "node:assert/strict";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const asked = [
  story.setup(),
  ...story.start("Install it."),
  ...story.reaching("c1", "npm install", "registry.example.org:443"),
];

describe("the panel and hosts that commands want to reach", function () {
  this.timeout(60_000);
  const { panel, show, press, tell } = usePanel();
  const row = () => panel().page.locator(".pending-row");

  it("asks in words, for which command and which host, and says it to screen readers", async () => {
    await show(asked);
    const words = await row().innerText();
    assert.match(words, /Reach\s+registry\.example\.org:443/);
    assert.match(words, /for Run npm install/);
    assert.match(words, /“npm install” wants to reach registry\.example\.org:443\./);
    assert.match(words, /Allow once\s+⏎\s+Always…\s+A\s+Refuse\s+⌫/);
    assert.doesNotMatch(words, /Modify|Replace/);
    const label = (await row().getAttribute("aria-label")) ?? "";
    assert.match(label, /^Reach registry\.example\.org:443, for Run npm install\. “npm install” wants to reach/);
    assert.match(label, /Enter allows it for this command, A always allows, Backspace refuses\.$/);
    const status = panel().page.locator(".for-readers[role=status]");
    await status
      .getByText("1 call waits: reach registry.example.org:443 for Run npm install.")
      .waitFor({ state: "attached" });
  });

  it("takes Enter as once; E and R mean nothing", async () => {
    await show(asked);
    await row().focus();
    await press("e", "r", "Enter");
    const decision = { kind: "approve" };
    assert.deepEqual(await panel().posted(), [{ type: "call:decide", toolCallId: "c1/host-1", decision }]);
  });

  it("makes the rule that a person picks, for as long as they say", async () => {
    await show(asked);
    await row().focus();
    await press("a", "ArrowDown");
    const part = panel().page.getByRole("group", { name: "Always allow: reach registry.example.org:443" });
    assert.match(await part.innerText(), /Commands in the sandbox and tools reach \*\.example\.org without asking/);
    await part.getByLabel("How long it counts").selectOption("workspace");
    await part.getByRole("button", { name: "Allow" }).click();
    assert.deepEqual(await panel().posted(), [
      { type: "call:allow", toolCallId: "c1/host-1", offer: 1, scope: "workspace" },
    ]);
  });

  it("takes a refusal with its reason, and shows it under the command", async () => {
    await show(asked);
    await row().focus();
    await press("Backspace");
    await panel().page.keyboard.type("not today");
    await press("Enter");
    const decision = { kind: "reject", reason: "not today" } as const;
    assert.deepEqual(await panel().posted(), [{ type: "call:decide", toolCallId: "c1/host-1", decision }]);
    const about = { runId: "run-1", toolCallId: "c1/host-1" };
    const ended = { toolName: "reach_host", result: "the person refused it: not today", duration: 0 };
    await tell(
      { type: "call:decided", ...about, decision, by: "person" },
      { type: "tool:end", ...about, ...ended, status: "rejected" },
    );
    assert.equal(await row().count(), 0);
    const under = panel().page.locator(".parts");
    assert.match(await under.innerText(), /Reach\s+registry\.example\.org:443\s+rejected: not today/);
  });
});
