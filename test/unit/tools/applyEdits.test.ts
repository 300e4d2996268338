// Edits: each piece found exactly once, line endings kept.
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyEdits } from "../../../src/tools/applyEdits.ts";

const edit = (old_text: string, new_text: string) => ({ old_text, new_text });
function problem(text: string, ...edits: ReturnType<typeof edit>[]): string {
  const result = applyEdits(text, edits);
  assert.ok("problem" in result, JSON.stringify(result));
  return result.problem;
}

describe("Edits of a text", () => {
  it("replace a piece, each in what the earlier ones left", () => {
    assert.deepEqual(applyEdits("a b c", [edit("b", "x y"), edit("y c", "z")]), { text: "a x z" });
  });

  it("take the new text literally", () => {
    assert.deepEqual(applyEdits("a b c", [edit("b", "$& $1 $$")]), { text: "a $& $1 $$ c" });
  });

  it("match LF against CRLF and write CRLF", () => {
    assert.deepEqual(applyEdits("one\r\ntwo\r\nthree\r\n", [edit("one\ntwo\n", "1\n2\n")]), {
      text: "1\r\n2\r\nthree\r\n",
    });
    assert.deepEqual(applyEdits("one\r\ntwo\r\n", [edit("one\r\ntwo", "1\r\n2")]), { text: "1\r\n2\r\n" });
    assert.deepEqual(applyEdits("one\ntwo\n", [edit("one\r\ntwo", "1\r\n2")]), { text: "1\n2\n" });
  });

  it("leave the endings of other lines alone in a mixed file", () => {
    assert.deepEqual(applyEdits("a\nb\r\nc\nd\ne\r\n", [edit("c\nd", "x\ny")]), { text: "a\nb\r\nx\ny\ne\r\n" });
    assert.deepEqual(applyEdits("a\r\nb\r\nc\nd\r\n", [edit("c\nd\n", "x\n")]), { text: "a\r\nb\r\nx\r\n" });
  });

  it("refuse an empty piece", () => {
    assert.match(problem("abc", edit("", "x")), /`old_text` is empty/);
  });

  it("name the lines of every place when a piece fits several", () => {
    assert.match(problem("x\ny\nx\nz\nx", edit("x", "q")), /more than once, at lines 1, 3, 5\./);
    assert.match(problem("aaa", edit("aa", "q")), /lines 1, 1/, "overlapping places count");
    assert.match(problem("x\n".repeat(50), edit("x", "q")), /9, 10 and more/);
  });

  it("show the nearest lines when a piece is not there", () => {
    const text = "import a\n\nfunction price(items) {\n  return items.length * 2;\n}\n\nexport default price;\n";
    const said = problem(text, edit("function price(item) {\n  return items.length * 3;", "x"));
    assert.match(said, /^`old_text` is not in the file\. The nearest lines are 1–6:/);
    assert.ok(said.includes("  return items.length * 2;"));
    assert.match(problem(text, edit("SELECT 1", "x")), /Nothing in it is similar/);
  });

  it("say which of several edits does not fit, and change nothing", () => {
    assert.match(problem("a b", edit("a", "c"), edit("a", "d")), /`edits\[1\]\.old_text` is not in the file/);
  });

  it("change nothing but the piece, whatever the text", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 4 });
    const ending = fc.constantFrom("\n", "\r\n");
    const lines = fc
      .array(
        fc.tuple(line, ending).map((parts) => parts.join("")),
        { maxLength: 6 },
      )
      .map((all) => all.join(""));
    fc.assert(
      fc.property(lines, lines, fc.string({ unit: fc.constantFrom("x", "\n"), maxLength: 4 }), (head, tail, fresh) => {
        const result = applyEdits(`${head}#one\r\n#two${tail}`, [edit("#one\n#two", fresh)]);
        assert.ok("text" in result);
        assert.ok(result.text.startsWith(head) && result.text.endsWith(tail));
        const middle = result.text.slice(head.length, result.text.length - tail.length);
        assert.equal(middle.replaceAll("\r\n", "\n"), fresh);
      }),
    );
  });

  it("find lines whose ends differ in white space, and say so", () => {
    assert.deepEqual(applyEdits("a  \nb\t\r\nc\n", [edit("a\nb\n", "x\n")]), {
      text: "x\nc\n",
      how: ["`old_text` fits though white space at line ends differs"],
    });
  });

  it("find lines that are indented otherwise, and indent the new ones as the file is", () => {
    const text = "class A {\n    go() {\n        return 1;\n    }\n}\n";
    const edited = applyEdits(text, [
      edit("go() {\n    return 1;\n}", "go() {\n    if (x) {\n        y();\n    }\n\n}"),
    ]);
    assert.ok("text" in edited);
    assert.equal(edited.text, "class A {\n    go() {\n        if (x) {\n            y();\n        }\n\n    }\n}\n");
    assert.match(edited.how?.[0] ?? "", /indented otherwise/);
    const deeper = applyEdits("if (x)\n\ty();\n", [edit("\t\tif (x)\n\t\t\ty();", "\t\tz();")]);
    assert.equal("text" in deeper && deeper.text, "z();\n");
  });

  it("never guess: two places that fit loosely are two places, and lines that drift apart fit nowhere", () => {
    assert.match(problem("  a\n  b\n    a\n    b\n", edit("a\nb\n", "x")), /more than once, at lines 1, 3/);
    assert.match(problem("  a\n    b\n", edit("a\nb", "x")), /not in the file/);
    assert.match(problem("a\n  \n", edit("\t\n", "x")), /not in the file/);
  });

  it("to the letter win over loose ones", () => {
    assert.deepEqual(applyEdits("  a\na\n", [edit("\na", "\nb")]), { text: "  a\nb\n" });
  });

  it("found loosely change the lines that were found and no others", () => {
    const line = fc.constantFrom("a", "  a", "b ", "", "    c", "\td");
    const lines = fc.array(line, { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom("", "  ", "\t"), (head, tail, indent) => {
        const text = [...head, `${indent}#one  `, `${indent}  #two`, ...tail, ""].join("\n");
        const edited = applyEdits(text, [edit("#one\n  #two", "#new")]);
        assert.ok("text" in edited);
        assert.equal(edited.text, [...head, `${indent}#new`, ...tail, ""].join("\n"));
      }),
    );
  });
});
