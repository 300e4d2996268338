// The find box: how it is opened and left, what it asks, that the focus stays in it from place to place, and what it says.
import assert from "node:assert/strict";
import type { ToHost } from "../../src/protocol/wire.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import { findWords, lastFind, listedSession, openSessions } from "./sessionStates.ts";
import * as story from "./stories.ts";

const turn = (n: number) => {
  const run = `run-${n}`;
  return [
    ...story.start(`Task ${n}`, run),
    ...story.done(
      { ...story.command(`c-${n}`, `npm test -- --only ${n}`), run },
      `line\n${"more\n".repeat(30)}a needle`,
    ),
    story.says(`${"Words. ".repeat(120)}\n\nThe **loud** needle.`, `m-${n}`, run),
    { ...story.end(), runId: run },
  ];
};
const conversation = [story.setup(), ...Array.from({ length: 8 }, (_, n) => turn(n)).flat()];

describe("the find box", function () {
  this.timeout(60_000);
  const { panel, show, press, focused } = usePanel();
  const field = () => panel().page.getByRole("search").getByRole("textbox");
  const status = () => panel().page.getByRole("search").getByRole("status").innerText();
  const isOpen = async (): Promise<boolean> => (await panel().page.getByRole("search").count()) === 1;
  const asked = async (): Promise<readonly ToHost[]> =>
    (await panel().posted()).filter(({ type }) => type.startsWith("session:find"));
  const coloured = (): Promise<readonly string[]> =>
    panel().page.evaluate("[...(CSS.highlights.get('sought') ?? [])].map(String)");
  const until = async (what: () => Promise<boolean>): Promise<void> => {
    for (const limit = Date.now() + 30_000; !(await what());) {
      assert.ok(Date.now() < limit, what.toString());
      await drawn(panel().page);
    }
  };
  const open = async (): Promise<void> => {
    await press("Control+f");
    await field().waitFor();
  };
  /** As the host does it after a step. */
  const arrive = async (n: number, item: string, at: number): Promise<void> => {
    await panel().send({ type: "session:found", number: await lastFind(panel()), at, count: 8, more: false });
    await panel().send({ type: "sought:show", runId: `run-${n}`, item, words: "needle", stay: true });
    await until(async () => (await panel().page.locator(`[data-sought][data-item="${item}"]`).count()) === 1);
    await until(async () => (await coloured()).length > 0);
  };
  const isSeen = (): Promise<boolean> =>
    panel().page.evaluate(`(() => {
      const [range] = CSS.highlights.get("sought") ?? [];
      const box = document.querySelector(".transcript").getBoundingClientRect();
      const { top, bottom } = range?.getBoundingClientRect() ?? {};
      return top >= box.top && bottom <= box.bottom;
    })()`);

  it("opens by its key with the focus, asks for what is typed, and gives the focus back on Escape", async () => {
    await show(conversation);
    await panel().page.getByLabel(composer).fill("half a sentence");
    await panel().page.evaluate("document.querySelector('textarea').setSelectionRange(4, 4)");
    await open();
    assert.equal(await focused(), "Find");
    await panel().page.keyboard.type("nee");
    const reader = { runId: "run-7", item: "m-7" };
    assert.deepEqual(await asked(), [
      { type: "session:find", number: 1, text: "", go: false, reader },
      { type: "session:find", number: 2, text: "n", go: true },
      { type: "session:find", number: 3, text: "ne", go: true },
      { type: "session:find", number: 4, text: "nee", go: true },
    ]);
    await press("Escape");
    assert.equal(await isOpen(), false);
    assert.equal(await focused(), composer);
    assert.equal(await panel().page.evaluate("document.activeElement.selectionStart"), 4);
    assert.deepEqual((await asked()).at(-1), { type: "session:find", number: 5, text: "", go: false });
    await open();
    assert.equal(await field().inputValue(), "nee");
    await panel().page.keyboard.type("x");
    assert.equal(await field().inputValue(), "x");
  });

  it("is opened by the host's word, and takes what is selected in the conversation", async () => {
    await show(conversation);
    await panel().page.evaluate(
      "getSelection().selectAllChildren([...document.querySelectorAll('.markdown strong')].at(-1))",
    );
    await panel().send({ type: "find:show" });
    await field().waitFor();
    assert.equal(await field().inputValue(), "loud");
    assert.deepEqual((await asked()).at(-1), {
      type: "session:find",
      number: 1,
      text: "loud",
      go: true,
      reader: { runId: "run-7", item: "m-7" },
    });
    await panel().page.keyboard.type("er");
    await panel().send({ type: "find:show" });
    await panel().page.keyboard.type("!");
    assert.equal(await field().inputValue(), "er!");
  });

  it("steps by keys and by buttons, and the focus stays in the field, however far up the place is", async () => {
    await show(conversation);
    await open();
    await panel().page.keyboard.type("needle");
    await arrive(7, "m-7", 1);
    assert.equal(await status(), "1 of 8");
    assert.deepEqual(await coloured(), ["needle"]);
    for (const key of ["Enter", "Shift+Enter", "F3", "Shift+F3"]) await press(key);
    await panel().page.getByRole("button", { name: "Next, further up (Enter)" }).click();
    await panel().page.getByRole("button", { name: "Previous, further down (Shift+Enter)" }).click();
    const steps = (await asked()).flatMap((one) => (one.type === "session:findNext" ? [one.by] : []));
    assert.deepEqual(steps, [1, -1, 1, -1, 1, -1]);
    await field().focus();
    await arrive(0, "c-0", 8);
    await until(isSeen);
    assert.equal(await focused(), "Find");
    assert.equal(await status(), "8 of 8");
    // The call was unfolded for it; what stands in a row is read there, without unfolding it.
    assert.equal(await panel().page.locator('[data-item="c-0"]').getAttribute("aria-expanded"), "true");
    await panel().send({ type: "sought:show", runId: "run-1", item: "c-1", words: "--only", stay: true });
    await until(async () => (await coloured()).join() === "--only");
    assert.equal(await panel().page.locator('[data-item="c-1"]').getAttribute("aria-expanded"), "false");
    await press("Tab", "Tab", "Tab", "Tab");
    assert.equal(await panel().page.evaluate("document.activeElement.dataset.item"), "c-1");
    await press("Escape");
    assert.equal(await isOpen(), false);
    assert.equal(await panel().page.evaluate("document.activeElement.dataset.item"), "c-1");
    assert.deepEqual(await coloured(), []);
  });

  it("says that there is nothing, and colours nothing any more; an answer to an older question does not count", async () => {
    await show(conversation);
    await open();
    await panel().page.keyboard.type("needle");
    await arrive(7, "m-7", 1);
    const before = await lastFind(panel());
    await panel().page.keyboard.type("s");
    await panel().send({ type: "session:found", number: before + 1, at: 0, count: 0, more: false });
    assert.equal(await status(), "No results");
    assert.deepEqual(await coloured(), []);
    assert.ok(await panel().page.getByRole("button", { name: "Next, further up (Enter)" }).isDisabled());
    await panel().send({ type: "session:found", number: before, at: 1, count: 8, more: false });
    assert.equal(await status(), "No results");
    await panel().send({ type: "session:found", number: before + 1, at: 1_000, count: 1_000, more: true });
    assert.equal(await status(), "1,000 of 1,000+");
    await field().fill("  ");
    assert.equal(await status(), "");
  });

  it("opens beside what was found through the page of sessions, which keeps the focus, and counts from there", async () => {
    await show(conversation);
    await panel().send({ type: "sought:show", runId: "run-2", item: "m-2", words: "needle" });
    await field().waitFor();
    await until(async () => (await panel().page.evaluate("document.activeElement.dataset.item")) === "m-2");
    assert.equal(await field().inputValue(), "needle");
    const reader = { runId: "run-2", item: "m-2" };
    assert.deepEqual(await asked(), [{ type: "session:find", number: 1, text: "needle", go: false, reader }]);
    await press("F3");
    assert.deepEqual((await asked()).at(-1), { type: "session:findNext", by: 1 });
    await press("Escape");
    assert.equal(await isOpen(), false);
  });

  it("goes where another session is opened, and the page of sessions has a search of its own", async () => {
    await show(conversation);
    await findWords(panel(), "needle", { at: 1, count: 1 });
    await panel().send({
      type: "events",
      events: [{ type: "session:open", sessionId: "other", title: "" }, story.setup()],
    });
    assert.equal(await isOpen(), false);
    await openSessions(panel(), [listedSession("s1", "One")]);
    await press("ArrowDown", "Control+f");
    assert.equal(await focused(), "Search titles and texts");
    assert.equal(await isOpen(), false);
  });
});
