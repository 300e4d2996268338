// What was looked for, as a person is taken to it: its turn in view and marked, the words coloured, the focus there; and the boxes of a drawing.
import assert from "node:assert/strict";
import type { LoopEvent } from "../../src/protocol/events.ts";
import type { SessionRow } from "../../src/protocol/sessions.ts";
import type { View } from "../../src/protocol/view.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import { answered, listedSession, openSessions } from "./sessionStates.ts";
import * as story from "./stories.ts";

/** A few turns, the same again and again under other ids. */
function longView(length: number): View {
  const turn = (run: string): readonly LoopEvent[] => [
    ...story.start("Do it", run),
    ...story.done(
      { ...story.command(`c-${run}`, "npm test"), run },
      `one\n${"more\n".repeat(40)}the hidden needle\nend`,
    ),
    story.says(`An answer.\n\n${"Words. ".repeat(60)}\n\nThe **loud** needle.`, `m-${run}`, run),
    { ...story.end(), runId: run },
  ];
  const [first] = story.fold([story.setup(), ...turn("run-0")]).turns;
  assert.ok(first);
  const turns = Array.from({ length }, (_, n) => {
    const items = first.items.map((item) => ({ ...item, id: item.id.replace("run-0", `run-${n}`) }));
    return { ...first, runId: `run-${n}`, messageId: `user-${n}`, user: `Task ${n}`, items };
  });
  return { ...story.fold([story.setup()]), session: { id: "s", title: "" }, turns };
}

describe("what was looked for in the panel", function () {
  this.timeout(60_000);
  const { panel, show, open, press } = usePanel();
  const inFocus = (): Promise<string> => panel().page.evaluate("document.activeElement.dataset.item ?? ''");
  const coloured = (): Promise<readonly string[]> =>
    panel().page.evaluate("[...(CSS.highlights.get('sought') ?? [])].map(String)");
  /** Whether the first word that is coloured is on the screen, in the conversation. */
  const isSeen = (): Promise<boolean> =>
    panel().page.evaluate(`(() => {
      const [range] = CSS.highlights.get("sought") ?? [];
      const box = document.querySelector(".transcript").getBoundingClientRect();
      const { top, bottom } = range.getBoundingClientRect();
      return top >= box.top && bottom <= box.bottom;
    })()`);
  /** Until what is asked of the page is so. */
  const until = async (what: () => Promise<boolean>): Promise<void> => {
    for (const limit = Date.now() + 30_000; !(await what());) {
      assert.ok(Date.now() < limit, what.toString());
      await drawn(panel().page);
    }
  };
  const seek = async (runId: string, item: string, words: string): Promise<void> => {
    await panel().send({ type: "sought:show", runId, item, words });
    await until(async () => (await inFocus()) === item && (await coloured()).length > 0);
  };

  it("is opened from the page of sessions where it was found", async () => {
    await show([story.setup()]);
    const at = { runId: "run-7", item: "c-7" };
    const row: SessionRow = listedSession("s6", "Look", { found: { by: "tool", excerpt: "a needle", at } });
    await openSessions(panel(), [row], { text: "needle" });
    await press("Enter");
    const asked = (await panel().posted()).findLast(({ type }) => type === "session:do");
    assert.deepEqual(asked, { type: "session:do", session: "s6", act: "open", sought: { ...at, words: "needle" } });
    assert.equal(await panel().page.getByRole("searchbox").count(), 0);
  });

  it("is opened at the end where its title has the words", async () => {
    await show([story.setup()]);
    await openSessions(panel(), [], { text: "needle" });
    await panel().send(await answered(panel(), [listedSession("s6", "A needle")]));
    await press("Enter");
    const asked = (await panel().posted()).findLast(({ type }) => type === "session:do");
    assert.deepEqual(asked, { type: "session:do", session: "s6", act: "open" });
  });

  it("is in view 5,000 turns up in 10,000: an answer, with its words across elements", async () => {
    await open();
    await panel().send({ type: "snapshot", view: longView(10_000) });
    await panel().page.getByText("Task 9999", { exact: true }).waitFor();
    await seek("run-5000", "m-run-5000", "THE LOUD NEEDLE");
    assert.deepEqual(await coloured(), ["The loud needle"]);
    assert.ok(await isSeen());
    assert.equal(await panel().page.locator("[data-sought]").count(), 1);
    await seek("run-2", "user-2", "task 2");
    assert.deepEqual(await coloured(), ["Task 2"]);
    assert.ok(await isSeen());
  });

  it("is uncovered inside of a result: the call is unfolded, and what is cut off of it is shown", async () => {
    await open();
    await panel().send({ type: "snapshot", view: longView(40) });
    await seek("run-3", "c-run-3", "hidden needle");
    assert.deepEqual(await coloured(), ["hidden needle"]);
    await until(isSeen);
  });

  it("is coloured no more after Escape, or once a message is sent", async () => {
    await open();
    await panel().send({ type: "snapshot", view: longView(40) });
    await seek("run-3", "user-3", "task");
    await press("Escape");
    assert.deepEqual(await coloured(), []);
    await seek("run-4", "user-4", "task");
    await panel().page.getByLabel(composer).fill("Go on");
    assert.deepEqual(await coloured(), ["Task"]);
    await press("Enter");
    await until(async () => (await coloured()).length === 0);
  });

  it("is inside of a line of several calls: the line is unfolded; what is not drawn leads to its turn", async () => {
    const reads = ["r1", "r2", "r3"].flatMap((id) => story.done(story.read(id, `${id}.js`), `the ${id} needle`));
    await show([story.setup(), ...story.start("Read."), ...reads, story.end()]);
    await seek("run-1", "r2", "r2 needle");
    assert.deepEqual(await coloured(), ["r2 needle"]);
    await panel().send({ type: "sought:show", runId: "run-1", item: "never-heard-of", words: "x" });
    await until(() => panel().page.evaluate<boolean>("document.activeElement.matches('.user')"));
    assert.equal((await coloured()).length, 0);
  });

  it("stays where it is without a motion where none is wanted", async () => {
    await open();
    await panel().page.emulateMedia({ reducedMotion: "reduce" });
    await panel().send({ type: "snapshot", view: longView(40) });
    await seek("run-3", "user-3", "task");
    assert.equal(await panel().page.evaluate("getComputedStyle(document.activeElement).animationName"), "none");
  });

  it("leads from a box of a plan to its call, also when that is far from what is drawn", async () => {
    const events = [...story.withPlan("eager"), ...story.planHalfWay(), ...story.planToEdit()];
    const later = Array.from({ length: 120 }, (_, n) => story.says(`${n}. ${"More. ".repeat(80)}`, `late-${n}`));
    await show([...events, ...later]);
    await press("Control+Home");
    await panel().page.evaluate("document.querySelector('.transcript').scrollTop = 0");
    await drawn(panel().page);
    await panel().page.locator(".plan .call-head").click();
    await panel().page.locator("[data-box=e1]").click();
    await until(async () => (await inFocus()) === "e1");
  });
});
