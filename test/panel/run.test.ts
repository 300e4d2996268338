// What a run shows beside its own calls: delegates at work, pauses with a choice, and how it ended with what to do next.
import assert from "node:assert/strict";
import type { RunStatus } from "../../src/protocol/messages.ts";
import type { ToHost } from "../../src/protocol/wire.ts";
import { composer, usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Rename the module.")];
const choose = (choice: Extract<ToHost, { type: "pause:choose" }>["choice"]): ToHost => ({
  type: "pause:choose",
  choice,
});

describe("the panel counts the seconds until a request is sent again", function () {
  this.timeout(60_000);
  const { panel, show, tell } = usePanel();

  it("by itself, in one line, until something comes", async () => {
    const until = new Date(Date.now() + 90_000).toISOString();
    const reason = "models.example asks for a pause.";
    const retry = { type: "model:retry", runId: "run-1", attempt: 1, delay: 90_000, until, reason } as const;
    await show([...asked, retry]);
    const line = panel().page.locator(".notice");
    const seconds = async (): Promise<number> => Number(/again in (\d+) s/.exec(await line.innerText())?.[1]);
    const first = await seconds();
    assert.ok(first > 0 && first <= 90, await line.innerText());
    // The browser's own timer, however late it is.
    await line.filter({ hasNotText: `again in ${first} s` }).waitFor();
    assert.ok((await seconds()) < first);
    assert.equal(await panel().page.getByText("Waiting for the model").count(), 0);
    await tell({ ...retry, attempt: 2 });
    await tell(story.says("Hi", "m1"));
    await line.filter({ hasText: `${reason} Tried again 2 times.` }).waitFor();
    assert.equal(await line.count(), 1);
  });
});

describe("the panel shows a delegate's work", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused, transcript } = usePanel();
  const heads = () => panel().page.locator(".call-head").allInnerTexts();

  it("as calls under its own, at any depth, with a summary in its line", async () => {
    await show(story.delegated());
    const ask = panel().page.locator(".turn > .call");
    assert.match(await ask.locator("> .call-head").innerText(), /Ask\s+researcher\s+6 calls, 1 waiting/);
    assert.equal(await ask.locator("> .details > .parts > .call").count(), 4);
    const reader = ask.locator("> .details > .parts > .call", { hasText: "reader" });
    assert.match(await reader.locator("> .details > .parts").innerText(), /Read\s+test\/price\.test\.js\s+running/);
    assert.match(await transcript(), /Output[^]*Prices are rounded in two modules/);
  });

  it("and its pending calls above the composer, with whose they are", async () => {
    await show(story.delegated());
    const row = panel().page.locator(".pending-row");
    assert.match(await row.innerText(), /for Ask researcher/);
    assert.match((await row.getAttribute("aria-label")) ?? "", /^Run npm view currency\.js, for Ask researcher\./);
    await row.focus();
    await press("Enter");
    const decision = { kind: "approve" } as const;
    assert.deepEqual(await panel().posted(), [{ type: "call:decide", toolCallId: "d1/c1", decision }]);
  });

  it("five deep, and says of a waiting call for whom it is", async () => {
    await show(story.deep());
    assert.equal(await panel().page.locator(".parts .parts .parts .parts .parts .call.pending").count(), 1);
    const whom = "for Ask agent 1 › Ask agent 2 › Ask agent 3 › Ask agent 4 › Ask agent 5";
    assert.ok((await panel().page.locator(".pending-row").innerText()).includes(whom));
  });

  it("to a screen reader with the same words", async () => {
    const events = story.delegated();
    await show(events.slice(0, -1));
    await tell(...events.slice(-1));
    assert.equal(
      await panel().page.getByRole("status").innerText(),
      "1 call waits: run npm view currency.js for Ask researcher.",
    );
  });

  it("folded by a person, and unfolded by nobody else", async () => {
    await show(story.delegated());
    await panel().page.locator(".turn > .call > .call-head").click();
    assert.equal((await heads()).length, 1);
    await tell(story.delegateEnded());
    assert.equal((await heads()).length, 1);
  });

  it("so that nothing folds away when it ends, and folded when the session is opened again", async () => {
    await show(story.delegated());
    const before = (await heads()).length;
    await tell(story.delegateEnded());
    assert.equal((await heads()).length, before);
    await show([]);
    await panel().send({
      type: "snapshot",
      view: story.fold([...story.delegated(), story.delegateEnded(), story.end()]),
    });
    assert.equal((await heads()).length, 1);
    await panel().page.locator(".call-head").focus();
    await press("Enter");
    assert.ok((await heads()).length > 1);
    assert.match(await transcript(), /only the first is tested/);
  });

  it("in one tab stop with the conversation, arrows through all of it", async () => {
    await show(story.delegated());
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab", "Shift+Tab", "Home", "ArrowDown", "ArrowDown", "ArrowDown");
    assert.match(String(await panel().page.evaluate("document.activeElement.innerText")), /Search/);
    assert.equal(await focused(), "");
  });
});

