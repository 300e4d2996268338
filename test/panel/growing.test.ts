// Lists and tables that grow past what is drawn in one go: still one thing, to the eye and to a screen reader.
import assert from "node:assert/strict";
import { usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
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
    for (let at = 0; at < text.length; at += 900) await tell(story.says(text.slice(at, at + 900), "m1"));
    while (!(await look<string>("document.querySelector('.markdown').textContent")).includes(last))
      await drawn(panel().page);
  }

  /** Roles that a screen reader is told, and how often. */
  async function roles(): Promise<Readonly<Record<string, number>>> {
    const session = await panel().page.context().newCDPSession(panel().page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const found: Record<string, number> = {};
    for (const { role, ignored } of nodes) {
      const name: unknown = role?.value;
      if (!ignored && typeof name === "string") found[name] = (found[name] ?? 0) + 1;
    }
    return found;
  }

  it("a table keeps one head, and its columns stay as they are", async () => {
    const head = "| name | what | number |\n| --- | --- | ---: |\n";
    await grow(`${head}${lines((n) => `| row ${n} | \`code\` and **bold** | ${n} |\n`, 400)}`, "row 399");
    assert.deepEqual(
      await look(
        "[document.querySelectorAll('.markdown table').length, document.querySelectorAll('.markdown tr').length]",
      ),
      [1, 401],
    );
    const columns = await look<readonly string[]>(
      `[...document.querySelectorAll(".markdown tr")].filter((row, n) => n % 57 === 0 || n > 398)
        .map((row) => [...row.cells].map((cell) => { const { left, width } = cell.getBoundingClientRect(); return Math.round(left) + "+" + Math.round(width); }).join(" "))`,
    );
    assert.equal(new Set(columns).size, 1, columns.join("\n"));
    const { table, columnheader, row, cell } = await roles();
    assert.deepEqual([table, columnheader], [1, 3]);
    assert.ok((row ?? 0) > 20 && (cell ?? 0) > 60, `${row} rows, ${cell} cells`);
    const copied = await look<string>(
      "getSelection().selectAllChildren(document.querySelector('.markdown')), getSelection().toString()",
    );
    assert.match(copied, /row 0\s+code and bold\s+0\s+row 1\s/);
    assert.match(copied, /row 398\s+code and bold\s+398\s+row 399\s/);
  });

  it("the points of a list have their numbers, without gaps in between", async () => {
    await grow(
      lines((n) => `1. point ${n} with **bold** text\n`, 400),
      "point 399",
    );
    const points = await look<readonly { value: number; top: number; bottom: number }[]>(
      `[...document.querySelectorAll(".markdown li")].slice(-60).map((point) => {
        const points = [...point.parentElement.children];
        const { top, bottom } = point.getBoundingClientRect();
        return { value: point.parentElement.start + points.indexOf(point), top, bottom };
      })`,
    );
    assert.deepEqual(
      points.map(({ value }) => value),
      Array.from({ length: 60 }, (_, n) => 341 + n),
    );
    const gaps = points.slice(1).map(({ top }, n) => Math.round(top - (points[n]?.bottom ?? 0)));
    assert.deepEqual([...new Set(gaps)], [0]);
  });
});
