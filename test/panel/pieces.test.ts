// Long texts as pieces: nothing of them is lost, none is too large to be drawn in one go, and each reads as a part of what it is.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { Lexer } from "marked";
import type { Token, Tokens } from "marked";
import { readOn, unread } from "../../webview/pieces.ts";
import type { Piece, Pieces } from "../../webview/pieces.ts";

/** The text as it is read while it grows by so many characters, and then to its end. */
function grown(text: string, step: number): Pieces {
  let read = unread();
  for (let length = step; length < text.length; length += step) read = readOn(text.slice(0, length), read);
  do read = readOn(text, read);
  while (!read.whole);
  return read;
}

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

/** What a reader sees of lists and tables: each point with its number, each row, each heading of a table. */
function seenOf({ token, nth }: Pick<Piece, "token" | "nth">): readonly string[] {
  if (isList(token)) {
    const { ordered, start } = token;
    return token.items.map(({ raw }, at) => `${ordered ? Number(start) + at : "-"} ${raw.trim()}`);
  }
  if (!isTable(token)) return token.type === "space" ? [] : [token.raw.trim()];
  const head = token.header.map(({ text }) => text).join("|");
  return [...(nth === 0 ? [head] : []), ...token.rows.map((row) => row.map(({ text }) => text).join("|"))];
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === "table";
}

const inWhole = (text: string): readonly string[] =>
  new Lexer().lex(text).flatMap((token) => seenOf({ token, nth: 0 }));

/** Points as models write them, with what belongs to one under it. */
const point = (mark: string) =>
  fc.record({ mark: fc.constant(mark), size: fc.integer({ min: 1, max: 60 }), under: fc.integer({ min: 0, max: 3 }) });
const pointSource = ({ mark, size, under }: { mark: string; size: number; under: number }): string => {
  const more = ["", "\n   - below it", "\n\n   More of it.", "\n   goes on"][under] ?? "";
  return `${mark} ${"word ".repeat(size)}of \`it\`${more}\n`;
};
const listSource = fc
  .constantFrom("-", "*", "1.", "7)")
  .chain((mark) => fc.array(point(mark), { minLength: 1, maxLength: 120 }))
  .map((points) => points.map(pointSource).join(""));
const tableSource = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 9 })), { maxLength: 200 })
  .map((rows) => `| a | b |\n| - | -: |\n${rows.map(([n, m]) => `| ${"word ".repeat(n)} | ${m} |\n`).join("")}`);
const blocks = fc.array(fc.oneof(listSource, tableSource, fc.constant("Some words.\n"), fc.constant("## Head\n")), {
  minLength: 1,
  maxLength: 5,
});

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

  it("reads each stretch of code, and of a table, as the rest of the same", () => {
    for (const name of ["code", "table"]) {
      const stretches = grown(forms[name] ?? "", 700).all.filter(({ token }) => token.type === name);
      assert.ok(stretches.length > 2);
      assert.deepEqual(
        stretches.map(({ nth }) => nth),
        stretches.map((_, n) => n),
      );
      assert.ok(stretches.slice(0, -1).every(({ opening, raw }) => opening !== null && raw.endsWith("\n")));
    }
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

  it("shows the points, numbers and rows of lists and tables as the whole text does, however it comes", () => {
    fc.assert(
      fc.property(blocks, fc.integer({ min: 1, max: 3_000 }), (sources, step) => {
        const text = sources.join("\n");
        const read = grown(text, Math.max(step, Math.ceil(text.length / 50)));
        assert.deepEqual(read.all.flatMap(seenOf), inWhole(text));
      }),
      { numRuns: Number(process.env["RUNS"] ?? 50) },
    );
  });

  it("leaves the beginning of a list and a table as it is while they grow", () => {
    for (const name of ["list", "table"]) {
      const text = forms[name] ?? "";
      const before = readOn(text.slice(0, 3_000), unread());
      const after = readOn(text.slice(0, 3_200), before);
      const same = before.all.filter(
        (piece, at) => piece.raw === after.all[at]?.raw && piece.nth === after.all[at]?.nth,
      );
      assert.ok(same.reduce((sum, { raw }) => sum + raw.length, 0) > 1_500, `of a ${name}`);
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
});
