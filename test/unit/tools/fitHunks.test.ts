// Patches in both forms: what leads from one text to another makes the other of the one, or is refused.
import assert from "node:assert/strict";
import fc from "fast-check";
import { fitHunks } from "../../../src/tools/fitHunks.ts";
import type { PatchFile } from "../../../src/tools/patchFile.ts";
import { readPatch } from "../../../src/tools/readPatch.ts";
import { distinct, enveloped, repetitive, unified } from "./patches.ts";

function filesOf(patch: string): readonly PatchFile[] {
  const read = readPatch(patch);
  assert.ok("files" in read, JSON.stringify(read));
  return read.files;
}

function problemOf(patch: string): string {
  const read = readPatch(patch);
  assert.ok("problem" in read, JSON.stringify(read));
  return read.problem;
}

const fitted = (before: string, patch: string) => fitHunks(before, filesOf(patch)[0]?.hunks ?? []);
const envelope = (...hunks: readonly string[]): string =>
  ["*** Begin Patch", "*** Update File: f", ...hunks, "*** End Patch"].join("\n");

function refusedWith(before: string, patch: string): string {
  const result = fitted(before, patch);
  assert.ok("problem" in result, JSON.stringify(result));
  return result.problem;
}

describe("a patch between two texts", () => {
  const forms = { unified, enveloped };
  for (const [form, write] of Object.entries(forms)) {
    it(`makes the one of the other where all lines are shown, ${form}`, () => {
      fc.assert(
        fc.property(repetitive, repetitive, (before, after) => {
          fc.pre(before !== after);
          assert.deepEqual(fitted(before, write("f", before, after, { context: 99 })), { text: after });
        }),
        { numRuns: 1_000 },
      );
    });

    it(`makes the one of the other where no two lines are the same, whatever the numbers say, ${form}`, () => {
      fc.assert(
        fc.property(distinct, distinct, fc.integer({ min: -20, max: 20 }), (before, after, drift) => {
          fc.pre(before !== after);
          assert.deepEqual(fitted(before, write("f", before, after, { context: 3, drift })), { text: after });
        }),
        { numRuns: 1_000 },
      );
    });

    it(`makes no other text than that, or says where it would fit, ${form}`, () => {
      fc.assert(
        fc.property(repetitive, repetitive, fc.integer({ min: 0, max: 3 }), (before, after, context) => {
          fc.pre(before !== after);
          const result = fitted(before, write("f", before, after, { context, drift: 50 }));
          if ("text" in result) assert.equal(result.text, after);
          else assert.match(result.problem, /more than one place|only adds lines/);
        }),
        { numRuns: 1_000 },
      );
    });
  }

  it("is applied where its numbers say, if all of them are right", () => {
    fc.assert(
      fc.property(repetitive, repetitive, (before, after) => {
        fc.pre(before !== after && before !== "");
        const result = fitted(before, unified("f", before, after, { context: 1 }));
        if ("text" in result) assert.equal(result.text, after);
        else assert.match(result.problem, /more than one place|only adds lines/);
      }),
    );
    const before = "x\n".repeat(9);
    const after = `${"x\n".repeat(4)}y\n${"x\n".repeat(4)}`;
    assert.deepEqual(fitted(before, unified("f", before, after, { context: 1 })), { text: after });
  });

  it("keeps the line endings of a file: its own for lines that stay, those of most for new ones", () => {
    fc.assert(
      fc.property(distinct, distinct, (before, after) => {
        fc.pre(before !== after);
        const long = (text: string): string => text.replaceAll("\n", "\r\n");
        fc.pre(before.split("\n").length > 1);
        assert.deepEqual(fitted(long(before), enveloped("f", before, after, { context: 3 })), { text: long(after) });
      }),
    );
    const mixed = fitted("a\r\nb\nc\r\nd\r\n", envelope(" a", " b", "-c", "+x", "+y", " d"));
    assert.deepEqual(mixed, { text: "a\r\nb\nx\r\ny\r\nd\r\n" });
  });

  it("keeps the end of a file with or without a newline, unless it speaks of it", () => {
    assert.deepEqual(fitted("a\nb", envelope("-b", "+c")), { text: "a\nc" });
    assert.deepEqual(fitted("a\nb", envelope(" b", "+c")), { text: "a\nb\nc" });
    assert.deepEqual(fitted("a\nb\n", envelope("-b", "+c")), { text: "a\nc\n" });
    assert.deepEqual(fitted("a\nb\n", envelope("-b", "+c", "\\ No newline at end of file")), { text: "a\nc" });
  });

  it("goes to the end of a file of very many lines, too", () => {
    const before = "1\n".repeat(300_000) + "end\n";
    const found = fitted(before, envelope("@@", "-end", "+END"));
    assert.ok("text" in found && found.text === before.replace("end", "END"));
  });

  it("may differ in white space, and says so", () => {
    const text = "class A {\n    go() {\n        one();\n    }\n}\n";
    assert.deepEqual(fitted(text, envelope(" go() {", "-    one();", "+    two();", " }")), {
      text: text.replace("one", "two"),
      how: ["The hunk fits though the lines are indented otherwise, and the new ones were indented as the file is"],
    });
    assert.deepEqual(fitted("a  \nb\n", envelope(" a", "-b", "+c")), {
      text: "a  \nc\n",
      how: ["The hunk fits though white space at line ends differs"],
    });
  });

  it("goes where the order of its hunks leaves one way, and where each fits one place only whatever their order", () => {
    const text = "x\n1\nx\n2\nx\n";
    assert.deepEqual(fitted(text, envelope("@@", "-1", "+one", "@@", "-x", "+y", " 2")), { text: "x\none\ny\n2\nx\n" });
    assert.deepEqual(fitted("a\nx\nb\n", envelope("@@", "-a", "+A", "@@", "-x", "+X", "@@", "-b", "+B")), {
      text: "A\nX\nB\n",
    });
    assert.deepEqual(fitted("a\nx\nb\n", envelope("@@", "-b", "+B", "@@", "-a", "+A")), { text: "A\nx\nB\n" });
  });

  it("goes into the block that a line above it begins", () => {
    const text = "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return x\n";
    const patch = (...above: readonly string[]): string => envelope(...above, "-    return x", "+    return 2 * x");
    assert.match(refusedWith(text, patch("@@")), /^The hunk fits more than one place, at lines 3, 7\./);
    assert.deepEqual(fitted(text, patch("@@ def f():")), { text: text.replace("return x", "return 2 * x") });
    const second = "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return 2 * x\n";
    assert.deepEqual(fitted(text, patch("@@ def g():")), { text: second });
    assert.deepEqual(fitted(text, patch("@@ def g():", "@@     x = 1")), { text: second });
  });

  it("adds lines behind a line that is there once, at the end, and into an empty file", () => {
    assert.deepEqual(fitted("a\nb\n", envelope("@@ a", "+x")), { text: "a\nx\nb\n" });
    assert.deepEqual(fitted("a\nb\n", envelope("@@", "+x", "*** End of File")), { text: "a\nb\nx\n" });
    assert.deepEqual(fitted("", envelope("@@", "+x")), { text: "x\n" });
    assert.match(refusedWith("a\na\n", envelope("@@ a", "+x")), /which is in it more than once, at lines 1, 2/);
    assert.match(refusedWith("a\n", envelope("@@ z", "+x")), /which is not in the file/);
    assert.match(refusedWith("a\n", envelope("@@", "+x")), /only adds lines and does not say where/);
  });

  it("says which hunk is not there, with the nearest lines", () => {
    const said = refusedWith("one\ntwo hundred\nthree\n", envelope("@@", "-one", "+1", "@@", "-two hundreds", "+2"));
    assert.match(said, /^Hunk 2 is not in the file: .* The nearest lines are 1–3:\n\none\ntwo hundred/s);
  });

  it("is refused where hunks meet", () => {
    assert.match(refusedWith("a\nb\nc\n", envelope("@@", " a", "-b", "+x", "@@", "-b", "+y")), /meets the others/);
  });
});

