// Commands in the panel: one that waits for input gets its line, those of the background are listed and can be stopped.
import assert from "node:assert/strict";
import type { LoopEvent } from "../../src/protocol/events.ts";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Publish it.")];
const login = story.command("c1", "npm login");
const asks = (prompt: string | null): LoopEvent => ({ type: "call:input", runId: "run-1", toolCallId: "c1", prompt });
const atWork = [
  ...asked,
  ...story.ready(login, { kind: "command", command: "npm login", cwd: "" }),
  ...story.running(login, "Username: "),
];

describe("the panel and commands at work", function () {
  this.timeout(60_000);
  const { panel, show, tell, press } = usePanel();
  const box = () => panel().page.locator(".input-box");
  const field = () => box().locator("input");

  it("let a person type lines into one that waits, and take the field away when it goes on", async () => {
    await show(atWork);
    assert.equal(await box().count(), 0);
    await tell(asks("Username: "));
    assert.match(await box().innerText(), /It waits for input: Username:/);
    await field().fill("ada");
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "call:input", toolCallId: "c1", text: "ada" }]);
    await tell(asks(null));
    assert.equal(await box().count(), 0);
  });

  it("hide what is typed after a question for a password, and can end the input", async () => {
    await show([...atWork, asks("Password: ")]);
    assert.equal(await field().getAttribute("type"), "password");
    await box().getByText("End input").click();
    assert.deepEqual(await panel().posted(), [{ type: "call:input", toolCallId: "c1", text: null }]);
  });

  it("can be let go on without their call, and be shown in a terminal", async () => {
    await show(atWork);
    await panel().page.locator(".call-head").click();
    await panel().page.getByLabel("Go on without it").click();
    await panel().page.getByLabel("Show in Terminal").click();
    assert.deepEqual(await panel().posted(), [
      { type: "call:release", toolCallId: "c1" },
      { type: "call:terminal", toolCallId: "c1" },
    ]);
  });

  it("list those of the background, each with its end", async () => {
    await show([...asked, { type: "commands:changed", commands: [{ id: "cmd-1", command: "npm run dev" }] }]);
    const list = panel().page.getByLabel("Commands in the background");
    assert.match(await list.innerText(), /npm run dev/);
    await list.getByLabel("Stop this command").click();
    assert.deepEqual(await panel().posted(), [{ type: "command:stop", id: "cmd-1" }]);
    await tell({ type: "commands:changed", commands: [] });
    assert.equal(await list.count(), 0);
  });
});
