// What a message names by `@`: every path can be written so that it is read back, and an address is none.
import assert from "node:assert/strict";
import fc from "fast-check";
import { mentionOf, mentionsIn, type Mention } from "../../../src/tools/mentions.ts";

const first = (text: string): readonly (Mention | undefined)[] => mentionsIn(text).map(([reading]) => reading);

const name = fc
  .string({
    unit: fc.constantFrom("a", "B", "7", "/", ".", "-", " ", ":", "@", "é", ")", "'", "漢"),
    minLength: 1,
    maxLength: 20,
  })
  .filter((text) => text.trim() === text);
const lines = fc.option(
  fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 99 }))
    .map(([from, more]) => ({ from, to: from + more })),
  { nil: undefined },
);

describe("mentions", () => {
  it("are read back as they were written, wherever they stand among words", () => {
    fc.assert(
      fc.property(name, lines, fc.constantFrom("", "Look at ", "(", "\n", "see “"), (path, range, before) => {
        const mention: Mention = range ? { name: path, lines: range } : { name: path };
        const [readings = []] = mentionsIn(`${before}${mentionOf(mention)} please`);
        assert.ok(
          readings.some((reading) => reading.name === path && reading.lines?.to === range?.to),
          JSON.stringify([mentionOf(mention), readings]),
        );
      }),
    );
  });

  it("of a file whose name could not be written name nothing else", () => {
    for (const odd of ['a" @.env "b', "a\n@.env", '"', '@"x" @y'])
      for (const reading of mentionsIn(`Look at ${mentionOf({ name: odd })}`).flat())
        assert.equal(reading.name, odd.replaceAll(/["\n]/g, "?"));
  });

  it("are none in addresses, decorators of nothing, and words without a space before", () => {
    assert.deepEqual(first("Mail me@example.org, a@b and @ alone, x@y/z."), []);
  });

  it("leave punctuation behind them out, unless the name has it", () => {
    assert.deepEqual(mentionsIn("Is it @src/a.ts? And @b/c.ts."), [
      [{ name: "src/a.ts?" }, { name: "src/a.ts" }],
      [{ name: "b/c.ts." }, { name: "b/c.ts" }],
    ]);
  });

  it("may name lines", () => {
    assert.deepEqual(mentionsIn('@a.ts:3 @a.ts:3-9, @"b c.ts":4-2'), [
      [{ name: "a.ts:3" }, { name: "a.ts", lines: { from: 3, to: 3 } }],
      [{ name: "a.ts:3-9," }, { name: "a.ts:3-9" }, { name: "a.ts", lines: { from: 3, to: 9 } }],
      [{ name: "b c.ts", lines: { from: 4, to: 4 } }],
    ]);
  });

  it("count once each, and are not looked for in what was pasted", () => {
    assert.equal(mentionsIn("@a @a @b").length, 2);
    assert.equal(mentionsIn(`@${"x".repeat(600)}`).length, 0);
    assert.equal(mentionsIn(Array.from({ length: 500 }, (_, n) => `@n${n}`).join(" ")).length, 50);
  });
});
