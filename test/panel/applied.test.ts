// What a code block says of its code while a person applies it: beside the button that they pressed, to be read out, too.
import assert from "node:assert/strict";
import type { ApplyState } from "../../src/protocol/wire.ts";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

describe("code that is applied", () => {
  const { show, panel } = usePanel();
  const apply = () => panel().page.getByRole("button", { name: "Apply this js code to a file" });
  const note = () => panel().page.locator(".code-block").getByRole("status");
  const press = async (): Promise<string> => {
    await apply().click();
    const used = (await panel().posted()).flatMap((one) => (one.type === "code:use" ? [one.use] : []));
    return used.at(-1) ?? "";
  };
  const say = (use: string, state: ApplyState): Promise<void> => panel().send({ type: "code:used", use, state });

  it("says how far it has come, and shows a check once it is written", async () => {
    await show(story.finished());
    const use = await press();
    assert.equal(await note().count(), 0);
    for (const [state, words] of [
      ["reviewed", "In review"],
      ["applied", "Applied"],
      ["undone", "Taken back"],
      ["left", "Not applied"],
    ] as const) {
      await say(use, state);
      await panel().page.getByRole("status").getByText(words, { exact: true }).waitFor();
      const isChecked = await apply().evaluate((button) => button.classList.contains("codicon-check"));
      assert.equal(isChecked, state === "applied", state);
    }
  });

  it("says it of the last time that it was applied only, and in its own block", async () => {
    await show(story.finished());
    const first = await press();
    const second = await press();
    assert.notEqual(first, second);
    for (const use of [first, "another"]) await say(use, "applied");
    await say(second, "reviewed");
    await panel().page.getByRole("status").getByText("In review", { exact: true }).waitFor();
  });
});
