// Writing while a run is on: the queue, messages into the run, stopping for one; and that nothing typed is lost on the way.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { emptyView } from "../../src/protocol/view.ts";
import type { ToHost } from "../../src/protocol/wire.ts";
import { afterEvent, afterSnapshot } from "../../webview/outbox.ts";
import type { Outgoing } from "../../webview/outbox.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Rename the module.")];
const send = (id: string, how: Extract<ToHost, { type: "queue:send" }>["how"]): ToHost => ({
  type: "queue:send",
  id,
  how,
});

describe("the panel takes messages while a run is on", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused, transcript } = usePanel();
  const draft = () => panel().page.getByLabel(composer).inputValue();
  const rows = () => panel().page.locator(".queue-row .queue-text").allInnerTexts();
  const write = async (text: string): Promise<void> => {
    await panel().page.getByLabel(composer).fill(text);
    await drawn(panel().page);
  };

  it("queues with Enter, sends now with Ctrl+Enter, and says which is which", async () => {
    await show(asked);
    await write("next");
    assert.equal(await panel().page.locator(".hint").innerText(), "Enter queues it. Ctrl+Enter sends it now.");
    await press("Enter");
    assert.equal(await draft(), "");
    await write("not that file");
    await press("Control+Enter");
    assert.deepEqual(await panel().posted(), [
      { type: "prompt:submit", text: "next", how: "queue" },
      { type: "prompt:submit", text: "not that file", how: "steer" },
    ]);
    assert.equal(await focused(), composer);
  });

  it("starts a run by either key when none is on", async () => {
    await show([story.setup()]);
    await write("one");
    await press("Control+Enter");
    assert.deepEqual(await panel().posted(), [{ type: "prompt:submit", text: "one" }]);
    // It is on its way to become a run: what comes now waits for that.
    await write("two");
    await press("Enter");
    assert.deepEqual((await panel().posted()).at(-1), { type: "prompt:submit", text: "two", how: "queue" });
  });

  it("offers all three ways in a menu, by keys alone", async () => {
    await show(asked);
    await write("now");
    // Agent, model, context, then what sends.
    await press("Tab", "Tab", "Tab", "Tab");
    assert.equal(await focused(), "Queue");
    await press("Tab", "Enter");
    const focusedItem = () => panel().page.evaluate("document.activeElement.textContent");
    assert.match(String(await focusedItem()), /^Queue/);
    await press("ArrowUp");
    assert.match(String(await focusedItem()), /^Stop and send/);
    await press("Escape");
    assert.equal(await focused(), "Other ways to send it");
    assert.equal(await panel().page.getByRole("menu").count(), 0);
    await press("ArrowUp", "ArrowDown", "ArrowDown", "Enter");
    assert.deepEqual(await panel().posted(), [{ type: "prompt:submit", text: "now", how: "interrupt" }]);
    assert.equal(await draft(), "");
    assert.equal(await focused(), composer);
  });

  it("closes the menu when a person goes elsewhere", async () => {
    await show(asked);
    await write("now");
    await panel().page.getByRole("button", { name: "Other ways to send it" }).click();
    assert.equal(await panel().page.getByRole("menuitem").count(), 3);
    await panel().page.mouse.click(190, 300);
    await drawn(panel().page);
    assert.equal(await panel().page.getByRole("menu").count(), 0);
    assert.deepEqual(await panel().posted(), []);
  });

  it("shows the queue, each message with its three buttons, and asks nothing twice", async () => {
    await show([...asked, story.queue("first", "second", "third")]);
    assert.deepEqual(await rows(), ["first", "second", "third"]);
    assert.match(await panel().page.locator(".queue-hint").innerText(), /when this run has ended/);
    await panel().page.getByRole("button", { name: "Send now" }).nth(0).click();
    await panel().page.getByRole("button", { name: "Stop and send" }).nth(0).dblclick();
    await panel().page.getByRole("button", { name: "Remove from the queue" }).nth(1).click();
    assert.deepEqual(await panel().posted(), [
      send("q1", "steer"),
      send("q2", "interrupt"),
      { type: "queue:remove", id: "q3" },
    ]);
  });

  it("by keys: one tab stop, arrows, Enter to send now, Delete to remove; the focus stays in the list", async () => {
    await show([...asked, story.queue("first", "second")]);
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab");
    assert.match(await focused(), /^Queued: first\. Enter sends it now, into the run/);
    await press("ArrowDown", "Delete");
    assert.deepEqual(await panel().posted(), [{ type: "queue:remove", id: "q2" }]);
    await tell(story.queue("first"));
    assert.match(await focused(), /^Queued: first/);
    await press("Enter");
    assert.deepEqual((await panel().posted()).at(-1), send("q1", "steer"));
    await tell(story.queue(), story.saidInto("first"));
    assert.equal(await focused(), composer);
  });

  it("writes a waiting message anew in its place, by key and by mouse, and the host has the last word", async () => {
    await show([...asked, story.queue("first", "second")]);
    const field = panel().page.getByLabel("Change the waiting message");
    await panel().page.locator(".queue-row").first().focus();
    await press("e");
    assert.equal(await focused(), "Change the waiting message");
    await field.fill("first, and better");
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "queue:edit", id: "q1", text: "first, and better" }]);
    assert.deepEqual(await rows(), ["first, and better", "second"]);
    assert.match(await focused(), /^Queued: first, and better/);
    const changed = [
      { id: "q1", text: "first, and better" },
      { id: "q2", text: "second" },
    ];
    await tell({ type: "queue:changed", queue: changed });
    assert.deepEqual(await rows(), ["first, and better", "second"]);
    // Left as it was: nothing is asked.
    await panel().page.getByRole("button", { name: "Edit this message" }).last().click();
    await field.fill("thrown away");
    await press("Escape");
    assert.deepEqual(await rows(), ["first, and better", "second"]);
    assert.equal((await panel().posted()).length, 1);
  });

  it("gives back what was being written when the message is taken meanwhile, saved or not, and says so", async () => {
    for (const saves of [true, false]) {
      await show([...asked, story.queue("first", "second")]);
      await write("draft");
      await panel().page.locator(".queue-row").first().focus();
      await press("e");
      await panel().page.getByLabel("Change the waiting message").fill("too late");
      if (saves) await press("Enter");
      await tell({ type: "queue:changed", queue: [{ id: "q2", text: "second" }] });
      assert.equal(await draft(), "too late\n\ndraft");
      assert.match(
        await panel().page.locator(".queue-late").innerText(),
        /was taken from the queue before your change/,
      );
      assert.deepEqual(await rows(), ["second"]);
      await panel().page.getByRole("button", { name: "Close" }).click();
      assert.equal(await panel().page.locator(".queue-late").count(), 0);
      assert.equal(await focused(), composer);
    }
  });

  it("returns nothing of a message that was taken while its editor stood open with its own words", async () => {
    await show([...asked, story.queue("first")]);
    await panel().page.getByRole("button", { name: "Edit this message" }).click();
    await tell({ type: "queue:changed", queue: [] });
    assert.equal(await draft(), "");
    assert.equal(await panel().page.locator(".queue-late").count(), 0);
  });

  it("keeps what is being written in a waiting message when the panel is killed", async () => {
    await show([...asked, story.queue("first")]);
    await panel().page.getByRole("button", { name: "Edit this message" }).click();
    await panel().page.getByLabel("Change the waiting message").fill("half");
    await panel().reload();
    await panel().send({ type: "snapshot", view: story.fold([...asked, story.queue("first")]) });
    assert.equal(await panel().page.getByLabel("Change the waiting message").inputValue(), "half");
  });

  it("moves messages by Alt with the arrows, and by dragging; the focus goes along", async () => {
    const queue = (...ids: readonly string[]) =>
      ({ type: "queue:changed", queue: ids.map((id) => ({ id, text: id })) }) as const;
    await show([...asked, queue("a", "b", "c")]);
    await panel().page.locator(".queue-row").nth(2).focus();
    await press("Alt+ArrowUp", "Alt+ArrowUp");
    assert.deepEqual(await panel().posted(), [
      { type: "queue:move", id: "c", by: -1 },
      { type: "queue:move", id: "c", by: -1 },
    ]);
    await tell(queue("a", "c", "b"), queue("c", "a", "b"));
    assert.match(await focused(), /^Queued: c.* 1 of 3\.$/);
    await panel().page.locator(".queue-row").nth(0).dragTo(panel().page.locator(".queue-row").nth(2));
    assert.deepEqual((await panel().posted()).at(-1), { type: "queue:move", id: "c", by: 2 });
  });

  it("shows what went into the run until the model reads it, then inside the run", async () => {
    await show(asked);
    await write("leave the changelog alone");
    await press("Control+Enter");
    assert.deepEqual(await rows(), ["leave the changelog alone"]);
    assert.equal(await panel().page.locator(".queue-state").innerText(), "read before the next step");
    await tell(story.saidInto("leave the changelog alone"));
    assert.deepEqual(await rows(), []);
    assert.match(await transcript(), /sent while it worked\s+leave the changelog alone/);
    assert.equal(await panel().page.getByRole("status").innerText(), "The model reads your message.");
  });

  it("keeps what went into the run and was not read, to be sent or removed", async () => {
    await show(asked);
    for (const text of ["one", "two"]) {
      await write(text);
      await press("Control+Enter");
    }
    await tell(story.end("aborted"));
    assert.deepEqual(await panel().page.locator(".queue-state").allInnerTexts(), [
      "not read any more",
      "not read any more",
    ]);
    await panel().page.getByRole("button", { name: "Remove" }).first().click();
    await panel().page.getByRole("button", { name: "Send this message" }).first().click();
    assert.deepEqual((await panel().posted()).at(-1), { type: "prompt:submit", text: "two" });
    assert.deepEqual(await rows(), []);
  });

  it("does not show twice what the host has put back into the queue", async () => {
    await show([...asked, story.queue("one")]);
    await panel().page.getByRole("button", { name: "Send now" }).click();
    await tell(story.queue(), story.end("aborted"), story.queue("one"));
    assert.deepEqual(await rows(), ["one"]);
  });

  it("keeps queued messages after a stop, says so, and sends one by its button", async () => {
    await show([...asked, story.queue("first", "second"), story.end("aborted")]);
    assert.match(await panel().page.locator(".queue-hint").innerText(), /^Kept\. Sent with the next run/);
    assert.equal(await panel().page.getByRole("button", { name: "Stop and send" }).count(), 0);
    await panel().page.getByRole("button", { name: "Send this message" }).first().click();
    assert.deepEqual(await panel().posted(), [send("q1", "queue")]);
  });

  it("lets go of the buttons again when the host has changed the queue", async () => {
    await show([...asked, story.queue("first", "second"), story.end("error")]);
    await panel().page.getByRole("button", { name: "Remove from the queue" }).first().click();
    assert.equal(await panel().page.getByRole("button", { name: "Send this message" }).first().isDisabled(), true);
    await tell({ type: "queue:changed", queue: [{ id: "q2", text: "second" }] });
    assert.equal(await panel().page.getByRole("button", { name: "Send this message" }).first().isDisabled(), false);
  });

  it("gives a message back to the queue when the run ends before the host has taken it out", async () => {
    await show([...asked, story.queue("first")]);
    await panel().page.getByRole("button", { name: "Send now" }).click();
    assert.equal(await panel().page.locator(".queue-state").innerText(), "read before the next step");
    await tell(story.end("aborted"));
    assert.deepEqual(await rows(), ["first"]);
    await panel().page.getByRole("button", { name: "Send this message" }).click();
    assert.deepEqual(await panel().posted(), [send("q1", "steer"), send("q1", "queue")]);
  });

  it("says to a screen reader how many are queued", async () => {
    await show(asked);
    await tell(story.queue("first", "second"));
    assert.equal(await panel().page.getByRole("status").innerText(), "Queued: 2 messages for after this run.");
  });

  it("gives back what the host refused to queue", async () => {
    await show(asked);
    await write("next");
    await press("Enter");
    await tell({
      type: "panel:failure",
      failure: { code: "queue_full", status: 503, message: "Full.", next: "Wait." },
    });
    assert.equal(await draft(), "next");
  });

  it("remembers what is on its way when the panel is killed", async () => {
    await show(asked);
    for (const [text, key] of [
      ["into", "Control+Enter"],
      ["queued", "Enter"],
      ["lost", "Enter"],
    ] as const) {
      await write(text);
      await press(key);
    }
    await panel().reload();
    await panel().send({ type: "snapshot", view: story.fold([...asked, story.queue("queued")]) });
    assert.deepEqual(await rows(), ["into", "queued"]);
    assert.equal(await draft(), "lost");
  });
});

