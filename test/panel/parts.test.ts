// An answer of many parts: what is far from the reader is put away, and nobody can tell, whether they scroll, select, copy or search.
import assert from "node:assert/strict";
import { usePanel } from "./harness.ts";
import { drawn, until as isTrue } from "./page.ts";
import * as story from "./stories.ts";

const fence = "```";
const block = (n: number): string =>
  [
    `Block ${n} says **loud${n}** words about \`file${n}.ts\` and goes on for a while, as texts do.`,
    `| name | number |\n| --- | ---: |\n${Array.from({ length: 12 }, (_, row) => `| row ${n} ${row} | ${row} |\n`).join("")}`,
    `${fence}ts\nexport const code${n} = "${n}";\n${fence}`,
    Array.from({ length: 8 }, (_, point) => `- point ${point} of ${n}\n`).join(""),
  ].join("\n\n");
const blocks = 180;
const text = Array.from({ length: blocks }, (_, n) => block(n)).join("\n\n");

/** Something is still to be drawn, or drawn on. */
const drawing = `document.querySelector(".markdown:is(.plain, [data-unfinished])")`;
const away = ".markdown > .part[data-away]";

describe("the panel puts away what is far in a long answer", function () {
  this.timeout(120_000);
  const { panel, show, tell, open } = usePanel();
  const look = <T>(code: string): Promise<T> => panel().page.evaluate<T>(code);
  const until = (code: string): Promise<void> => isTrue(panel().page, code);

  async function stream(): Promise<void> {
    await show([story.setup(), ...story.start("Write it."), story.says("Here it is:\n\n", "m1")]);
    for (let at = 0; at < text.length; at += 4_000) await tell(story.says(text.slice(at, at + 4_000), "m1"));
    await tell(story.said("m1", false), story.end("completed"));
    await until(`document.querySelector(".markdown").textContent.includes("point 7 of ${blocks - 1}")`);
    await until(`document.querySelectorAll("${away}").length > 3`);
  }

  /** All that is near is drawn. */
  const settled = `(() => {
    const box = document.querySelector(".transcript").getBoundingClientRect();
    return [...document.querySelectorAll("${away}")].every((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return bottom < box.top - box.height || top > box.bottom + box.height;
    });
  })()`;

  /** The paragraphs that are seen, by their numbers, and how far the first is from the upper edge. */
  const seen = `(() => {
    const box = document.querySelector(".transcript").getBoundingClientRect();
    const all = [...document.querySelectorAll(".markdown p")].filter((one) => one.textContent.startsWith("Block "));
    const inside = all.filter((one) => one.getBoundingClientRect().bottom > box.top && one.getBoundingClientRect().top < box.bottom);
    return { numbers: inside.map((one) => parseInt(one.textContent.slice(6))), top: inside[0]?.getBoundingClientRect().top };
  })()`;

  it("reads the same from its end to its start, and stands still under the reader", async () => {
    await stream();
    assert.ok((await look<number>("document.querySelectorAll('*').length")) < 9_000);
    const read = new Set<number>();
    for (;;) {
      await until(settled);
      const now = await look<{ numbers: readonly number[]; top?: number }>(seen);
      for (const number of now.numbers) read.add(number);
      for (let frame = 0; frame < 2; frame += 1) await drawn(panel().page);
      assert.deepEqual(await look(seen), now, "what is being read has moved");
      if (await look<boolean>("document.querySelector('.transcript').scrollTop === 0")) break;
      await look("void (document.querySelector('.transcript').scrollTop -= 700)");
      await drawn(panel().page);
    }
    assert.equal(read.size, blocks);
    // As it was drawn first: one head to each table, its rows in order, buttons at the code.
    const [tables, heads] = await look<readonly number[]>(
      `["table", "thead"].map((name) => document.querySelectorAll(".markdown " + name).length)`,
    );
    assert.equal(tables, heads);
    const rows = await look<readonly string[]>(
      `[...document.querySelectorAll(".markdown table")].map((one) => [...one.rows].map((row) => row.cells[1].textContent).join())`,
    );
    assert.deepEqual(new Set(rows), new Set(["number,0,1,2,3,4,5,6,7,8,9,10,11"]));
  });

  it("is there as text for those who read it otherwise than by eye", async () => {
    await stream();
    const all = await look<string>("document.querySelector('.markdown').textContent");
    for (let n = 0; n < blocks; n += 1) {
      assert.ok(all.includes(`Block ${n} says loud${n} words about file${n}.ts`), String(n));
      assert.ok(all.includes(`export const code${n} = "${n}";`), String(n));
    }
  });

  it("leaves what is selected as it is, and takes it away once it is not", async () => {
    await show([story.setup(), ...story.start("Write it."), story.says(`${text.slice(0, 60_000)}\n\n`, "m1")]);
    await until("document.querySelectorAll('.markdown > .part').length > 6");
    await look(`(() => {
      const part = document.querySelectorAll(".markdown > .part")[3];
      getSelection().selectAllChildren(part);
      window.before = String(getSelection());
    })()`);
    for (let at = 60_000; at < text.length; at += 8_000) await tell(story.says(text.slice(at, at + 8_000), "m1"));
    await until(`document.querySelectorAll("${away}").length > 3`);
    const kept = `document.querySelectorAll(".markdown > .part")[3].matches(":not([data-away])")`;
    assert.ok(
      await look<boolean>(`${kept} && window.before.length > 1000 && String(getSelection()) === window.before`),
    );
    await look("getSelection().empty()");
    await tell(story.says("\n\nAnd on.", "m1"));
    await until(`!(${kept})`);
  });

  it("is copied line by line, whether it is drawn or put away", async () => {
    await stream();
    const copied = await look<string>(`(() => {
      const [part] = document.querySelectorAll("${away}");
      getSelection().selectAllChildren(document.querySelector(".markdown"));
      window.isAway = part.matches("[data-away]");
      return String(getSelection());
    })()`);
    assert.ok(await look<boolean>("window.isAway"));
    const lines = copied.split("\n").map((line) => line.trimEnd());
    for (let n = 0; n < blocks; n += 1) {
      const first = lines.indexOf(
        `Block ${n} says loud${n} words about file${n}.ts and goes on for a while, as texts do.`,
      );
      const rest = lines.slice(first).filter((line) => line !== "");
      assert.deepEqual(rest.slice(1, 4), ["name\tnumber", `row ${n} 0\t0`, `row ${n} 1\t1`]);
      assert.deepEqual(rest.slice(13, 17), [
        `row ${n} 11\t11`,
        "ts",
        `export const code${n} = "${n}";`,
        `point 0 of ${n}`,
      ]);
    }
  });

  const scrollTo = async (to: string): Promise<void> => {
    await look(`(() => { const box = document.querySelector(".transcript"); box.scrollTop = ${to}; })()`);
    await drawn(panel().page);
    await until(`!${drawing} && ${settled}`);
    await drawn(panel().page);
  };

  const turn = (n: number, says: string) => [
    ...story.start(`Task ${n}`, `run-${n}`),
    story.says(says, `m-${n}`, `run-${n}`),
    story.said(`m-${n}`, false, `run-${n}`),
    story.end("completed", `run-${n}`),
  ];

  it("is drawn anew, for a link whose address came last, under a reader who stays where they are", async () => {
    const all = `Not yet [linked].\n\n${text}\n\nSee [linked].\n\n[linked]: https://example.com/\n`;
    const links = "document.querySelectorAll('.markdown [data-link]').length";
    await show([story.setup(), ...turn(1, all).slice(0, -2)]);
    await until(`${links} === 1`);
    await scrollTo("30_000");
    const before = await look(seen);
    await tell(...turn(1, all).slice(-2));
    await until(`${links} === 2 && !${drawing} && ${settled}`);
    await drawn(panel().page);
    assert.deepEqual(await look(seen), before);
  });

  it("is drawn again after the panel was killed, and the reader is where they were", async () => {
    const view = story.fold([story.setup(), ...turn(1, text), ...turn(2, "Short."), ...turn(3, text)]);
    const until3 = `document.querySelectorAll("[data-block]").length > 0 && !${drawing}`;
    await open();
    await panel().send({ type: "snapshot", view });
    await until(until3);
    for (const to of ["box.scrollTop - 20_000", "20_000"]) {
      await scrollTo(to);
      const before = await look<{ numbers: readonly number[] }>(seen);
      assert.ok(before.numbers.length > 0);
      await look("window.dispatchEvent(new Event('pagehide'))");
      await panel().reload();
      await panel().send({ type: "snapshot", view });
      await until(`${until3} && ${settled}`);
      await drawn(panel().page);
      assert.deepEqual(await look(seen), before, to);
    }
  });

  it("leaves nothing behind when it is far enough to be taken off the page", async () => {
    const others = Array.from({ length: 40 }, (_, n) => turn(n + 2, "Short. ".repeat(60))).flat();
    await show([story.setup(), ...turn(1, text), ...others]);
    const session = await panel().page.context().newCDPSession(panel().page);
    await session.send("Performance.enable");
    const nodes = async (): Promise<number> => {
      await session.send("HeapProfiler.collectGarbage");
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "Nodes")?.value ?? NaN;
    };
    const comeAndGo = async (): Promise<number> => {
      await scrollTo("0");
      await until("document.querySelectorAll('.part').length > 20");
      await scrollTo("box.scrollHeight");
      await until("document.querySelectorAll('.part').length === 0");
      return nodes();
    };
    await comeAndGo();
    const before = await comeAndGo();
    for (let time = 0; time < 3; time += 1) await comeAndGo();
    assert.ok((await nodes()) < before + 1_000, `${await nodes()} nodes, ${before} before`);
    await session.detach();
  });

  it("names what stands above each of its blocks of code", async () => {
    const files = Array.from(
      { length: 60 },
      (_, n) => `Change \`src/f${n}.ts\`:${" so".repeat(60)}\n\n${fence}ts\nconst a = ${n};\n${fence}`,
    );
    await show([story.setup(), ...turn(1, files.join("\n\n"))]);
    await until("document.querySelectorAll('.code-block').length === 60");
    await look(
      `document.querySelectorAll("[data-code='git-pull-request-go-to-changes']").forEach((one) => one.click())`,
    );
    const above = (await panel().posted()).flatMap((one) => (one.type === "code:use" ? [one.above.slice(0, 17)] : []));
    assert.deepEqual(
      above,
      files.map((_, n) => `Change src/f${n}.ts:`.slice(0, 17)),
    );
  });

  it("is found by words at the end of a text that is still being drawn", async () => {
    const view = story.fold([story.setup(), ...turn(1, `${text}\n\n${text}\n\nThe needle.`), ...turn(2, text)]);
    await open();
    await panel().send({ type: "snapshot", view });
    await panel().send({ type: "sought:show", runId: "run-1", item: "m-1", words: "needle", stay: true });
    await until(`document.querySelector("[data-item=m-1]") && !${drawing}`);
    await until(`(() => {
      const [range] = CSS.highlights.get("sought") ?? [];
      const box = document.querySelector(".transcript").getBoundingClientRect();
      const place = range?.getBoundingClientRect();
      return String(range) === "needle" && place.top > box.top && place.bottom < box.bottom;
    })()`);
  });

  it("is found by its words, which are marked where they stand", async () => {
    await stream();
    const item = await look<string>("document.querySelector('[data-item]:has(.markdown)').dataset.item");
    await panel().send({ type: "sought:show", runId: "run-1", item, words: "loud123 words" });
    await until(`(() => {
      const [range] = CSS.highlights.get("sought") ?? [];
      const box = document.querySelector(".transcript").getBoundingClientRect();
      const place = range?.getBoundingClientRect();
      return String(range) === "loud123 words" && place.top > box.top && place.bottom < box.bottom
        && !range.startContainer.parentElement.closest("[data-away]");
    })()`);
  });
});
