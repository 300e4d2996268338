// Long sessions: what is drawn of them, what stays where it is, what comes by itself, and how keys get everywhere.
import assert from "node:assert/strict";
import type { LoopEvent, PanelEvent } from "../../src/protocol/events.ts";
import type { View } from "../../src/protocol/view.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";

const turns = (from: number, to: number): readonly LoopEvent[] =>
  Array.from({ length: to - from }, (_, n) => {
    const run = `run-${from + n}`;
    const calls = ["a", "b", "c"].map((name) => ({ ...story.command(`${name}${from + n}`, `npm run ${name}`), run }));
    return [
      ...story.start(`Task ${from + n}`, run),
      ...calls.flatMap((call) => story.done(call, "ok")),
      story.says(`Answer ${from + n}.\n\n${"More. ".repeat(10 + ((from + n) % 7) * 40)}`, `m-${from + n}`, run),
      { ...story.end("completed"), runId: run },
    ];
  }).flat();

const more: PanelEvent = { type: "session:earlier", events: [], more: true };

/** The same few turns again and again. */
const longView = (length: number): View => {
  const view = story.fold([story.setup(), ...turns(0, 20)]);
  const many = Array.from({ length: Math.ceil(length / 20) }, (_, n) =>
    view.turns.map((turn, index) => ({ ...turn, runId: `run-${n * 20 + index}`, user: `Task ${n * 20 + index}` })),
  );
  return { ...view, turns: many.flat() };
};

