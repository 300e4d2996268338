// For every eye and hand, in every state: large enough to hit, reached by Tab, nothing cut off at twice its size, no motion where none is wanted.
import assert from "node:assert/strict";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { usePanel } from "./harness.ts";
import { drawn, type PanelPage } from "./page.ts";
import { enter, states } from "./states.ts";
import * as story from "./stories.ts";

/** What can be pressed or written in; what stands in running text, and what is not shown, has no size of its own. */
const controls = `[...document.querySelectorAll("button, input, select, textarea, [role=option], [role=menuitem]")]
  .filter((element) => element.checkVisibility() && !element.closest("[inert]") && element.getBoundingClientRect().width > 0)`;
const nameOf = `((element) => element.tagName + "." + element.className + " " + (element.ariaLabel ?? element.innerText))`;

/** Controls under 24 pixels; a box to tick is hit by its label, too. */
const tooSmall = `${controls}.filter((element) => {
  const boxes = [element, ...(element.labels ?? [])].map((box) => box.getBoundingClientRect());
  return boxes.every(({ width, height }) => Math.min(width, height) < 23.9);
}).map(${nameOf})`;

/** What reaches over the edge, what is cut off without a sign, and controls under something else; a drawing is scrolled by itself. */
const outOfReach = `(() => {
  const wrong = [];
  for (const element of document.querySelectorAll("#root *")) {
    if (!element.checkVisibility() || element.closest("table, .for-readers, .flow-frame")) continue;
    const { left, right, width } = element.getBoundingClientRect();
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isClipped = getComputedStyle(element.parentElement).textOverflow === "ellipsis";
    if (!isClipped && width > 0 && (left < -1 || right > innerWidth + 1)) wrong.push("out: " + ${nameOf}(element));
    const hides = overflowX !== "visible" && textOverflow !== "ellipsis" && !element.matches("textarea, input");
    if (hides && element.scrollWidth > element.clientWidth + 1) wrong.push("cut: " + ${nameOf}(element));
  }
  document.activeElement.blur();
  for (const element of ${controls}) {
    element.scrollIntoView({ block: "nearest" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    const floats = there?.closest(".menu, .offers, .holds, .jump, .tools") || element.matches(".jump");
    if (height < innerHeight / 3 && !there?.contains(element) && !element.contains(there) && !floats) wrong.push("covered: " + ${nameOf}(element));
  }
  return wrong;
})()`;

/** What has the focus, and what is wrong with that. */
const stop = `(() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  element.dataset.stop ??= String(Math.random());
  const { top, bottom, width } = element.getBoundingClientRect();
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--vscode-focusBorder)";
  const ring = getComputedStyle(probe).color;
  probe.remove();
  const { outlineStyle, outlineWidth, outlineColor, borderTopColor } = getComputedStyle(element);
  const outlined = outlineStyle !== "none" && parseFloat(outlineWidth) > 0 && outlineColor === ring;
  const box = element.closest(".composer-box, .sessions-search");
  const seen = outlined || borderTopColor === ring || (box && getComputedStyle(box).borderTopColor === ring);
  const name = element.ariaLabel || element.labels?.[0]?.innerText || element.innerText || element.getAttribute("aria-labelledby");
  const wrong = [
    !name?.trim() && "has no name",
    !seen && "shows no ring",
    !(width > 0 && top < innerHeight - 8 && bottom > 8) && "is out of sight",
  ].filter(Boolean);
  return { id: element.dataset.stop, composer: element.matches(".composer textarea"), wrong: wrong.map((one) => ${nameOf}(element) + " " + one) };
})()`;

interface Stop {
  readonly id: string;
  readonly composer: boolean;
  readonly wrong: readonly string[];
}

/** Goes once around by Tab. */
async function around({ page }: PanelPage): Promise<readonly Stop[]> {
  const stops: Stop[] = [];
  await page.evaluate("document.activeElement.blur()");
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate<Stop | null>(stop);
    if (now && stops.some(({ id }) => id === now.id)) return stops;
    if (now) stops.push(now);
  }
  throw new Error("Tab never comes back to where it was.");
}

describe("the panel, for every eye and hand,", function () {
  this.timeout(120_000);
  const { panel, open, show, tell } = usePanel();

  for (const state of states) {
    it(`${state.name}: can be hit and is gone around by Tab; at twice its size nothing is cut off`, async () => {
      await open({ ...state, height: 900 });
      await enter(panel(), state);
      assert.deepEqual(await panel().page.evaluate(tooSmall), []);
      const stops = await around(panel());
      assert.deepEqual(
        stops.flatMap(({ wrong }) => wrong),
        [],
      );
      const isBeneath = (await panel().page.locator(".conversation[inert]").count()) > 0;
      assert.equal(
        stops.some(({ composer }) => composer),
        !isBeneath,
        "the composer is reached, but not under another page",
      );
      await open({ ...state, width: 150, height: 450 });
      await enter(panel(), state);
      assert.deepEqual(await panel().page.evaluate(outOfReach), []);
    });
  }

  describe("moves nothing", () => {
    const moving = (): Promise<number> => panel().page.evaluate("document.getAnimations().length");

    it("when the system, or the editor, wants less motion", async () => {
      await show(story.working());
      assert.ok((await moving()) > 0);
      await panel().page.emulateMedia({ reducedMotion: "reduce" });
      assert.equal(await moving(), 0);
      await panel().page.emulateMedia({ reducedMotion: "no-preference" });
      await panel().page.evaluate("document.body.classList.add('vscode-reduce-motion')");
      assert.equal(await moving(), 0);
    });
  });

  it("says once that it is done, however many pieces an answer comes in", async () => {
    await show([story.setup(), ...story.start("Explain it.")]);
    await panel().page.waitForSelector("[role=status]", { state: "attached" });
    await panel().page.evaluate(`{
      window.said = [];
      const live = [...document.querySelectorAll("[aria-live], [role=status], [role=alert], [role=log]")];
      for (const element of live)
        new MutationObserver(() => said.push(element.textContent)).observe(element, { childList: true, characterData: true, subtree: true });
    }`);
    const answer = async (run: string): Promise<void> => {
      const pieces: PanelEvent[] = Array.from({ length: 250 }, (_, index) =>
        story.says(`word${index} `, `m-${run}`, run),
      );
      for (let at = 0; at < pieces.length; at += 10) await tell(...pieces.slice(at, at + 10));
      await tell(story.said(`m-${run}`, false, run), story.end("completed", run));
      await drawn(panel().page);
    };
    await answer("run-1");
    await tell(...story.start("And again.", "run-2"));
    await answer("run-2");
    // The second time it is another text, though it reads the same: what does not change is not read.
    assert.deepEqual(await panel().page.evaluate("said"), ["Answer finished.", "Answer finished.\u00a0"]);
  });

  describe("in the system's own colours", () => {
    it("shows what is chosen, and what has the focus", async () => {
      const state = states.find(({ name }) => name === "22-replace-pick");
      assert.ok(state);
      await open(state);
      await panel().page.emulateMedia({ forcedColors: "active" });
      await enter(panel(), state);
      const chosen = `(({ backgroundColor }) => backgroundColor)(getComputedStyle(document.querySelector("[role=option][aria-selected=true]")))`;
      const other = chosen.replace("=true", "=false");
      assert.notEqual(await panel().page.evaluate(chosen), await panel().page.evaluate(other));
      assert.deepEqual(await panel().page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`), "solid");
    });
  });
});
