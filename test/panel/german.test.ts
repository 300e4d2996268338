// The panel of a German editor: every state speaks German, shuts nobody out and fits a narrow side bar.
import assert from "node:assert/strict";
import { bringAxe, faults } from "./axe.ts";
import { usePanel } from "./harness.ts";
import { inGerman } from "./inGerman.ts";
import { germanWords } from "./page.ts";
import { enter, states } from "./states.ts";
import * as story from "./stories.ts";

/** Every text that is shown or read out, each once; not what the model and its tools say. */
const words = `[...new Set([...document.querySelectorAll("body *:not(.markdown *, pre, pre *)")].flatMap((element) => [
  ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
  ...["title", "aria-label", "placeholder"].map((name) => element.getAttribute(name) ?? ""),
]).map((text) => text.trim()).filter((text) => text !== ""))]`;

/** What stands beside the edge of the panel without a scroll bar of its own. */
const beside = `[...document.querySelectorAll("button, select, .banner, .composer, .pending-row, .end, .menu")]
  .filter((element) => !element.closest(".flow-frame") && element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => element.outerHTML.slice(0, 200))`;

/** What lies over the rest of a list and can be seen through, and names of files that are cut to nothing. */
const unreadable = `[
  ...[...document.querySelectorAll(".form-buttons")].filter((element) => {
    const { position, backgroundColor } = getComputedStyle(element);
    return position === "sticky" && backgroundColor === "rgba(0, 0, 0, 0)";
  }),
  ...[...document.querySelectorAll(".file")].filter(
    ({ clientWidth, scrollWidth }) => clientWidth > 0 && clientWidth < 80 && scrollWidth > clientWidth + 1,
  ),
].map((element) => element.outerHTML.slice(0, 200))`;

const { panel: table, told } = germanWords();

describe("the panel in German, in every state,", function () {
  this.timeout(120_000);
  const { panel, open, show, transcript } = usePanel(bringAxe);
  const english = Object.entries({ ...table, ...told.exact }).filter(([key, other]) => key !== other);
  const exact = new Set(english.map(([key]) => key));
  // A hole could be anything: what tells a sentence is what stands around it.
  const forms = english.filter(([key]) => key.includes("{0}") && key.replaceAll(/\{\d\}/g, "").trim().length > 9);
  const patterns = forms.map(
    ([key]) => new RegExp(`^${key.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\d\}/g, "[^.]+")}$`),
  );

  for (const state of states) {
    it(`${state.name}: says nothing in English, has no fault that axe finds, and fits 300 pixels`, async () => {
      await open({ height: 1_000, ...state, width: 300, language: "de" });
      await enter({ ...panel(), page: inGerman(panel().page) }, state);
      const said = await panel().page.evaluate<readonly string[]>(words);
      assert.deepEqual(
        said.filter((text) => exact.has(text) || patterns.some((pattern) => pattern.test(text))),
        [],
      );
      assert.deepEqual(await panel().page.evaluate(beside), []);
      assert.deepEqual(await panel().page.evaluate(unreadable), []);
      assert.deepEqual(await faults(panel().page), []);
    });
  }

  it("writes numbers, costs and calls as German does", async () => {
    await show(story.finished(), { language: "de" });
    const text = await transcript();
    assert.match(text, /gearbeitet/);
    assert.equal(await panel().page.evaluate("document.documentElement.lang"), "de");
    assert.doesNotMatch(text, /\bWorked\b|\btokens\b/);
  });
});
