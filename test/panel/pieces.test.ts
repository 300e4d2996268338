// Long texts as pieces: nothing of them is lost, none is too large to be drawn in one go, and each reads as a part of what it is.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Token, Tokens } from "marked";
import { readOn, unread } from "../../webview/pieces.ts";
import type { Pieces } from "../../webview/pieces.ts";

/** The text as it is read while it grows by so many characters, and then to its end. */
function grown(text: string, step: number): Pieces {
  let read = unread();
  for (let length = step; length < text.length; length += step) read = readOn(text.slice(0, length), read);
  do read = readOn(text, read);
  while (!read.whole);
  return read;
}

const isList = (token: Token): token is Tokens.List => token.type === "list";
const source = ({ all }: Pieces): string => all.map(({ raw }) => raw).join("");
const lines = (line: (n: number) => string, count = 600): string =>
  Array.from({ length: count }, (_, n) => line(n)).join("");

const forms: Readonly<Record<string, string>> = {
  code: `Here:\n\n\`\`\`ts\n${lines((n) => `const value${n} = ${n};\n`)}\`\`\`\n\nDone.\n`,
  table: `| a | b |\n| --- | --- |\n${lines((n) => `| row ${n} | \`${n}\` |\n`)}\nDone.\n`,
  list: `${lines((n) => `${n + 1}. point ${n}\n`)}\nDone.\n`,
  quote: `${lines((n) => `> line ${n}\n`)}\nDone.\n`,
  paragraph: `${lines((n) => `word${n} **bold** `, 2_000)}\n\nDone.\n`,
  "one word": `${"😀".repeat(6_000)}\n\nDone.\n`,
};

describe("a long text in pieces", () => {
  for (const [name, text] of Object.entries(forms)) {
    it(`keeps all of a ${name}, none of them large, and ends it where it ends`, () => {
      const read = grown(text, 700);
      assert.equal(source(read), text);
      assert.ok(read.all.every(({ raw }) => raw.length <= 4_000));
      const words = read.all.filter(({ token }) => token.type !== "space");
      assert.deepEqual([words.at(-1)?.token.type, words.at(-1)?.raw], ["paragraph", "Done.\n"]);
    });
  }

  it("reads each stretch of code, of a table and of a list as the rest of the same", () => {
    for (const name of ["code", "table", "list"]) {
      const stretches = grown(forms[name] ?? "", 700).all.filter(({ token }) => token.type === name);
      assert.ok(stretches.length > 2);
      assert.deepEqual(
        stretches.map(({ nth }) => nth),
        stretches.map((_, n) => n),
      );
      assert.ok(stretches.slice(0, -1).every(({ opening, raw }) => opening !== null && raw.endsWith("\n")));
    }
  });

  it("cuts no point of a list that can be drawn in one go, and no paragraph", () => {
    const point = `- one\n\n${lines((n) => `  word${n} **bold** `, 150)}\n\n      code\n\n`;
    const text = `${point.repeat(4)}${lines((n) => `word${n} `, 400)}\n\nDone.\n`;
    const read = grown(text, 700).all.filter(({ token }) => token.type !== "space");
    assert.deepEqual(
      read.map(({ token }) => token.type).filter((type) => type !== "list"),
      ["paragraph", "paragraph"],
    );
    assert.ok(read.filter(({ token }) => token.type === "list").every(({ raw }) => raw.startsWith("- one")));
  });

  it("counts on in each stretch of a numbered list, whatever number each point is given", () => {
    for (const mark of [() => "1.", (n: number) => `${n + 1})`]) {
      const text = lines((n) => `${mark(n)} point ${n}\n`, 1_500);
      const stretches = grown(`${text}\nDone.\n`, 700).all.flatMap(({ token }) => (isList(token) ? [token] : []));
      assert.ok(stretches.length > 2);
      for (const { start, items } of stretches) assert.equal(items[0]?.text, `point ${Number(start) - 1}`);
    }
    const others = grown(`${lines((n) => `1. a ${n}\n`)}1) another list\n`, 5_000).all.at(-1)?.token;
    assert.ok(others && isList(others) && others.start === 1);
  });

  it("ends code with its fence, and a table with an empty line, also where a stretch ends there", () => {
    for (let size = 100; size < 140; size += 1)
      for (const block of [
        `\`\`\`\n${"x".repeat(20)}\n`.concat(
          lines(() => "some code\n", size),
          "```\n",
        ),
        `| a |\n| - |\n${lines(() => "| b |\n", size * 5)}\n`,
      ]) {
        const read = grown(`${block}${"After it. ".repeat(600)}`, 4_001);
        assert.equal(read.all.findLast(({ token }) => token.type !== "space")?.token.type, "paragraph");
      }
  });

  it("loses nothing of any text, however it comes", () => {
    const bit = fc.constantFrom(
      "word ",
      "\n",
      "\n\n",
      "```\n",
      "- a\n",
      "> b\n",
      "| a | b |\n",
      "| - | - |\n",
      "# h\n",
      "    in\n",
      "😀",
      "[a]: b\n",
      "<b>",
      "***",
    );
    const text = fc
      .array(fc.tuple(bit, fc.integer({ min: 1, max: 900 })))
      .map((bits) => bits.map(([one, times]) => one.repeat(times)).join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 500, max: 5_000 }), (whole, step) => {
        assert.equal(source(grown(whole, step)), whole);
      }),
      { numRuns: Number(process.env["RUNS"] ?? 50) },
    );
  });

  it("has the points of a list that all of it has, however it comes", () => {
    const point = fc.constantFrom(
      "one\n",
      "two **words**\n",
      "[ ] task\n",
      "deep\n  - er\n  - still\n",
      "loose\n\n  more of it\n\n",
      `long ${"word ".repeat(60)}\n`,
      "code\n\n  ```ts\n  const a = 1;\n\n  ```\n",
      "quote\n  > of it\n",
    );
    const points = ({ all }: Pieces): readonly string[] =>
      all.flatMap(({ token }) => (token.type === "list" ? token.raw.split(/^- /m) : [])).map((text) => text.trim());
    fc.assert(
      fc.property(fc.array(point, { maxLength: 200 }), fc.integer({ min: 100, max: 3_000 }), (texts, step) => {
        const whole = texts.map((text) => `- ${text}`).join("");
        assert.deepEqual(
          points(grown(whole, step)).filter((text) => text !== ""),
          texts.map((text) => text.trim()),
        );
      }),
      { numRuns: Number(process.env["RUNS"] ?? 50) },
    );
  });
});
