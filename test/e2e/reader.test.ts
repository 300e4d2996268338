// As somebody who sees nothing and has no mouse: the demo from its first key to its last, by what a screen reader says alone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { openBrain, type OpenedBrain } from "../support/e2e.ts";
import { runFromPalette } from "../support/palette.ts";

/** Presses of a key after which nobody searches on. */
const patience = 40;

/** What is read when the focus moves: role, name and states of what has it. */
async function here({ panel }: OpenedBrain): Promise<string> {
  const focused = panel.locator(":focus");
  return (await focused.count()) === 0 ? "" : focused.first().ariaSnapshot();
}

/** Goes on by a key until something is read that fits; the words of every stop, when nothing does. */
async function findBy(brain: OpenedBrain, key: "Shift+Tab" | "ArrowDown", wanted: RegExp): Promise<void> {
  const heard: string[] = [];
  for (let presses = 0; presses < patience; presses += 1) {
    await brain.page.keyboard.press(key);
    const now = await here(brain);
    if (wanted.test(now)) return;
    heard.push(now.split("\n", 1)[0] ?? "");
  }
  assert.fail(`Nothing that reads as ${wanted}; what was read: ${heard.join(" | ")}`);
}

/** Waits for the next sentence that is said without being asked for. */
async function listen({ panel }: OpenedBrain, last: string): Promise<string> {
  const status = panel.getByRole("status");
  const next = last === "" ? status.filter({ hasText: /\S/ }) : status.filter({ hasNotText: last });
  await next.waitFor({ state: "attached", timeout: 60_000 });
  return (await status.innerText()).trim();
}

describe("the demo, by keyboard and ear", function () {
  this.timeout(600_000);
  it("is begun, decided and read to its end", async () => {
    const brain = await openBrain();
    const { page, panel, workspace } = brain;
    try {
      await runFromPalette(page, "Brain: New Session");
      await panel.getByRole("textbox", { name: "Message to Brain" }).and(panel.locator(":focus")).waitFor();
      await findBy(brain, "Shift+Tab", /button "Fix the failing test"/);
      await page.keyboard.press("Enter");
      let said = "";
      const story: string[] = [];
      while (!said.includes("Answer finished.")) {
        said = await listen(brain, said);
        story.push(said);
        assert.ok(story.length < 20, story.join("\n"));
        if (!/\bcalls? waits?: /.test(said)) continue;
        await findBy(brain, "Shift+Tab", /button "Approve/);
        await page.keyboard.press("Enter");
      }
      assert.match(story.join("\n"), /1 call waits: edit src\/cart\.js/);
      // The conversation is one stop; in it arrows go from message to call to answer.
      await findBy(brain, "Shift+Tab", /group "You"/);
      await findBy(brain, "ArrowDown", /the tests pass/);
      assert.match(await readFile(path.join(workspace, "src/cart.js"), "utf8"), /percent \/ 100/);
    } catch (error) {
      console.log(`What it looked like: ${await brain.screenshot("e2e-reader-failed")}`);
      throw error;
    } finally {
      await brain.close();
    }
  });
});
