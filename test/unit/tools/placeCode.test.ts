// Where code of an answer goes in a file: what is certain is exact, and what is not is refused.
import assert from "node:assert/strict";
import fc from "fast-check";
import { placeCode } from "../../../src/tools/placeCode.ts";

const file = `import { a } from "./a.ts";

export function first(x: number): number {
  const y = x + a;
  return y;
}

export function second(x: number): number {
  const y = x - a;
  return y;
}
`;
const placed = (before: string | null, code: string): string | null => {
  const found = placeCode(before, code, null);
  return found.kind === "placed" ? found.text : null;
};

/** Lines that are there once, indented somehow. */
const lines = fc
  .array(fc.nat({ max: 3 }), { minLength: 3, maxLength: 30 })
  .map((depths) => depths.map((depth, index) => `${"  ".repeat(depth)}line ${index}`));
const ending = fc.constantFrom("\n", "\r\n");
const end = fc.boolean();

function joined(all: readonly string[], newline: string, ends: boolean): string {
  return all.join(newline) + (ends ? newline : "");
}

describe("code of an answer goes", () => {
  it("whole into a file that is new or empty", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom(null, "", "\n"), end, (all, before, ends) => {
        assert.equal(placed(before, joined(all, "\n", ends)), joined(all, "\n", true));
      }),
    );
  });

  it("where it was cut out, whatever was changed inside of it; line endings and the end of the file stay", () => {
    fc.assert(
      fc.property(lines, fc.tuple(fc.nat(), fc.nat()), ending, end, (all, [one, other], ...[newline, ends]) => {
        const from = one % (all.length - 2);
        const to = from + 3 + (other % (all.length - from - 2));
        const changed = all.map((line, index) =>
          index > from && index < to - 1 ? line.replace("line", "changed") : line,
        );
        const before = joined(all, newline, ends);
        const got = placed(before, joined(changed.slice(from, to), "\n", false));
        assert.equal(got, joined(changed, newline, ends));
      }),
    );
  });

  it("nowhere where its first or last lines are there twice", () => {
    fc.assert(
      fc.property(lines, fc.nat(), (all, one) => {
        const twice = joined([...all, ...all], "\n", true);
        const from = one % (all.length - 2);
        const code = all.slice(from).map((line, index) => (index === 1 ? `${line} changed` : line));
        assert.deepEqual(placeCode(twice, joined(code, "\n", true), null), { kind: "unclear" });
      }),
    );
  });

  it("in the place of the whole function that it begins, where its last lines say nothing", () => {
    const code = "export function first(x: number): number {\n  return x * a;\n}";
    assert.equal(placed(file, code), file.replace("  const y = x + a;\n  return y;", "  return x * a;"));
    const told = file.replace("export function first", "/** What it is for. */\n// More.\nexport function first");
    assert.equal(
      placed(told, `/** What it is for. */\n// More.\n${code}`)?.includes(`// More.\n${code}\n\nexport`),
      true,
    );
    assert.equal(placed(told, `/** Something else. */\n// More.\n${code}`), null);
    const python = "def one():\n    return 1\n\ndef two():\n    return 1\n";
    assert.equal(
      placed(python, "def one():\n    x = 3\n    return x\n"),
      python.replace("return 1", "x = 3\n    return x"),
    );
  });

  it("indented as the file is", () => {
    const before = "class A {\n  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }\n}\n";
    assert.equal(placed(before, "one() {\n  return 3;\n}"), before.replace("return 1", "return 3"));
  });

  it("in the place of all of the file, if it begins like that, has most of it, and its end", () => {
    const whole = file.replace("x + a", "x * a");
    assert.equal(placed(file, `${whole}\nexport const more = 1;`), `${whole}\nexport const more = 1;\n`);
    const imports = 'import { a } from "./a.ts";\nimport { b } from "./b.ts";';
    assert.equal(placed(file, imports), null);
    const [head = ""] = file.split("export function second");
    const part = placed(file, head.replace("return y", "return y + 1"));
    assert.equal(part, file.replace("return y", "return y + 1"), "what follows would be lost");
    const other = head.replace("const y = x + a;\n  return y", "return 0").replace("./a.ts", "./b.ts");
    assert.equal(placed(file, `${other}\nexport const more = 1;`), null);
  });

  it("nowhere if it leaves something out", () => {
    const code =
      'import { a } from "./a.ts";\n// ... existing code ...\nexport function second(x: number): number {\n}';
    assert.deepEqual(placeCode(file, code, null), { kind: "elided", line: 2 });
    assert.equal(placeCode("x = [\n  ...\n]\ny = 1\n", "x = [\n  ...\n  2\n]", null).kind, "placed");
  });

  it("in the place of what is selected, where nothing else is certain", () => {
    const start = file.indexOf("x - a");
    const found = placeCode(file, "x * 2\n", { start, end: start + 5 });
    assert.deepEqual(found, { kind: "placed", text: file.replace("x - a", "x * 2") });
    const crlf = file.replaceAll("\n", "\r\n");
    const at = crlf.indexOf("  const y = x - a;\r\n");
    const two = placeCode(crlf, "  const y = 1;\n  // two", { start: at, end: at + 20 });
    assert.deepEqual(two, {
      kind: "placed",
      text: crlf.replace("  const y = x - a;\r\n", "  const y = 1;\r\n  // two\r\n"),
    });
  });

  it("also among very many lines", () => {
    const many = ["first", ...Array.from({ length: 300_000 }, (_, n) => `  line ${n}`), "last", ""].join("\n");
    assert.ok(placed(many, "first\n  x\nlast") === "first\n  x\nlast\n");
  });

  it("nowhere if there is none of it", () => {
    assert.deepEqual(placeCode(file, " \n", null), { kind: "unclear" });
    assert.deepEqual(placeCode(file, "something else\nentirely", null), { kind: "unclear" });
  });
});