describe("the panel with a long session", function () {
  this.timeout(60_000);
  const { panel, show, open, tell, press, focused } = usePanel();
  const nodes = (): Promise<number> => panel().page.evaluate("document.querySelectorAll('*').length");
  const scrollTo = async (where: string): Promise<void> => {
    await panel().page.evaluate(
      `(() => { const box = document.querySelector(".transcript"); box.scrollTop = ${where}; })()`,
    );
    await drawn(panel().page);
    await drawn(panel().page);
  };
  /** The turns that are on the screen, with where each begins. */
  const seen = (): Promise<Readonly<Record<string, number>>> =>
    panel().page.evaluate(`Object.fromEntries([...document.querySelectorAll(".turn")]
      .map((turn) => [turn.ariaLabel, turn.getBoundingClientRect()])
      .filter(([, { top, bottom }]) => bottom > 40 && top < 600)
      .map(([name, { top }]) => [name, Math.round(top)]))`);
  const focusedText = () => panel().page.evaluate<string>("document.activeElement.textContent");
  const earlier = async () => (await panel().posted()).filter(({ type }) => type === "session:earlier").length;

  it("draws of 10,000 turns with 30,000 calls only what is near, wherever the reader is", async () => {
    await open();
    await panel().send({ type: "snapshot", view: longView(10_000) });
    await panel().page.getByText("Task 9999", { exact: true }).waitFor();
    for (const where of ["box.scrollHeight", "box.scrollHeight / 2", "box.scrollHeight / 3", "0"]) {
      await scrollTo(where);
      assert.ok((await nodes()) < 3_000, `${await nodes()} nodes at ${where}`);
      assert.ok(Object.keys(await seen()).length > 0, `nothing to be seen at ${where}`);
    }
    assert.ok("Task 0" in (await seen()));
  });

  it("draws of a turn with 3,000 calls only what is near", async () => {
    const calls = Array.from({ length: 3_000 }, (_, n) =>
      n % 2 === 1 ? story.command(`c${n}`, `npm run step-${n}`) : story.read(`r${n}`, `step-${n}.js`),
    );
    const events = [story.setup(), ...story.start("Do it all."), ...calls.flatMap((call) => story.done(call, "ok"))];
    await open();
    await panel().send({ type: "snapshot", view: story.fold(events) });
    await panel().page.getByText("npm run step-2999").waitFor();
    assert.ok((await nodes()) < 3_000, `${await nodes()} nodes`);
    await tell(...story.done(story.command("last", "npm run last"), "ok"));
    await panel().page.getByText("npm run last").waitFor();
    await scrollTo("0");
    await panel().page.getByText("step-0.js", { exact: true }).waitFor();
    assert.ok((await nodes()) < 3_000, `${await nodes()} nodes`);
  });

  it("moves nothing that is being read when what is above it is drawn for the first time", async () => {
    await show([story.setup(), ...turns(0, 60)]);
    for (let step = 0; step < 12; step += 1) {
      const before = await seen();
      await scrollTo("box.scrollTop - 300");
      const after = await seen();
      const both = Object.keys(after).filter((name) => name in before);
      assert.ok(both.length > 0);
      for (const name of both)
        assert.ok(
          Math.abs((after[name] ?? 0) - (before[name] ?? 0) - 300) <= 2,
          `${name}, step ${step}: ${before[name]} → ${after[name]}`,
        );
    }
  });

  it("asks for what is before by itself, once, and the reader stays where they are", async () => {
    await show([story.setup(), ...turns(40, 80), more]);
    assert.equal(await earlier(), 0);
    await scrollTo("200");
    await scrollTo("150");
    assert.equal(await earlier(), 1);
    const before = await seen();
    await tell({ type: "session:earlier", events: turns(20, 40), more: true });
    assert.deepEqual(await seen(), before);
    await scrollTo("0");
    assert.equal(await earlier(), 2);
    await tell({ type: "session:earlier", events: turns(0, 20), more: false });
    assert.equal(await panel().page.getByRole("button", { name: "Show earlier messages" }).count(), 0);
  });

  it("and again when a person asks for it by key", async () => {
    await show([story.setup(), ...turns(40, 80), more]);
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab", "Home");
    await drawn(panel().page);
    assert.equal(await focusedText(), "Show earlier messages");
    await press("Enter");
    assert.equal(await earlier(), 2);
  });

  it("reaches its first and last row by key, and goes on from the focused row after scrolling away", async () => {
    await open();
    await panel().send({ type: "snapshot", view: longView(1_000) });
    await panel().page.getByText("Task 999", { exact: true }).waitFor();
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab", "Home");
    await drawn(panel().page);
    assert.match(await focusedText(), /Task 0$/);
    await scrollTo("box.scrollHeight / 2");
    assert.match(await focusedText(), /Task 0$/);
    await press("ArrowDown");
    assert.match(await focusedText(), /npm run a/);
    assert.ok("Task 0" in (await seen()));
    await press("End");
    await drawn(panel().page);
    await drawn(panel().page);
    assert.ok("Task 999" in (await seen()));
    await press("Tab");
    assert.equal(await focused(), composer);
  });

  it("is as it was after it was killed: place, draft, unfolded rows, the form of a call, and the page of sessions", async () => {
    const asked = [story.setup(), ...turns(0, 40), ...story.start("Go on."), ...story.pendingCommand("wait")];
    const view = story.fold(asked);
    const looks = async () => ({
      seen: await seen(),
      unfolded: await panel().page.locator(".turn [aria-expanded=true]").count(),
      command: await panel().page.getByRole("textbox", { name: "Command" }).inputValue(),
      draft: await panel().page.getByLabel(composer).inputValue(),
    });
    const begin = async (): Promise<void> => {
      await panel().send({ type: "snapshot", view });
      await panel().page.waitForSelector(".markdown:not(.plain)", { state: "attached" });
      await panel().page.locator(".pending-row").waitFor({ state: "attached" });
      await drawn(panel().page);
    };
    const again = async (): Promise<void> => {
      await panel().reload();
      await begin();
    };
    await open();
    await begin();
    await panel().page.getByRole("button", { name: "Modify" }).click();
    await panel().page.getByRole("textbox", { name: "Command" }).fill("npm run other");
    await panel().page.getByLabel(composer).fill("half a sentence");
    await scrollTo("box.scrollHeight / 2 + 77");
    await panel().page.evaluate(`[...document.querySelectorAll(".turn [aria-expanded=false]")]
      .find((row) => row.getBoundingClientRect().top > 0).click()`);
    await drawn(panel().page);
    const before = await looks();
    assert.deepEqual([before.unfolded, before.command, before.draft], [1, "npm run other", "half a sentence"]);
    await again();
    assert.deepEqual(await looks(), before);
    await panel().send({ type: "sessions:show", deleted: false });
    await panel().page.getByRole("searchbox").fill("prices");
    await again();
    assert.equal(await panel().page.getByRole("searchbox").inputValue(), "prices");
    assert.deepEqual(
      (await panel().posted()).findLast(({ type }) => type === "sessions:find"),
      {
        type: "sessions:find",
        number: 1,
        text: "prices",
        deleted: false,
      },
    );
    await press("Escape");
    assert.deepEqual(await looks(), before);
  });

  it("is where the reader was after the panel was killed, and at the end when they were there", async () => {
    const view = longView(1_000);
    const again = async (): Promise<void> => {
      await panel().reload();
      await panel().send({ type: "snapshot", view });
      await panel().page.waitForSelector(".markdown:not(.plain)");
      await drawn(panel().page);
    };
    await open();
    await panel().send({ type: "snapshot", view });
    await panel().page.waitForSelector(".markdown:not(.plain)");
    await scrollTo("box.scrollHeight / 2 + 77");
    const before = await seen();
    await again();
    assert.deepEqual(await seen(), before);
    const [ready] = await panel().page.evaluate<readonly { from?: string }[]>("window.posted");
    assert.ok(ready?.from?.startsWith("run-4") || ready?.from?.startsWith("run-5"), ready?.from);
    await panel().page.getByRole("button", { name: "Jump to latest" }).click();
    await again();
    assert.ok("Task 999" in (await seen()));
  });
});
