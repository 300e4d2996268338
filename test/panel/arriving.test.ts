// The arguments of a call while the model is still writing them: readable before they are whole, and gone once they are.
import assert from "node:assert/strict";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

describe("the panel shows the arguments of a call", function () {
  this.timeout(60_000);
  const { panel, show, tell } = usePanel();

  it("while the model writes them, and what it would do once they are whole", async () => {
    const piece = (text: string): PanelEvent => ({ type: "call:delta", runId: "run-1", toolCallId: "e1", text });
    const [streaming, ...rest] = story.pendingEdit("e1");
    assert.ok(streaming?.type === "call:streaming");
    await show([story.setup(), ...story.start("Rename it."), streaming]);
    await tell(piece('{"path":"src/pr'));
    const shown = panel().page.locator(".arriving");
    await shown.waitFor();
    assert.equal(await shown.innerText(), "path: src/pr");
    await tell(piece('ice.js","new_text":"one\\ntw'), piece('o \\"2\\"\\'));
    assert.equal(await shown.innerText(), 'path: src/price.js\nnew_text: one\ntwo "2"');
    await tell(...rest);
    assert.equal(await shown.count(), 0);
    assert.equal(await panel().page.locator("[data-call=e1]").count(), 1);
  });
});
