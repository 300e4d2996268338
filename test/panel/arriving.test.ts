// The arguments of a call while the model is still writing them: readable before they are whole, and gone once they are.
import assert from "node:assert/strict";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

describe("the panel shows the arguments of a call", function () {
  this.timeout(60_000);
  const { panel, show, tell } = usePanel();

  it("while the model writes them, and what it would do once they are whole", async () => {
    const piece = (name: string, text: string): PanelEvent => ({
      type: "call:field",
      runId: "run-1",
      toolCallId: "e1",
      name,
      text,
    });
    const [streaming, ...rest] = story.pendingEdit("e1");
    assert.ok(streaming?.type === "call:streaming");
    await show([story.setup(), ...story.start("Rename it."), streaming]);
    await tell(piece("path", "src/pr"));
    const shown = panel().page.locator(".arriving");
    await shown.waitFor();
    assert.equal(await shown.innerText(), "path: src/pr");
    await tell(piece("path", "ice.js"), piece("new_text", "one\ntw"), piece("new_text", 'o "2"'));
    assert.equal(await shown.innerText(), 'path: src/price.js\nnew_text: one\ntwo "2"');
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    await tell(piece("new_text", `\n${lines.join("\n")}`));
    assert.equal(await shown.innerText(), ["path: src/price.js", "new_text: …", ...lines.slice(-8)].join("\n"));
    // Nobody is read a text that changes with every frame.
    assert.equal(await shown.getAttribute("aria-hidden"), "true");
    assert.equal(await panel().page.locator("[aria-live] .arriving").count(), 0);
    await tell(...rest);
    assert.equal(await shown.count(), 0);
    assert.equal(await panel().page.locator("[data-call=e1]").count(), 1);
  });
});
