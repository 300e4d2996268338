// A proposed change in the panel, place by place: what its buttons and keys send, and what a screen reader hears.
import assert from "node:assert/strict";
import type { Review } from "../../src/protocol/calls.ts";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { decide, usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const review: Review = {
  typed: false,
  count: 2,
  hunks: [
    { id: "h1", state: "open", at: 3, more: 0, lines: [" before", "-old one", "+new one", " after"] },
    { id: "h2", state: "open", at: 30, more: 12, lines: ["+added"] },
  ],
};
const waits = [story.setup(), ...story.start("Rename."), ...story.pendingEdit("e1")];
const changed = (next: Review): PanelEvent => ({
  type: "review:changed",
  runId: "run-1",
  toolCallId: "e1",
  review: next,
});

describe("the hunks of a proposed change", function () {
  this.timeout(60_000);
  const { panel, show, tell, press } = usePanel();
  const row = () => panel().page.locator(".pending-row").first();

  it("are taken and refused by button, and say so once the host does", async () => {
    await show([...waits, changed(review)]);
    await row().getByRole("button", { name: "Accept hunk 1 of 2" }).click();
    await row().getByRole("button", { name: "Reject hunk 2 of 2" }).click();
    assert.deepEqual(await panel().posted(), [
      { type: "hunk:decide", toolCallId: "e1", hunkId: "h1", state: "accepted" },
      { type: "hunk:decide", toolCallId: "e1", hunkId: "h2", state: "rejected" },
    ]);
    const [first, second] = review.hunks;
    assert.ok(first && second);
    await tell(
      changed({
        ...review,
        hunks: [
          { ...first, state: "accepted" },
          { ...second, state: "rejected" },
        ],
      }),
    );
    await row().getByLabel("Hunk 1 of 2, accepted").waitFor();
    const refused = row().getByLabel("Hunk 2 of 2, refused");
    assert.doesNotMatch(await refused.innerText(), /added/);
    await refused.getByRole("button", { name: "Decide again about hunk 2 of 2" }).click();
    assert.deepEqual((await panel().posted()).at(-1), {
      type: "hunk:decide",
      toolCallId: "e1",
      hunkId: "h2",
      state: "open",
    });
  });

  it("can all be reached by arrows, opened in an editor with V, and approved as a whole with Enter", async () => {
    await show([...waits, changed(review)]);
    await row().focus();
    await press("v", "Enter");
    assert.deepEqual(await panel().posted(), [
      { type: "call:review", toolCallId: "e1" },
      decide("e1", { kind: "approve" }),
    ]);
    await show([...waits, changed(review)]);
    await row().focus();
    const names: (string | null)[] = [];
    for (let step = 0; step < 14; step++) {
      await press("ArrowRight");
      names.push(await panel().page.evaluate<string | null>("document.activeElement.getAttribute('aria-label')"));
    }
    for (const name of ["Accept hunk 1 of 2", "Reject hunk 2 of 2"]) assert.ok(names.includes(name), name);
  });

  it("are not listed for a change of one place: the call's own buttons are enough", async () => {
    await show([...waits, changed({ ...review, count: 1, hunks: review.hunks.slice(0, 1) })]);
    assert.equal(await row().locator(".hunk").count(), 0);
    assert.equal(
      await row()
        .getByRole("button", { name: /^Review/ })
        .count(),
      1,
    );
    await tell(changed({ typed: true, count: 1, hunks: review.hunks.slice(0, 1) }));
    assert.equal(await row().locator(".hunk").count(), 1);
  });
});
