// A session that another window has, and a long one that is shown from its end.
import assert from "node:assert/strict";
import type { PanelEvent, Reading } from "../../src/protocol/events.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";

const reading = (state: Reading["state"] | null, host: string | null = null): PanelEvent => ({
  type: "session:reading",
  reading: state && { state, host },
});
const theirs = [story.setup(), ...story.start("Rename the module."), reading("working")];

const runs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => [
    ...story.start(`Task ${from + n}`, `run-${from + n}`),
    story.says(`Answer ${from + n}.\n\n${"More. ".repeat(60)}`, `m-${from + n}`, `run-${from + n}`),
    { ...story.end("completed"), runId: `run-${from + n}` },
  ]).flat();

describe("the panel reads along", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused } = usePanel();
  const banner = () => panel().page.locator(".banner");
  const send = () => panel().page.getByRole("button", { name: "Send" });
  const write = async (text: string): Promise<void> => {
    await panel().page.getByLabel(composer).fill(text);
    await drawn(panel().page);
  };

  it("says who has the session, keeps the draft, says why it is not sent, and sends it once the session is free", async () => {
    await show(theirs);
    assert.match(await banner().innerText(), /Another window is working in this session\. You are reading along\./);
    assert.equal(await panel().page.getByRole("button", { name: "Stop" }).count(), 0);
    await write("next");
    await press("Enter", "Control+Enter");
    assert.deepEqual(await panel().posted(), []);
    assert.equal(await panel().page.getByLabel(composer).inputValue(), "next");
    assert.match(await panel().page.locator(".hint").innerText(), /What you type is kept/);
    assert.equal(await send().isDisabled(), true);
    await tell(story.end("completed"), reading(null));
    assert.equal(await banner().count(), 0);
    assert.match(await panel().page.getByRole("status").innerText(), /You can write in it now/);
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "prompt:submit", text: "next" }]);
  });

  it("takes over by keys: asked once, told that it waits or gets no answer, and then in the composer", async () => {
    await show(theirs);
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab");
    assert.equal(await focusedText(), "Take Over");
    await press("Enter");
    await tell(reading("asked"));
    assert.match(await banner().innerText(), /was asked to stop/);
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "session:takeOver" }]);
    await tell(reading("silent", "laptop"));
    assert.match(await banner().innerText(), /A window on laptop does not answer/);
    assert.equal(await focusedText(), "Ask Again");
    await press("Enter");
    assert.equal((await panel().posted()).length, 2);
    await tell(story.end("aborted"), reading(null));
    assert.equal(await focused(), composer);
  });

  it("offers nothing to send on in a session that was given away", async () => {
    await show([...theirs, story.end("timeout"), reading("given")]);
    assert.match(await banner().innerText(), /has taken this session over/);
    const go = panel().page.getByRole("button", { name: "Continue" });
    assert.equal(await go.count(), 0);
    await tell(reading(null));
    assert.equal(await go.count(), 1);
  });

  it("leaves a reader where they are when the others begin something new", async () => {
    await show([story.setup(), ...runs(0, 20), reading("working")]);
    const scrollTop = (to = ""): Promise<number> =>
      panel().page.evaluate(`document.querySelector(".transcript").scrollTop${to}`);
    await scrollTop(" = 100");
    await drawn(panel().page);
    await tell(...runs(20, 22));
    assert.equal(await scrollTop(), 100);
  });

  it("leaves a reader where they are when a message that has waited begins its run, and goes to one that is sent", async () => {
    await show([story.setup(), ...runs(0, 20), ...story.start("Go on.", "run-20"), story.queue("first", "second")]);
    const scrollTop = (to = ""): Promise<number> =>
      panel().page.evaluate(`document.querySelector(".transcript").scrollTop${to}`);
    await scrollTop(" = 100");
    await drawn(panel().page);
    await tell(story.end("completed", "run-20"), { type: "queue:changed", queue: [{ id: "q2", text: "second" }] });
    await tell(...story.start("first", "run-21"));
    assert.equal(await scrollTop(), 100);
    await panel()
      .page.getByRole("button", { name: /^Stop .*send/i })
      .click();
    assert.ok((await scrollTop()) > 100);
    await scrollTop(" = 100");
    await tell(story.end("aborted", "run-21"), story.queue());
    await drawn(panel().page);
    await write("third");
    await press("Enter");
    await tell(...story.start("third", "run-22"));
    assert.ok((await scrollTop()) > 100);
  });

  const focusedText = () => panel().page.evaluate<string>("document.activeElement.textContent");
});
