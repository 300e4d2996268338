// Unified diffs: right when applied, and never slow.
import assert from "node:assert/strict";
import { applyPatch } from "diff";
import fc from "fast-check";
import { createPatch } from "../../../src/tools/patch.ts";

describe("Patch", () => {
  it("is a unified diff with counts", () => {
    assert.deepEqual(createPatch({ path: "src/a.txt" }, "one\ntwo\nthree\n", "one\n2\nthree\nfour\n"), {
      patch: "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n",
      added: 2,
      removed: 1,
    });
  });

  it("begins at /dev/null for a new file", () => {
    assert.deepEqual(createPatch({ path: "a" }, null, "x\n"), {
      patch: "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n",
      added: 1,
      removed: 0,
    });
  });

  it("applies to the old text and gives the new", () => {
    const text = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "c\n")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { patch } = createPatch({ path: "f" }, before, after);
        assert.equal(applyPatch(before, patch, { autoConvertLineEndings: false }), after);
      }),
      { numRuns: 300 },
    );
  });

  it("of texts that have nothing in common comes in time, coarse but right", function () {
    this.timeout(60_000);
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join("\n");
    const before = `same\n${lines("old")}\nend\n`;
    const after = `same\n${lines("new")}\nend\n`;
    const result = createPatch({ path: "f" }, before, after);
    assert.deepEqual([result.added, result.removed], [20_000, 20_000]);
    assert.equal(applyPatch(before, result.patch), after);
  });
});
