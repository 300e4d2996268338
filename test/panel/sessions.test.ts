// The page of sessions: how a person gets there and back, what it lists, and what can be done to a row by key and by mouse.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { SessionRow } from "../../src/protocol/sessions.ts";
import type { ToHost } from "../../src/protocol/wire.ts";
import { itemsOf, merged, nothingListed } from "../../webview/sessionRows.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import { ago, answered, listedSession, openSessions, someSessions } from "./sessionStates.ts";
import * as story from "./stories.ts";

const toDo = (session: string, act: Extract<ToHost, { type: "session:do" }>["act"]): ToHost => ({
  type: "session:do",
  session,
  act,
});

describe("the page of sessions", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused } = usePanel();
  const titles = () => panel().page.locator(".session-title").allInnerTexts();
  const groups = () => panel().page.locator(".session-group").allInnerTexts();
  const done = async () =>
    (await panel().posted()).filter(({ type }) => type === "session:do" || type === "session:pin");
  const status = () => panel().page.locator(".sessions p[role=status]").innerText();
  const gone = async (...ids: readonly string[]): Promise<void> => {
    const message = await answered(panel(), []);
    await panel().send({ ...message, gone: ids });
  };

  it("lists sessions in groups, pinned ones first, each with what goes on in it", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    assert.deepEqual(await groups(), ["Pinned", "Today", "Yesterday", "This week", "Older"]);
    assert.deepEqual(await titles(), [
      "House rules of this repository",
      "Rename the module, then fix all that imports it",
      "Why is the total of the cart off by one cent?",
      "Add an export as CSV",
      "Untitled",
      "Look for slow queries in the checkout",
      "أصلح الخطأ في السعر",
      "Write tests for prices",
    ]);
    assert.equal(
      await panel().page.locator(".session-facts").nth(2).innerText(),
      "Waits for you · 12 messages · coder · gpt-6-codex-large · $0.42",
    );
    assert.equal(await status(), "8 sessions.");
    const second = panel().page.getByRole("row", { name: /^Rename the module.*\. Running\. 12 messages\. coder/ });
    assert.equal(await second.getAttribute("aria-current"), "true");
  });

  it("is left by Escape: the draft, the focus and the place are as they were, and a run goes on beneath", async () => {
    await show([...story.working()]);
    await panel().page.getByLabel(composer).fill("half a sentence");
    await panel().page.evaluate("document.querySelector('textarea').setSelectionRange(4, 4)");
    const top = await panel().page.evaluate("document.querySelector('.transcript').scrollTop");
    await openSessions(panel(), someSessions);
    assert.equal(await focused(), "Search titles and texts");
    assert.equal(await panel().page.getByLabel(composer).isVisible(), false);
    await tell(story.says("Meanwhile it went on.", "late"));
    await press("Escape");
    assert.equal(await focused(), composer);
    assert.equal(await panel().page.evaluate("document.activeElement.selectionStart"), 4);
    assert.equal(await panel().page.getByLabel(composer).inputValue(), "half a sentence");
    assert.ok(Number(await panel().page.evaluate("document.querySelector('.transcript').scrollTop")) >= Number(top));
    assert.match(await panel().page.locator(".transcript-content").innerText(), /Meanwhile it went on/);
    assert.deepEqual((await panel().posted()).at(-1), { type: "sessions:close" });
  });

  it("is left, too, when the host wants the focus in the conversation", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    await panel().send({ type: "composer:focus" });
    assert.equal(await panel().page.getByRole("searchbox").count(), 0);
    assert.equal(await focused(), composer);
  });

  it("by keys: opens, renames in place, pins, forks, deletes and undoes", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    await press("ArrowDown", "ArrowDown", "p");
    assert.deepEqual(await done(), [{ type: "session:pin", session: "s1", pinned: true }]);
    await press("F2");
    assert.equal(await focused(), "Title of the session");
    await panel().page.keyboard.type("Better name");
    await press("Enter");
    assert.deepEqual((await done()).at(-1), { ...toDo("s1", "rename"), title: "Better name" });
    assert.match(await focused(), /^Rename the module/);
    await press("F2", "Escape", "ArrowDown", "Delete");
    assert.deepEqual((await done()).at(-1), toDo("s2", "delete"));
    await gone("s2");
    assert.match(await focused(), /^Add an export/);
    await press("Control+z");
    assert.deepEqual((await done()).at(-1), toDo("s2", "restore"));
    await press("ArrowDown", "ArrowDown", "Enter");
    assert.deepEqual((await done()).at(-1), toDo("s5", "open"));
    assert.equal(await panel().page.getByRole("searchbox").count(), 0);
    assert.equal((await done()).length, 5);
  });

  it("offers to undo a deletion once there is one, not where the host has refused it", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    const undo = () => panel().page.locator(".sessions-undo").count();
    await press("ArrowDown", "Delete");
    assert.deepEqual(await done(), [toDo("s3", "delete")]);
    const failure = { code: "session_busy", status: 503, message: "Another run has it.", next: "Stop it first." };
    await tell({ type: "panel:failure", failure });
    await panel().page.locator(".sessions .failure", { hasText: "Another run has it." }).waitFor();
    await panel().page.getByRole("searchbox").fill("prices");
    await drawn(panel().page);
    await panel().send(await answered(panel(), someSessions.slice(-1)));
    assert.equal(await undo(), 0);
    await press("ArrowDown", "Delete");
    await gone("s8");
    assert.equal(await undo(), 1);
    await panel().page.getByRole("searchbox").fill("cart");
    await drawn(panel().page);
    await panel().send(await answered(panel(), someSessions.slice(1, 2)));
    assert.equal(await undo(), 1);
    await press("ArrowDown", "Control+z");
    assert.deepEqual((await done()).at(-1), toDo("s8", "restore"));
  });

  it("has a menu with everything that can be done, which gives the focus back", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    await press("ArrowDown", "Shift+F10");
    const items = await panel().page.getByRole("menuitem").locator("span").allInnerTexts();
    assert.deepEqual(items, [
      "Open",
      "Rename",
      "Unpin",
      "Fork",
      "Export as Markdown…",
      "Export as JSON Lines…",
      "Delete",
    ]);
    await press("Escape");
    assert.match(await focused(), /^House rules/);
    assert.equal(await panel().page.getByRole("searchbox").count(), 1);
    await panel()
      .page.getByRole("row", { name: /^Write tests/ })
      .click({ button: "right" });
    await panel().page.getByRole("menuitem", { name: "Export as JSON Lines…" }).click();
    assert.deepEqual(await done(), [toDo("s8", "json")]);
    assert.equal(await panel().page.getByRole("menu").count(), 0);
  });

  it("searches as a person types: the answer of the last question counts, and says where the words stand", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    const field = panel().page.getByRole("searchbox");
    await field.fill("pri");
    await drawn(panel().page);
    const late = await answered(panel(), [listedSession("late", "Too late")]);
    await field.fill("price");
    await drawn(panel().page);
    assert.deepEqual((await panel().posted()).at(-1), {
      type: "sessions:find",
      number: 3,
      text: "price",
      deleted: false,
    });
    const found = { by: "tool", excerpt: "…the price is 12…", at: { runId: "run-7", item: "call-7" } } as const;
    await panel().send(await answered(panel(), [listedSession("s6", "Look", { found })]), late);
    assert.deepEqual(await titles(), ["Look"]);
    assert.equal(await panel().page.locator(".session-found").innerText(), "Result: …the price is 12…");
    assert.equal(await panel().page.locator("mark").innerText(), "price");
    assert.equal(await status(), "1 session found for “price”.");
    await press("Enter");
    assert.deepEqual(await done(), [{ ...toDo("s6", "open"), sought: { ...found.at, words: "price" } }]);
  });

  it("shows what was deleted, and restores it without leaving the page", async () => {
    await show([story.setup()]);
    await openSessions(panel(), []);
    await panel().page.getByRole("button", { name: "Show deleted sessions" }).click();
    await drawn(panel().page);
    await panel().send(await answered(panel(), [listedSession("d1", "Gone", { at: ago(2) })]));
    await panel().page.getByRole("button", { name: "Restore" }).click();
    assert.deepEqual(await done(), [toDo("d1", "restore")]);
    await gone("d1");
    assert.match(await panel().page.locator(".sessions-none").innerText(), /There is no deleted session/);
  });

  it("keeps the row that a person is at when others come, go and change around it", async () => {
    await show([story.setup()]);
    await openSessions(panel(), someSessions);
    await press("ArrowDown", "ArrowDown", "ArrowDown");
    assert.match(await focused(), /^Why is the total/);
    await panel().send(
      await answered(panel(), [listedSession("new", "Made elsewhere"), listedSession("s4", "Now newer")]),
    );
    await gone("s1");
    assert.match(await focused(), /^Why is the total/);
  });

  it("draws of 10,000 sessions only what is near, and reaches the last by key", async () => {
    await show([story.setup()]);
    const many = Array.from({ length: 10_000 }, (_, n) => listedSession(`n${n}`, `Session ${n}`, { at: ago(n) }));
    await openSessions(panel(), many);
    assert.ok((await panel().page.locator("*").count()) < 1_500);
    await press("ArrowDown", "End");
    await drawn(panel().page);
    assert.match(await focused(), /^Session 9999/);
    assert.ok((await panel().page.locator("*").count()) < 1_500);
    await press("Home");
    assert.match(await focused(), /^Session 0\./);
  });
});

describe("the rows of the page of sessions", () => {
  const row = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    at: fc.integer({ min: 0, max: 60 }).map((days) => ago(days)),
    pinned: fc.boolean(),
  });
  const part = fc.record({
    number: fc.integer({ min: 1, max: 2 }),
    rows: fc.array(
      row.map(({ id, ...rest }): SessionRow => listedSession(id, id, rest)),
      { maxLength: 4 },
    ),
    gone: fc.subarray(["a", "b", "c", "d", "e"]),
    done: fc.boolean(),
  });

  it("are each there once, in order, in one group each, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const { rows } = parts.reduce(merged, nothingListed);
        const items = itemsOf(rows.values(), new Date());
        const shown = items.flatMap((item) => (item.kind === "session" ? [item.row] : []));
        const names = items.flatMap((item) => (item.kind === "group" ? [item.words] : []));
        assert.deepEqual(shown.map(({ id }) => id).toSorted(), [...rows.keys()].toSorted());
        assert.equal(new Set(names).size, names.length);
        for (const [index, one] of shown.entries()) {
          const before = shown[index - 1];
          if (before && before.pinned === one.pinned) assert.ok(before.at >= one.at);
          assert.ok(!before || before.pinned || !one.pinned);
        }
      }),
    );
  });
});
