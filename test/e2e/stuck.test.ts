// A panel whose script hangs, in a real window: it is noticed, loaded again, and the draft is still there.
import assert from "node:assert/strict";
import { openBrain } from "../support/e2e.ts";

/** Milliseconds: longer than the watchdog waits. */
const hang = 40_000;

describe("a panel that hangs", () => {
  it("is noticed and loaded again, with what was typed", async () => {
    const brain = await openBrain();
    try {
      const field = brain.panel.getByRole("textbox", { name: "Message to Brain" });
      await field.fill("half a sentence");
      const before = await field.evaluate((element) => {
        element.dataset["life"] = "first";
        // What is typed is written down a moment later.
        return new Promise<string>((resolve) => setTimeout(() => resolve(element.dataset["life"] ?? ""), 1_000));
      });
      assert.equal(before, "first");
      await field.evaluate((_, time) => {
        setTimeout(() => {
          const end = Date.now() + time;
          while (Date.now() < end);
        });
      }, hang);
      await brain.page
        .getByText(/had stopped answering and was loaded again/)
        .first()
        .waitFor({ timeout: 120_000 });
      // Another page has taken its place.
      await brain.panel.locator("textarea:not([data-life])").waitFor({ timeout: 120_000 });
      assert.equal(await field.inputValue(), "half a sentence");
    } finally {
      await brain.close();
    }
  });
});
