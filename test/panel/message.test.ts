// What a person can do with a message they have sent: edit it and run again, fork from it; by mouse and by keys.
import assert from "node:assert/strict";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";

const two = [
  story.setup(),
  ...story.start("Rename the module.", "run-1"),
  story.end("completed", "run-1"),
  ...story.start("Now the tests.", "run-2"),
];

describe("the panel offers for a message", function () {
  this.timeout(60_000);
  const { panel, show, press, focused } = usePanel();
  const draft = () => panel().page.getByLabel(composer).inputValue();
  const message = (text: string) => panel().page.locator(".user", { hasText: text });
  const opacity = () =>
    panel().page.evaluate("getComputedStyle(document.querySelector('.user .message-actions')).opacity");

  it("to edit it and run again", async () => {
    await show(two);
    await message("Rename").hover();
    await message("Rename").getByRole("button", { name: "Edit and run again" }).click();
    assert.deepEqual(await panel().posted(), [{ type: "message:edit", messageId: "run-1-user" }]);
  });

  it("to fork from it", async () => {
    await show(two);
    await message("Now the tests").hover();
    await message("Now the tests").getByRole("button", { name: "Fork from here" }).click();
    assert.deepEqual(await panel().posted(), [{ type: "message:fork", messageId: "run-2-user" }]);
  });

  it("both with a key on its row, and by arrows and Enter", async () => {
    await show(two);
    assert.equal(await opacity(), "0");
    await message("Rename").focus();
    assert.equal(await opacity(), "1");
    await press("e", "f", "Control+e", "x");
    await press("ArrowRight");
    assert.match(await focused(), /^Edit and run again/);
    await press("ArrowRight", "Enter");
    assert.deepEqual(
      (await panel().posted()).map(({ type }) => type),
      ["message:edit", "message:fork", "message:fork"],
    );
  });

  it("both, when it was sent into a run", async () => {
    const into = {
      type: "message:user",
      runId: "run-2",
      messageId: "m7",
      content: "Not that",
      timestamp: "t",
    } as const;
    await show([...two, into]);
    await message("Not that").focus();
    await press("e");
    assert.deepEqual(await panel().posted(), [{ type: "message:edit", messageId: "m7" }]);
  });

  it("its text in the composer again, before what is being typed, with the focus", async () => {
    await show(two);
    await panel().send({ type: "composer:write", text: "Rename the module." });
    assert.equal(await draft(), "Rename the module.");
    assert.equal(await focused(), composer);
    await panel().page.getByLabel(composer).fill("typed");
    await panel().send({ type: "composer:write", text: "one\ntwo" });
    await drawn(panel().page);
    assert.equal(await draft(), "one\ntwo\n\ntyped");
  });

  it("what was half written in a tab that was closed, once, without the focus, and says that it has it", async () => {
    await show(two);
    const said = (): Promise<readonly unknown[]> =>
      panel().page.evaluate("window.posted.filter(({ type }) => type === 'panel:draft').map(({ text }) => text)");
    await panel().page.getByLabel(composer).fill("typed");
    await panel().page.getByLabel(composer).blur();
    const left = { type: "draft:left", text: "half a sentence", parts: [] } as const;
    for (let times = 1; times <= 2; times++) {
      await panel().send(left);
      assert.equal(await draft(), "half a sentence\n\ntyped");
      assert.equal((await said()).filter((text) => text === "half a sentence\n\ntyped").length, times);
    }
    assert.notEqual(await focused(), composer);
  });

  it("the images of a tab that was closed, each once, whatever of its text is there", async () => {
    await show(two);
    const part = (value: string) => ({ kind: "image", mediaType: "image/png", value, name: value }) as const;
    const names = () => panel().page.locator(".given > .chip").allInnerTexts();
    await panel().page.getByLabel(composer).fill("half a sentence");
    for (let times = 1; times <= 2; times++) {
      await panel().send({ type: "draft:left", text: "half a sentence", parts: [part("one")] });
      await panel().send({ type: "draft:left", text: "", parts: [part("two"), part("one")] });
      assert.deepEqual(await names(), ["two", "one"]);
    }
    assert.equal(await draft(), "half a sentence");
  });

  it("what is half written to whoever has its tab next, before a key that may close that", async () => {
    await show(two);
    const told = await panel().page.evaluate(`(() => {
      document.querySelector(".composer textarea").focus();
      document.execCommand("insertText", false, "half a sentence");
      const said = () => window.posted.findLast(({ type }) => type === "panel:draft")?.text ?? "";
      const before = said();
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "w", ctrlKey: true, bubbles: true }));
      return [before, said()];
    })()`);
    assert.deepEqual(told, ["", "half a sentence"]);
  });
});
