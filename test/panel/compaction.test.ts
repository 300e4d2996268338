// What the panel shows of a long conversation: the summary as a card that can be changed and undone, notes, and how full the window is.
import assert from "node:assert/strict";
import { composer, usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Go on.")];
const summedUp = [...asked, story.compacting(), story.compacted(), story.end()];
const edited = { id: "k2", summary: "My own words." };

describe("the panel shows a compaction", function () {
  this.timeout(60_000);
  const { panel, show, open, tell, press, focused, transcript } = usePanel();
  const card = () => panel().page.locator(".compaction");
  const head = () => card().locator(".call-head");
  const field = () => panel().page.getByLabel("Summary that the model reads");
  const button = (name: string) => panel().page.getByRole("button", { name, exact: true });
  const focusedWords = async () => String(await panel().page.evaluate("document.activeElement.innerText")).trim();
  const status = () => panel().page.getByRole("status").innerText();

  it("as one quiet line while it is made, and one folded row afterwards", async () => {
    await show([...asked, story.compacting()]);
    assert.match(await transcript(), /Making room: summing up the older part…/);
    assert.equal(await panel().page.locator(".now").count(), 1, "and nothing beside it says that it works");
    await tell(story.compacted());
    assert.equal(await head().getAttribute("aria-expanded"), "false");
    assert.match(await head().innerText(), /Summed up the conversation: 118,000 → 31,000 tokens/);
    assert.doesNotMatch(await transcript(), /Making room|Done so far/);
  });

  it("not at all when the run ended before it was made", async () => {
    await show([...asked, story.compacting(), story.end("aborted")]);
    assert.doesNotMatch(await transcript(), /Making room/);
    assert.equal(await card().count(), 0);
  });

  it("unfolded with the summary as it is meant, and apart what is kept word for word", async () => {
    await show(summedUp);
    await head().click();
    assert.equal(await card().locator(".markdown h2, .markdown h3, .markdown h4").first().innerText(), "Done so far");
    assert.equal(await card().locator(".markdown strong").innerText(), "Still open");
    const carried = await panel().page.getByRole("region", { name: "Kept word for word" }).innerText();
    for (const words of ["It is CHF, not EUR.", "What you refused", "Files that were written", "3 more had no room."])
      assert.ok(carried.includes(words), words);
    await button("Copy the summary").click();
    const [copied] = await panel().posted();
    assert.ok(copied?.type === "text:copy" && copied.text.includes("**Still open**"));
  });

  it("and lets a person rewrite it by keyboard alone", async () => {
    await show(summedUp);
    await head().focus();
    await press("Enter");
    // Past the button that copies, and the file that the summary names.
    await press("ArrowRight", "ArrowRight", "ArrowRight");
    assert.equal(await focusedWords(), "Edit summary");
    await press("Enter");
    assert.equal(await focused(), "Summary that the model reads");
    await field().fill(" My own words. ");
    await press("Control+Enter", "Control+Enter");
    const edit = { type: "context:edit", compactionId: "k1", summary: " My own words. " } as const;
    assert.deepEqual(await panel().posted(), [edit], "once, however often it is sent");
    await tell(story.compacted("k1", "run-1", edited));
    assert.equal(await field().count(), 0);
    assert.match(await card().innerText(), /edited by you[^]*My own words\./);
    assert.equal(await card().count(), 1);
    assert.match(await focusedWords(), /^Summed up the conversation/);
  });

  it("keeps what was written when it is refused, over a reload, and until it is cancelled", async () => {
    await show(summedUp);
    await head().click();
    await button("Edit summary").click();
    await field().fill("Half a sentence");
    await button("Save").click();
    const next = "Wait for the other run to end.";
    await tell({ type: "panel:failure", failure: { code: "session_busy", status: 503, message: "Busy.", next } });
    assert.equal(await field().inputValue(), "Half a sentence");
    assert.match(await transcript(), /Busy\./);
    await button("Save").click();
    assert.equal((await panel().posted()).length, 2, "and it can be sent again");
    await panel().reload();
    await panel().send({ type: "snapshot", view: story.fold(summedUp) });
    assert.equal(await field().inputValue(), "Half a sentence");
    await field().focus();
    await press("Escape");
    assert.equal(await field().count(), 0);
    assert.match(await focusedWords(), /^Summed up the conversation/);
    assert.match(await card().innerText(), /Done so far/);
    await button("Edit summary").click();
    assert.match(await field().inputValue(), /^## Done so far/);
  });

  it("sends nothing when nothing was changed, and takes no empty summary", async () => {
    await show(summedUp);
    await head().click();
    await button("Edit summary").click();
    await button("Save").click();
    assert.equal(await field().count(), 0);
    await button("Edit summary").click();
    await field().fill("  ");
    assert.equal(await button("Save").isDisabled(), true);
    await press("Control+Enter");
    assert.deepEqual(await panel().posted(), []);
  });

  it("and lets a person undo it, once; then it says so and offers nothing more", async () => {
    await show(summedUp);
    await head().click();
    await button("Undo").dblclick();
    assert.deepEqual(await panel().posted(), [{ type: "context:undo", compactionId: "k1" }]);
    await tell(story.undone());
    assert.match(await head().innerText(), /undone by you/);
    assert.match(await focusedWords(), /tokens\s+undone by you/);
    assert.equal((await button("Undo").count()) + (await button("Edit summary").count()), 0);
    assert.match(await status(), /reads the earlier messages again/);
  });

  it("as replaced by a later one, and as in use again when that is undone", async () => {
    const later = [...story.start("And on.", "run-2"), story.compacting("k9", "run-2"), story.compacted("k9", "run-2")];
    await show([...summedUp, ...later, story.end("completed", "run-2")]);
    assert.match(await head().first().innerText(), /replaced by a later one/);
    assert.doesNotMatch(await head().last().innerText(), /replaced/);
    await head().first().click();
    assert.equal(await button("Undo").count(), 0);
    await tell(story.undone("k9", "run-2"));
    assert.doesNotMatch(await head().first().innerText(), /replaced/);
    assert.equal(await button("Undo").count(), 1);
  });

  it("the same after a reload", async () => {
    const events = [...summedUp, story.compacted("k1", "run-1", edited)];
    await show(events);
    const before = await transcript();
    await open();
    await panel().send({ type: "snapshot", view: story.fold(events) });
    assert.equal(await transcript(), before);
  });

  it("to a screen reader in sentences, without moving the focus", async () => {
    await show(asked);
    await panel().page.getByLabel(composer).focus();
    await tell(story.compacting());
    assert.equal(await status(), "Making room: summing up the older part.");
    await tell(story.compacted());
    assert.equal(await status(), "Summed up the conversation: 118,000 to 31,000 tokens.");
    assert.equal(await focused(), composer);
  });

  it("in every theme and width without anything beside its edge", async () => {
    for (const theme of ["dark", "light", "contrast"] as const) {
      await show(summedUp, { theme, width: 260 });
      await head().click();
      await button("Edit summary").click();
      const wide = await panel().page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(wide, 0, theme);
    }
  });
});

describe("the panel says that memory was updated", function () {
  this.timeout(60_000);
  const { panel, show, tell, transcript } = usePanel();

  it("in one line for notes of one moment, with a button that opens them", async () => {
    await show([...asked, story.noted("Tests run with node --test.")]);
    assert.match(await transcript(), /Memory updated\s+Open/);
    await tell(story.noted("CHF, not EUR."), { type: "memory:flush", runId: "run-1", wrote: true });
    assert.equal(await panel().page.locator(".memory").count(), 1);
    assert.match(await transcript(), /Memory updated: 2 notes/);
    await panel().page.getByTitle("Open MEMORY.md").click();
    assert.deepEqual(await panel().posted(), [{ type: "command:run", command: "openMemory" }]);
  });

  it("and nothing when there was nothing to note", async () => {
    await show([...asked, { type: "memory:flush", runId: "run-1", wrote: false }]);
    assert.doesNotMatch(await transcript(), /Memory/);
  });
});

describe("the panel says how full the window is", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused } = usePanel();
  const meter = () => panel().page.locator(".meter");
  const opened = () => panel().page.getByRole("dialog", { name: "What fills the context" });
  const compact = () => opened().getByRole("button", { name: "Compact" });

  it("after every request, with the numbers", async () => {
    await show(asked);
    assert.match((await meter().getAttribute("title")) ?? "", /^About 23,104 of 128,000 tokens/);
    await tell(story.windowHolds(64_000));
    assert.equal((await meter().innerText()).trim(), "50 %");
    assert.match((await meter().getAttribute("title")) ?? "", /^About 64,000 of 128,000 tokens/);
  });

  it("opens by a key into what fills it: each part, what is free and kept, where it makes room, and what was cached", async () => {
    await show([
      ...asked,
      story.windowParts(),
      story.saidWith({ input: 60_000, output: 20, cached: 41_000 }),
      story.end(),
    ]);
    await meter().focus();
    await press("Enter");
    await opened().waitFor();
    const rows = (await opened().locator("tbody tr").allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " ").trim());
    assert.deepEqual(rows, [
      "System prompt 1,100 < 1 %",
      "Project rules (AGENTS.md) 2,300 2 %",
      "MEMORY.md 600 < 1 %",
      "Definitions of tools 5,000 4 %",
      "Messages 21,000 16 %",
      "Attachments and images 4,000 3 %",
      "Results of tools 30,000 23 %",
      "Free 47,616 37 %",
      "Kept for the answer 16,384 13 %",
    ]);
    const numbers = rows.map((row) => Number(/ ([\d,]+) (?:< )?\d+ %$/.exec(row)?.[1]?.replaceAll(",", "")));
    assert.equal(
      numbers.slice(0, 7).reduce((sum, count) => sum + count, 0),
      64_000,
      "as many as the meter says",
    );
    assert.equal(
      numbers.reduce((sum, count) => sum + count, 0),
      128_000,
    );
    const words = await opened().innerText();
    assert.match(words, /About 64,000 of 128,000 tokens are used, 50 %\./);
    assert.match(words, /Above 111,616 tokens \(87 %\) the older part is summed up by itself; above 96,000/);
    assert.match(words, /Of the 60,000 tokens of the last request, 41,000 were read from the endpoint’s cache\./);
  });

  it("and closes with Escape, back to the meter; or when somebody goes elsewhere", async () => {
    await show([...asked, story.windowParts(), story.end()]);
    await meter().click();
    await opened().waitFor();
    assert.equal(await focused(), "What fills the context");
    await press("Escape");
    assert.equal(await opened().count(), 0);
    assert.match(await focused(), /^Context: 50 %/);
    await press("Enter");
    await opened().waitFor();
    await panel().page.getByLabel(composer).click();
    await opened().waitFor({ state: "detached" });
    assert.equal(await focused(), composer);
  });

  it("and makes room on demand, when nothing runs", async () => {
    await show([...asked, story.windowHolds(96_000)]);
    await meter().click();
    assert.equal(await compact().isDisabled(), true, "a run is going on");
    assert.match(await opened().innerText(), /What they are made of is known with the next request\./);
    await tell(story.end());
    await compact().click();
    assert.deepEqual(await panel().posted(), [{ type: "command:run", command: "compactConversation" }]);
    assert.equal(await opened().count(), 0);
  });
});
