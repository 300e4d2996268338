// What waits for a person who looks elsewhere: told once by a notification that leads there, and never to one who looks.
import assert from "node:assert/strict";
import type { FrameLocator, Page } from "playwright-core";
import { openBrain } from "../support/e2e.ts";

/** What VS Code asks the browser about; a browser without a screen says that every page is in front. */
async function look(page: Page, here: boolean): Promise<void> {
  await page.evaluate(`document.hasFocus = () => ${here}; document.dispatchEvent(new Event("visibilitychange"))`);
}

async function ask(panel: FrameLocator): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message to Brain" });
  await composer.fill("Remember that we use node --test");
  await composer.press("Enter");
}

describe("what waits for a person", function () {
  this.timeout(600_000);
  it("is told while the window is not in front, and not while it is", async () => {
    const brain = await openBrain();
    const { page, panel } = brain;
    const told = page.locator(".notification-toast").filter({ hasText: "Brain: 1 call waits for you" });
    const approve = panel.getByRole("button", { name: /^Approve/ });
    const waiting = page.locator('[id*="brain.waiting"]');
    try {
      await ask(panel);
      await approve.waitFor();
      await waiting.waitFor();
      assert.equal(await told.count(), 0);
      await approve.click();
      await waiting.waitFor({ state: "hidden" });
      await look(page, false);
      await ask(panel);
      await told.waitFor();
      await brain.screenshot("attention");
      await look(page, true);
      await told.getByRole("button", { name: "Show" }).click();
      await panel.locator("[data-call]:focus, [data-call] :focus").first().waitFor({ state: "attached" });
      await panel.getByRole("button", { name: /^Approve/ }).click();
      await waiting.waitFor({ state: "hidden" });
    } catch (error) {
      console.log(`What it looked like: ${await brain.screenshot("e2e-attention-failed")}`);
      throw error;
    } finally {
      await brain.close();
    }
  });
});
