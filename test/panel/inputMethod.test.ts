// Keys that are not the panel's: those of an input method that is composing a word, and those with one modifier more.
import assert from "node:assert/strict";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import { listedSession, openSessions } from "./sessionStates.ts";
import * as story from "./stories.ts";

describe("the panel leaves keys alone", function () {
  this.timeout(60_000);
  const { panel, show, press, focused } = usePanel();
  /** A key that the input method takes, in the field that has the focus. */
  const composing = async (key: string): Promise<void> => {
    await panel().page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", isComposing: true, bubbles: true, cancelable: true }))`,
    );
    await drawn(panel().page);
  };

  it("that an input method takes: nothing is sent, cancelled or closed by them", async () => {
    await show([story.setup(), ...story.start("Go."), ...story.pendingCommand("c1")]);
    const { page } = panel();
    await page.getByLabel(composer).fill("変換");
    await composing("Enter");
    await page.getByRole("button", { name: "Reject" }).click();
    const reason = page.locator(".reason-box input");
    await reason.fill("変換");
    for (const key of ["Escape", "Enter"]) await composing(key);
    assert.equal(await reason.inputValue(), "変換");
    await reason.press("Escape");
    await page.getByRole("button", { name: "Modify" }).click();
    const command = page.getByRole("textbox", { name: "Command" });
    await command.fill("echo 変換");
    await composing("Escape");
    assert.equal(await command.inputValue(), "echo 変換");
    await command.press("Escape");
    await press("Control+f");
    await page.getByRole("search").getByRole("textbox").waitFor();
    await composing("Escape");
    assert.equal(await focused(), "Find");
    await openSessions(panel(), [listedSession("s1", "One")]);
    for (const key of ["Escape", "Enter", "ArrowDown"]) await composing(key);
    assert.equal(await focused(), "Search titles and texts");
    const said = (await panel().posted()).filter(({ type }) => !/^sessions?:find|^sessions:close/.test(type));
    assert.deepEqual(said, []);
  });

  it("that mean something else with another modifier", async () => {
    await show([story.setup(), ...story.start("Go."), story.end()]);
    await press("Control+Alt+f", "Control+Shift+f", "Meta+Control+f");
    assert.equal(await panel().page.getByRole("search").count(), 0);
    await press("Control+f");
    await panel().page.getByRole("search").waitFor();
  });
});
