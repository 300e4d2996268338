// What a click opens is fetched with the click: what a person sees where that fails, and the way on.
import assert from "node:assert/strict";
import { composer, usePanel } from "./harness.ts";
import { until } from "./page.ts";
import * as story from "./stories.ts";

describe("the panel, where a file of it cannot be loaded", function () {
  this.timeout(60_000);
  const { panel, show, focused } = usePanel();

  it("says so, opens what was asked for on the next try, and nobody has to click twice", async () => {
    await show([story.setup(), ...story.start("Hello."), story.end()]);
    const { page } = panel();
    // The browser complains of what it could not load: here it is meant.
    page.removeAllListeners("console");
    await page.route("**/more-*.js", (route) => route.abort(), { times: 1 });
    await page.getByLabel(composer).fill("half a sentence");
    await page.keyboard.press("Control+f");
    await page.getByRole("alert").waitFor();
    assert.match(await page.getByRole("alert").innerText(), /could not be loaded. Try again/);
    assert.equal(await focused(), composer);
    await page.getByRole("button", { name: "Try Again" }).click();
    await page.getByRole("search").getByRole("textbox").waitFor();
    await until(page, "document.activeElement.matches('.find > input')");
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.equal(await page.getByLabel(composer).inputValue(), "half a sentence");
  });
});
