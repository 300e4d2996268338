// A German VS Code: what the manifest, the panel, the status bar and the host's own messages say in it.
import assert from "node:assert/strict";
import { openBrain } from "../support/e2e.ts";
import { runFromPalette } from "../support/palette.ts";

describe("in a German VS Code", () => {
  it("the panel, the palette, the status bar, messages and settings are German, and a call is decided in it", async () => {
    const brain = await openBrain({ language: "de" });
    const { page, panel } = brain;
    try {
      assert.equal(await panel.locator("html").getAttribute("lang"), "de");
      await runFromPalette(page, "Brain: Lauf steuern");
      await page.getByText("Es ist kein Lauf aktiv.").first().waitFor();
      await panel.getByRole("button", { name: "Fehlgeschlagenen Test reparieren" }).click();
      await panel.getByRole("button", { name: /^Freigeben/ }).waitFor();
      await page.getByText("Brain: 1 wartend").waitFor();
      await panel.getByText("Ändert eine Datei.").first().waitFor();
      await brain.screenshot("german");
      await panel.getByRole("button", { name: /^Freigeben/ }).click();
      await panel.getByText(/gearbeitet/).waitFor();
      await runFromPalette(page, "Brain: Einstellungen öffnen");
      await page.getByText("Ob der Plan vor den Aufrufen freizugeben ist.").waitFor();
    } catch (error) {
      console.log(`What it looked like: ${await brain.screenshot("e2e-german-failed")}`);
      throw error;
    } finally {
      await brain.close();
    }
  });
});
