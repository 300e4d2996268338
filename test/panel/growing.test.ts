// Lists and tables that grow past what is drawn in one go: still one thing, to the eye and to a screen reader.
import assert from "node:assert/strict";
import { usePanel } from "./harness.ts";
import { drawn, until } from "./page.ts";
import * as story from "./stories.ts";

const lines = (line: (n: number) => string, count: number): string =>
  Array.from({ length: count }, (_, n) => line(n)).join("");

describe("the panel draws what grows without end", function () {
  this.timeout(60_000);
  const { panel, show, tell } = usePanel();
  const look = <T>(code: string): Promise<T> => panel().page.evaluate<T>(code);

  /** As it comes, until all of it is there. */
  async function grow(text: string, last: string): Promise<void> {
    await show([story.setup(), ...story.start("Write it."), story.says("Here it is:\n\n", "m1")]);
    for (let at = 0; at < text.length; at += 300) await tell(story.says(text.slice(at, at + 300), "m1"));
    while (!(await look<string>("document.querySelector('.markdown').textContent")).includes(last))
      await drawn(panel().page);
  }

  it("a table keeps one head and its columns", async () => {
    const head = "| name | what | number |\n| --- | --- | ---: |\n";
    await grow(`${head}${lines((n) => `| row ${n} | \`code\` and **bold** | ${n} |\n`, 150)}`, "row 149");
    const count = (name: string): string => `document.querySelectorAll('.markdown ${name}').length`;
    assert.deepEqual(await look(`[${["table", "th", "tr"].map(count).join()}]`), [1, 3, 151]);
    const columns = await look<readonly string[]>(
      `[...document.querySelectorAll(".markdown tr")].map(({ cells }) => [...cells].map((cell) => cell.offsetLeft).join())`,
    );
    assert.equal(new Set(columns).size, 1, columns.join("\n"));
  });

  it("what a model nests without end is there as text, and the panel goes on", async () => {
    for (const mark of [">", "> ", "- ", "1. ", "> - "]) {
      const text = `Before.\n\n${mark.repeat(3_000)}the end\n\nAfter **that**.`;
      await show([story.setup(), ...story.start("Write it."), story.says(text, "m1"), story.said("m1", false)]);
      await until(panel().page, "document.querySelector('.markdown')?.textContent.includes('After that.')");
      assert.ok((await look<string>("document.querySelector('.markdown').textContent")).includes("the end"), mark);
      await tell(story.end(), ...story.start("Go on.", "run-2"));
      await panel().page.getByText("Go on.", { exact: true }).waitFor();
    }
  });

  it("the points of a list stand below each other without gaps, with their numbers", async () => {
    await grow(
      lines((n) => `1. point ${n} with **bold** text\n`, 400),
      "point 399",
    );
    const points = await look<readonly (readonly [number, number])[]>(
      `[...document.querySelectorAll(".markdown li")].map((point) => {
        const { start, children } = point.parentElement;
        const before = [...children].indexOf(point);
        const gap = before === 0 ? 0 : point.getBoundingClientRect().top - children[before - 1].getBoundingClientRect().bottom;
        return [start + before, Math.round(gap)];
      })`,
    );
    assert.deepEqual(
      points,
      Array.from({ length: 400 }, (_, n) => [n + 1, 0]),
    );
    assert.ok((await look<number>("document.querySelectorAll('.markdown ol').length")) < 4);
  });
});
