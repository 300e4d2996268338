// The panel in an editor tab and in the side bar at once: one conversation, a tab that is there again after a reload, and nothing lost with a tab that is closed.
import assert from "node:assert/strict";
import type { FrameLocator, Page } from "playwright-core";
import { openBrain } from "../support/e2e.ts";
import { runFromPalette } from "../support/palette.ts";
import { writtenDown } from "../support/windowState.ts";

const frames = (page: Page) => page.locator('iframe.webview.ready[src*="extensionId=brain-agent.brain-agent"]');
/** The panels that are open, once there are so many. */
async function panels(page: Page, count: number): Promise<readonly FrameLocator[]> {
  await frames(page)
    .nth(count - 1)
    .waitFor({ state: "attached", timeout: 60_000 });
  // One that is closed goes when VS Code comes to it.
  await frames(page).nth(count).waitFor({ state: "detached", timeout: 60_000 });
  return Array.from({ length: count }, (_, index) =>
    frames(page).nth(index).contentFrame().frameLocator("#active-frame"),
  );
}

/** Waits until so many runs have ended. */
async function ended(panel: FrameLocator, runs: number): Promise<void> {
  await panel
    .getByText(/^Worked/)
    .nth(runs - 1)
    .waitFor({ timeout: 60_000 });
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 60_000; !(await what());) assert.ok(Date.now() < limit, "it never came");
}

describe("the panel in two places", function () {
  this.timeout(600_000);
  it("shows one conversation in both, is asked in one and decided in the other, and comes back after a reload; what a closed tab had half written the side bar has", async () => {
    const brain = await openBrain();
    const { page } = brain;
    try {
      await runFromPalette(page, "Brain: Open in Editor");
      const both = await panels(page, 2);
      for (const panel of both) await panel.locator(".composer .picker").first().waitFor();
      await both[1]?.getByRole("button", { name: "Show me around" }).click();
      for (const panel of both) await ended(panel, 1);
      await brain.screenshot("two-places");
      await both[0]?.getByRole("textbox", { name: "Message to Brain" }).fill("Remember that we use node --test");
      await both[0]?.getByRole("textbox", { name: "Message to Brain" }).press("Enter");
      await both[1]?.getByRole("button", { name: /^Approve/ }).click();
      for (const panel of both) await ended(panel, 2);
      await writtenDown(page, "editorpart", "brain.editor");
      await page.reload();
      const again = await panels(page, 2);
      for (const panel of again) await ended(panel, 2);
      for (const [index, panel] of again.entries())
        await panel.getByRole("textbox", { name: "Message to Brain" }).fill(`half a sentence ${index}`);
      await runFromPalette(page, "View: Close All Editors");
      const [left] = await panels(page, 1);
      const composer = left?.getByRole("textbox", { name: "Message to Brain" });
      await until(async () => /half a sentence \d\n\nhalf a sentence \d/.test((await composer?.inputValue()) ?? ""));
    } catch (error) {
      console.log(`What it looked like: ${await brain.screenshot("e2e-places-failed")}`);
      throw error;
    } finally {
      await brain.close();
    }
  });
});