describe("the panel asks how a run goes on", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused, transcript } = usePanel();

  it("with the sentence and the choices, by key and by button, once", async () => {
    const ways = [
      ["Enter", "Continue", "continue"],
      ["s", "Sum up and stop", "sumUp"],
      ["Backspace", "Stop ⌫", "stop"],
    ] as const;
    for (const [key, name, choice] of ways) {
      await show([...asked, story.paused()]);
      assert.match(await panel().page.locator(".pending-row").innerText(), /It has worked 25 rounds/);
      await panel().page.getByLabel(composer).focus();
      await press("Shift+Tab");
      assert.equal(await focused(), "pause-0");
      await press(key);
      assert.deepEqual(await panel().posted(), [choose(choice)]);
      assert.equal(await focused(), composer);
      await show([...asked, story.paused()]);
      await panel().page.getByRole("button", { name }).dblclick();
      assert.deepEqual(await panel().posted(), [choose(choice)]);
    }
  });

  it("and keeps one quiet line of it", async () => {
    for (const [choice, words] of [
      ["continue", "You continued."],
      ["sumUp", "You had it sum up and stop."],
      ["stop", "You stopped it."],
    ] as const) {
      await show([...asked, story.paused()]);
      assert.match(await transcript(), /before it asks\. Waits for you\./);
      await tell(story.resumed(choice));
      assert.equal(await panel().page.locator(".waiting").count(), 0);
      assert.ok((await transcript()).includes(`before it asks. ${words}`));
    }
  });

  it("offers only the choices there are, and waits no more when the run has ended", async () => {
    const pause = story.paused();
    assert.ok(pause.type === "run:paused");
    await show([...asked, { ...pause, choices: ["continue", "stop"] }]);
    assert.deepEqual(await panel().page.locator(".pending-row button").allInnerTexts(), ["Continue\n⏎", "Stop\n⌫"]);
    await panel().page.locator(".pending-row").focus();
    await press("s");
    assert.deepEqual(await panel().posted(), []);
    await tell(story.end("aborted"));
    assert.equal(await panel().page.locator(".waiting").count(), 0);
    assert.match(await transcript(), /The run ended before you chose\./);
  });

  it("to a screen reader in sentences, without moving the focus", async () => {
    await show(asked);
    await panel().page.getByLabel(composer).focus();
    await tell(story.paused());
    assert.equal(
      await panel().page.getByRole("status").innerText(),
      "Paused. It has worked 25 rounds, as many as one run may have before it asks. You can choose: Continue, Sum up and stop, Stop.",
    );
    assert.equal(await focused(), composer);
  });
});

describe("the panel says how a run ended", function () {
  this.timeout(60_000);
  const { panel, show, transcript } = usePanel();

  const ends: readonly (readonly [RunStatus, RegExp])[] = [
    ["completed_with_errors", /not every call succeeded[^]*before the model knew how this ended: Edit b\.js/],
    ["max_iterations", /as many as one run may have[^]*as many rounds again/],
    ["timeout", /Out of time after 12 s[^]*as much time again/],
    ["stalled", /neither an answer nor calls[^]*asks it once more/],
  ];
  for (const [status, words] of ends) {
    it(`${status}: in words, and goes on with a button`, async () => {
      const first = { ...story.edit("e1", "a.js"), reply: "m1" };
      const second = { ...story.edit("e2", "b.js"), reply: "m2" };
      const failed = [first, second].flatMap((call) => [...story.ready(call), story.ended(call, "No.", "failed")]);
      await show([...asked, ...failed, story.end(status)]);
      assert.match(await transcript(), words);
      await panel().page.getByRole("button", { name: "Continue" }).dblclick();
      assert.deepEqual(await panel().posted(), [{ type: "prompt:submit", text: "Continue." }]);
    });
  }

  it("without a button where there is nothing to go on with", async () => {
    for (const status of ["completed", "aborted", "refusal"] as const) {
      await show([...asked, story.end(status)]);
      assert.equal(await panel().page.getByRole("button", { name: "Continue" }).count(), 0);
    }
  });
});