describe("the outbox", () => {
  const one = (text: string, how: Outgoing["how"], queued: string | null = null): Outgoing => ({ text, how, queued });

  it("loses nothing: a message is on its way, given back, or with the host", () => {
    const outgoing = fc.record({
      text: fc.constantFrom("a", "b", "c"),
      how: fc.constantFrom("start", "queue", "steer", "interrupt"),
      queued: fc.constant(null),
    } as const);
    const event = fc.oneof(
      fc.constantFrom("a", "b", "c").map((text) => story.saidInto(text)),
      fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }).map((texts) => story.queue(...texts)),
      fc.constant(story.end("aborted")),
    );
    fc.assert(
      fc.property(fc.array(outgoing), event, (outbox, happened) => {
        const { outbox: left, returned } = afterEvent(outbox, happened, emptyView);
        assert.deepEqual(returned, []);
        const taken =
          happened.type === "message:user"
            ? [happened.content]
            : happened.type === "queue:changed"
              ? happened.queue.map(({ text }) => text)
              : [];
        const gone = without(
          outbox.map(({ text }) => text),
          left.map(({ text }) => text),
        );
        assert.deepEqual(without(gone, taken), []);
      }),
    );
  });

  it("knows the run that a message has begun, even when the host has tidied its text", () => {
    const view = emptyView;
    const [begun] = story.start("do it");
    assert.ok(begun);
    const [, written] = story.start("do it");
    assert.ok(written);
    for (const text of ["do it ", "something else"]) {
      const shown: readonly Outgoing[] = afterEvent([one(text, "start")], begun, view).outbox;
      assert.deepEqual(shown, [{ ...one(text, "start"), begun: true }]);
      assert.deepEqual(afterEvent(shown, written, view).outbox, []);
    }
    assert.deepEqual(afterEvent([one("later", "queue")], begun, view).outbox, [one("later", "queue")]);
  });

  it("keeps a message that is shown until it is written down: a host that dies before that loses nothing", () => {
    const [begun, written] = story.start("do it");
    assert.ok(begun && written);
    const outbox = afterEvent([one("do it", "start"), one("do it", "queue")], begun, emptyView).outbox;
    // The next life of the host knows nothing of it, or has it in its queue.
    const texts = (view: typeof emptyView) => afterSnapshot(outbox, view).returned.map(({ text }) => text);
    assert.deepEqual(texts(emptyView), ["do it", "do it"]);
    assert.deepEqual(texts(story.fold([story.queue("do it")])), ["do it"]);
    assert.deepEqual(texts(story.fold([story.queue("do it", "do it")])), []);
    // What fails elsewhere meanwhile, and a second one of the same text, is not about it.
    const failure = { code: "x", status: 503, message: "Full.", next: "Wait." };
    const failed = afterEvent(outbox, { type: "panel:failure", failure }, emptyView);
    assert.deepEqual(failed, {
      outbox: [{ ...one("do it", "start"), begun: true }],
      returned: [one("do it", "queue")],
    });
    const queued = afterEvent(outbox, story.queue("do it"), emptyView).outbox;
    assert.deepEqual(queued, [{ ...one("do it", "start"), begun: true }]);
    assert.deepEqual(afterEvent(queued, written, emptyView).outbox, []);
    assert.deepEqual(afterEvent(queued, story.end("error"), emptyView).outbox, []);
  });

  it("gives back on a snapshot what the host knows nothing of, but for what may still be read", () => {
    const view = story.fold([...story.start("begun"), story.saidInto("read"), story.queue("queued")]);
    const outbox = [
      one("begun", "start"),
      one("read", "steer"),
      one("queued", "queue"),
      one("x", "steer"),
      one("y", "queue"),
    ];
    assert.deepEqual(afterSnapshot(outbox, view), { outbox: [one("x", "steer")], returned: [one("y", "queue")] });
  });
});

/** A list without the items of another, each taken once. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  return other.reduce((rest, text) => {
    const index = rest.indexOf(text);
    return index === -1 ? rest : rest.toSpliced(index, 1);
  }, list);
}
