// The composer offers files and commands while a person types `@` or `/`, sends the selection along, and remembers what was sent.
import assert from "node:assert/strict";
import type { Suggestion } from "../../src/protocol/suggestions.ts";
import { composer, usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const file = (path: string): Suggestion => ({
  label: path.slice(path.lastIndexOf("/") + 1),
  detail: path.slice(0, Math.max(0, path.lastIndexOf("/"))),
  icon: "file",
  does: { write: `@${path}` },
});
const offered = [file("src/cart.js"), file("test/cart.test.js")];
const compact: Suggestion = { label: "compact", detail: "Compact", icon: "run", does: { run: "compactConversation" } };
const review: Suggestion = { label: "review", detail: "", icon: "note", does: { write: "Review this.\nBe strict." } };

describe("the composer offers", function () {
  this.timeout(60_000);
  const { panel, show, press } = usePanel();
  const field = () => panel().page.getByLabel(composer);
  const draft = () => field().inputValue();
  const asked = async () => (await panel().posted()).flatMap((one) => (one.type === "suggest" ? [one] : []));
  const answer = async (found: readonly Suggestion[]) => {
    const last = (await asked()).at(-1);
    assert.ok(last, "nothing was asked");
    await panel().send({ type: "suggested", number: last.number, found });
  };
  const options = () => panel().page.getByRole("option");
  const type = async (text: string) => {
    await field().focus();
    await panel().page.keyboard.type(text);
  };

  it("files for @, by arrows and Enter, in the middle of a sentence", async () => {
    await show([story.setup()]);
    await type("Fix  please");
    for (let n = 0; n < " please".length; n++) await press("ArrowLeft");
    await type("@ca");
    assert.deepEqual(
      (await asked()).map(({ sigil, text }) => [sigil, text]),
      [
        ["@", ""],
        ["@", "c"],
        ["@", "ca"],
      ],
    );
    await answer(offered);
    assert.equal(await options().count(), 2);
    await press("ArrowDown");
    assert.equal(await field().getAttribute("aria-activedescendant"), "composer-suggestions-1");
    await press("Enter");
    assert.equal(await draft(), "Fix @test/cart.test.js please");
    assert.equal(await options().count(), 0);
    await type("now ");
    assert.equal(await draft(), "Fix @test/cart.test.js now please");
  });

  it("by Tab and by mouse; Escape leaves the text as it is, and Enter sends it then", async () => {
    await show([story.setup()]);
    await type("@ca");
    await answer(offered);
    await press("Tab");
    assert.equal(await draft(), "@src/cart.js ");
    await type("@ca");
    await answer(offered);
    await options().nth(1).click();
    assert.equal(await draft(), "@src/cart.js @test/cart.test.js ");
    await type("@c");
    await answer(offered);
    await press("Escape");
    assert.equal(await options().count(), 0);
    await type("a");
    assert.equal(await options().count(), 0, "it stays closed for this word");
    await press("Enter");
    assert.deepEqual((await panel().posted()).at(-1), {
      type: "prompt:submit",
      text: "@src/cart.js @test/cart.test.js @ca",
    });
  });

  describe("what comes a moment after the key:", () => {
    const sent = async () => (await panel().posted()).filter(({ type }) => type === "prompt:submit");

    it("nothing that was found for less than what is typed, but the first of the answer when it is here", async () => {
      await show([story.setup()]);
      await type("Fix  please");
      for (let n = 0; n < " please".length; n++) await press("ArrowLeft");
      await type("@c");
      await answer(offered);
      await type("a");
      await press("Enter");
      assert.equal(await draft(), "Fix @ca please");
      await answer(offered.toReversed());
      assert.equal(await draft(), "Fix @test/cart.test.js please");
      await type("now ");
      assert.equal(await draft(), "Fix @test/cart.test.js now please");
      assert.deepEqual(await sent(), []);
    });

    for (const key of ["Enter", "Tab"])
      it(`the first of a list that was never shown, by ${key}`, async () => {
        await show([story.setup()]);
        await type("@ca");
        await press(key);
        await answer(offered);
        assert.equal(await draft(), "@src/cart.js ");
        assert.deepEqual(await sent(), []);
      });

    it("nothing, when there is nothing: the next Enter sends what is written", async () => {
      await show([story.setup()]);
      await type("@c");
      await answer(offered);
      await type("x");
      await press("Enter");
      await answer([]);
      assert.equal(await draft(), "@cx");
      assert.deepEqual(await sent(), []);
      await press("Enter");
      assert.deepEqual(await sent(), [{ type: "prompt:submit", text: "@cx" }]);
    });

    it("nothing, when more was typed, the cursor has gone, or Escape was pressed", async () => {
      await show([story.setup()]);
      for (const [keys, left] of [
        [["r"], "@car"],
        [["Home"], "@ca"],
        [["Escape"], "@ca"],
      ] as const) {
        await field().fill("");
        await type("@ca");
        await press("Enter", ...keys);
        await answer(offered);
        assert.equal(await draft(), left, keys[0]);
      }
      assert.deepEqual(await sent(), []);
    });

    it("no list, when Enter is pressed again: what is written is sent", async () => {
      await show([story.setup()]);
      await type("@ca");
      await press("Enter", "Enter");
      assert.deepEqual(await sent(), [{ type: "prompt:submit", text: "@ca" }]);
      await answer(offered);
      assert.equal(await draft(), "");
    });
  });

  it("commands and prompts for / in the beginning only", async () => {
    await show([story.setup()]);
    await type("/co");
    await answer([compact]);
    await press("Enter");
    assert.equal(await draft(), "");
    assert.deepEqual((await panel().posted()).at(-1), { type: "command:run", command: "compactConversation" });
    await type("/rev");
    await answer([review]);
    await press("Enter");
    assert.equal(await draft(), "Review this.\nBe strict. ");
    const before = (await asked()).length;
    await type("and/or /x");
    assert.equal((await asked()).length, before);
  });

  it("nothing for an address", async () => {
    await show([story.setup()]);
    await type("me@example.org");
    assert.deepEqual(await asked(), []);
  });
});

describe("the composer", function () {
  this.timeout(60_000);
  const { panel, show, press } = usePanel();
  const field = () => panel().page.getByLabel(composer);
  const sent = async () => (await panel().posted()).flatMap((one) => (one.type === "prompt:submit" ? [one.text] : []));
  const chip = () => panel().page.getByRole("button", { name: "Selection price.js:12–30" });

  it("sends the selected lines along, unless a person takes them out, by keys too", async () => {
    await show([story.setup()]);
    await panel().send({ type: "selection", selected: { path: "src/price.js", from: 12, to: 30 } });
    assert.equal(await chip().getAttribute("aria-pressed"), "true");
    await field().fill("Why?");
    await press("Enter");
    await chip().focus();
    await press("Space");
    assert.equal(await chip().getAttribute("aria-pressed"), "false");
    await panel().send({ type: "snapshot", view: story.fold([story.setup()]) });
    await field().fill("And now?");
    await press("Enter");
    assert.deepEqual(await sent(), ["Why? @src/price.js:12-30", "And now?"]);
    await panel().send({ type: "selection", selected: null });
    assert.equal(await chip().count(), 0);
  });

  it("brings back what was sent, by ArrowUp in an empty field, and takes nothing from what is written", async () => {
    await show([
      story.setup(),
      ...story.start("First", "run-1"),
      story.end("completed", "run-1"),
      ...story.start("Second", "run-2"),
      story.end("completed", "run-2"),
    ]);
    await field().focus();
    await press("ArrowUp");
    assert.equal(await field().inputValue(), "Second");
    await press("ArrowUp");
    assert.equal(await field().inputValue(), "First");
    await press("ArrowUp");
    assert.equal(await field().inputValue(), "First");
    await press("ArrowDown");
    assert.equal(await field().inputValue(), "Second");
    await press("ArrowDown");
    assert.equal(await field().inputValue(), "");
    await field().fill("Mine");
    await press("ArrowUp");
    assert.equal(await field().inputValue(), "Mine");
  });

  it("takes what is dropped on it, and what the editor adds", async () => {
    await show([story.setup()]);
    await panel().page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/uri-list", "file:///w/a.ts\\r\\n# no\\r\\nfile:///w/b.ts");
      document.querySelector(".composer-box").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    assert.deepEqual((await panel().posted()).at(-1), {
      type: "files:drop",
      uris: ["file:///w/a.ts", "file:///w/b.ts"],
    });
    await field().fill("See");
    await panel().send({ type: "composer:insert", text: "@a.ts @b.ts" });
    assert.equal(await field().inputValue(), "See @a.ts @b.ts ");
  });

  it("shows what came with a message", async () => {
    await show([
      story.setup(),
      ...story.start("See @src/cart.js", "run-1"),
      {
        type: "message:attached",
        runId: "run-1",
        messageId: "run-1-user",
        attached: [
          { kind: "file", label: "src/cart.js" },
          { kind: "problems", label: "problems" },
        ],
      },
    ]);
    assert.equal(await panel().page.locator(".attached").innerText(), "Attached: src/cart.js, problems");
  });
});