describe("the reading of a patch", () => {
  it("takes several files, new ones, deleted ones and moves", () => {
    const files = filesOf(
      [
        "*** Begin Patch",
        "*** Update File: src/a b.ts",
        "*** Move to: src/c.ts",
        "@@ class A",
        "-x",
        "+y",
        "",
        "*** Add File: new.txt",
        "+one",
        "+",
        "*** Delete File: old.txt",
        "*** End Patch",
      ].join("\n"),
    );
    assert.deepEqual(
      files.map(({ kind, path, to, hunks }) => [kind, path, to, hunks.flatMap(({ lines }) => lines).length]),
      [
        ["update", "src/a b.ts", "src/c.ts", 2],
        ["add", "new.txt", undefined, 2],
        ["delete", "old.txt", undefined, 0],
      ],
    );
    assert.deepEqual(files[0]?.hunks[0]?.anchors, ["class A"]);
  });

  it("takes what git writes: new, deleted and renamed files, and words in front", () => {
    const files = filesOf(
      [
        "Here it is:",
        "diff --git a/src/a.ts b/src/b.ts",
        "similarity index 90%",
        "rename from src/a.ts",
        "rename to src/b.ts",
        "--- a/src/a.ts",
        "+++ b/src/b.ts",
        "@@ -1 +1 @@ function",
        "-x",
        "+y",
        "diff --git a/n b/n",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/n",
        "@@ -0,0 +1,2 @@",
        "+++ one",
        "+-- two",
        "diff --git a/o b/o",
        "--- a/o",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "--- three",
        "diff --git a/p b/q",
        "rename from p",
        "rename to q",
      ].join("\n"),
    );
    assert.deepEqual(
      files.map(({ kind, path, to, hunks }) => [kind, path, to, hunks.map(({ lines }) => lines.length)]),
      [
        ["update", "src/a.ts", "src/b.ts", [2]],
        ["add", "n", undefined, [2]],
        ["delete", "o", undefined, [1]],
        ["update", "p", "q", []],
      ],
    );
  });

  it("takes a fence around it, CRLF, wrong counts and hunks without numbers", () => {
    const diff = "--- f\n+++ f\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n";
    for (const text of [diff, `\`\`\`diff\n${diff}\`\`\``, diff.replaceAll("\n", "\r\n"), diff.replace(/-1,9.*9 /, "")])
      assert.deepEqual(fitted("a\nb\n", text), { text: "a\nc\n" });
  });

  it("says what is wrong", () => {
    assert.match(problemOf("Change a to b."), /There is no patch in this/);
    assert.match(problemOf("*** Begin Patch\n*** Update File: a\n-x\n+y\n"), /must begin with .* and end with/);
    assert.match(problemOf("*** Begin Patch\n*** End Patch"), /names no file/);
    assert.match(problemOf(envelope("@@", "-x", "y")), /^Line 5 of the patch is not understood: “y”\. In a hunk/);
    assert.match(problemOf("*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch"), /Line 4 .*“y”/);
    assert.match(problemOf("*** Begin Patch\n*** Add File: a\n x\n*** End Patch"), /Line 3 .*“ x”.*begins with “\+”/);
    assert.match(problemOf("*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch"), /Nothing follows the name/);
    assert.match(problemOf("*** Begin Patch\nUpdate: a\n*** End Patch"), /Line 2 .*A file begins with/);
    assert.match(problemOf("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\ny\n"), /Line 5 .*“y”/);
    assert.match(problemOf("diff --git a/f b/f\nBinary files a/f and b/f differ\n"), /not text/);
  });

  it("never throws, whatever was lost of it", () => {
    const patch =
      "*** Begin Patch\n*** Update File: f\n@@ a\n x\n-y\n+z\n*** End of File\n*** Delete File: g\n*** End Patch";
    const git = "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n";
    const damage = fc.record({
      at: fc.nat(150),
      length: fc.nat(30),
      put: fc.constantFrom("", "\n", "@@", "*** ", "-"),
    });
    fc.assert(
      fc.property(fc.constantFrom(patch, git), damage, (text, { at, length, put }) => {
        const read = readPatch(text.slice(0, at) + put + text.slice(at + length));
        if ("problem" in read) return assert.match(read.problem, /\.$/);
        for (const { hunks } of read.files) fitHunks("x\ny\n", hunks);
      }),
      { numRuns: 1_000 },
    );
  });
});
