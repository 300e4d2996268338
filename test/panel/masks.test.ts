// Masked results in the panel: what is masked is said, and a person can ask to see it elsewhere.
import assert from "node:assert/strict";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const read = story.read("c1", "notes.txt");
const shown = (result: string) => [story.setup(), ...story.start("Look."), ...story.done(read, result)];

describe("the panel and masked results", function () {
  this.timeout(60_000);
  const { panel, show, press } = usePanel();

  it("says what is masked, each kind once, and asks the host to reveal it", async () => {
    await show(shown("a [masked: API key]\nb [masked: GitHub token]\nc [masked: API key]"));
    await panel().page.locator(".call-head").click();
    assert.equal(await panel().page.locator(".masks .tag").innerText(), "masked: API key, GitHub token");
    await panel().page.getByRole("button", { name: "Reveal" }).click();
    assert.deepEqual(await panel().posted(), [{ type: "call:reveal", toolCallId: "c1" }]);
  });

  it("can be asked by keys alone", async () => {
    await show(shown("a [masked: API key]"));
    await panel().page.locator(".call-head").click();
    await panel().page.getByRole("button", { name: "Reveal" }).focus();
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "call:reveal", toolCallId: "c1" }]);
  });

  it("says nothing where nothing is masked", async () => {
    await show(shown("plain text"));
    await panel().page.locator(".call-head").click();
    assert.equal(await panel().page.locator(".masks").count(), 0);
  });
});
