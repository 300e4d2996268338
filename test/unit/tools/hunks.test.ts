// Hunks: taken or left one by one, and made again in a text that somebody else has changed.
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyHunks, hunksOf, linesOf, middleOf, rebase, startsOf } from "../../../src/tools/hunks.ts";

const line = fc.constantFrom("a\n", "b\n", "a\r\n", "\n", "c\n", "d\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "a", "end"))
  .map(([lines, last]) => lines.join("") + last);

describe("Hunks", () => {
  it("all taken give the new text, none the old one, whatever the texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = hunksOf(before, after);
        assert.equal(applyHunks(before, hunks), after);
        assert.equal(applyHunks(before, []), before);
        assert.equal(new Set(hunks.map(({ id }) => id)).size, hunks.length);
      }),
      { numRuns: 500 },
    );
  });

  it("are taken in a text of very many lines, too", () => {
    const before = "1\n".repeat(300_000) + "end\n";
    for (const after of [before.replace("end", "END"), before + before, ""])
      assert.ok(applyHunks(before, hunksOf(before, after)) === after, String(after.length));
  });

  it("are those of the whole texts, wherever these are the same", () => {
    fc.assert(
      fc.property(text, text, text, text, (head, tail, before, after) => {
        const [old, fresh] = [head + before + tail, head + after + tail];
        const { above, old: from, fresh: to } = middleOf(old, fresh, 1);
        const front = linesOf(old).slice(0, above).join("");
        assert.ok(old.startsWith(front + from) && fresh.startsWith(front + to));
        const rest = old.slice(front.length + from.length);
        assert.equal(fresh, front + to + rest);
        assert.ok(rest === "" || from === "" || from.endsWith("\n"), "a line was cut");
        assert.equal(applyHunks(old, hunksOf(old, fresh)), fresh);
      }),
      { numRuns: 1_000 },
    );
  });

  it("taken in part change the lines of these parts and no others", () => {
    fc.assert(
      fc.property(text, text, fc.infiniteStream(fc.boolean()), (before, after, coins) => {
        const taken = hunksOf(before, after).filter(() => coins.next().value);
        const result = linesOf(applyHunks(before, taken));
        const starts = startsOf(taken);
        for (const [index, { added }] of taken.entries()) {
          const start = starts[index] ?? -1;
          assert.deepEqual(result.slice(start, start + added.length), added);
        }
        const outside = result.filter(
          (_, at) => !taken.some(({ added }, n) => at - (starts[n] ?? 0) >= 0 && at - (starts[n] ?? 0) < added.length),
        );
        const kept = linesOf(before).filter(
          (_, at) => !taken.some(({ oldStart, removed }) => at >= oldStart && at < oldStart + removed.length),
        );
        assert.deepEqual(outside, kept);
      }),
      { numRuns: 500 },
    );
  });

  it("of texts that have nothing in common come in time, coarse but right", function () {
    this.timeout(60_000);
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join("\n");
    const before = `same\n${lines("old")}\nend\n`;
    const after = `same\n${lines("new")}\nend\n`;
    const hunks = hunksOf(before, after);
    assert.equal(hunks.length, 1);
    assert.equal(applyHunks(before, hunks), after);
  });

  it("are made again in a text that was changed elsewhere, and the other change stays", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n";
    assert.equal(rebase(before, "1\n2\n3\n4\n5\nsix\n7\n", "one\n2\n3\n4\n5\n6\n7\n"), "one\n2\n3\n4\n5\nsix\n7\n");
    assert.equal(rebase(before, "1\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\n7\n8\n"), "1\n3\n4\n5\n6\n7\n8\n");
  });

  it("are not made again where the same or the next line was changed", () => {
    const before = "1\n2\n3\n4\n";
    assert.equal(rebase(before, "1\ntwo\n3\n4\n", "1\nzwei\n3\n4\n"), null);
    assert.equal(rebase(before, "1\ntwo\n3\n4\n", "1\n2\ndrei\n4\n"), null);
    assert.equal(rebase(before, "1\n2\nx\n3\n4\n", "1\n2\ny\n3\n4\n"), null);
  });

  it("that somebody else has made already are not made twice", () => {
    assert.equal(rebase("1\n2\n3\n4\n5\n", "one\n2\n3\n4\nfive\n", "one\n2\n3\n4\n5\n"), "one\n2\n3\n4\nfive\n");
  });

  it("made again lose no line of either side", () => {
    fc.assert(
      fc.property(text, text, text, (before, wanted, now) => {
        const merged = rebase(before, wanted, now);
        if (merged === null) return;
        const count = (of: string, line: string): number => linesOf(of).filter((other) => other === line).length;
        const have = linesOf(merged);
        const both = [hunksOf(before, wanted), hunksOf(before, now)].map((hunks) =>
          hunks.flatMap(({ added }) => added),
        );
        for (const side of both)
          for (const line of side) assert.ok(count(have.join(""), line) > 0, JSON.stringify(line));
        if (wanted === before) assert.equal(merged, now);
        if (now === before) assert.equal(merged, wanted);
      }),
      { numRuns: 500 },
    );
  });
});
