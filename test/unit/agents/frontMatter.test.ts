import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import { parseFrontMatter, type Problem } from "../../../src/agents/frontMatter.ts";
import { AgentFrontMatter } from "../../../src/protocol/agents.ts";

describe("front matter", () => {
  it("is what stands between two marker lines, whatever ends them", () => {
    const expected = { data: { id: "a" }, body: "Text\n" };
    for (const text of [
      "---\nid: a\n---\nText\n",
      "+++\nid: a\n+++\nText\n",
      "\uFEFF---\nid: a\n---\nText\n",
      "---  \nid: a\n--- \t\nText\n",
    ])
      assert.deepEqual(parseFrontMatter(text, anything), expected);
    assert.deepEqual(parseFrontMatter("---\r\nid: a\r\n---\r\nText\r\n", anything), {
      data: { id: "a" },
      body: "Text\r\n",
    });
  });

  it("is empty without markers, and markers count as whole lines only", () => {
    for (const text of ["", "Text", "----\nid: a\n----\n", " ---\nid: a\n---\n", "Text\n---\nid: a\n---\n"])
      assert.deepEqual(parseFrontMatter(text, anything), { data: {}, body: text });
    const dashes = "---\nid: a ---\nb: '---'\n---\n--- not yet\n---";
    assert.deepEqual(parseFrontMatter(dashes, anything), { data: { id: "a ---", b: "---" }, body: "--- not yet\n---" });
    assert.deepEqual(parseFrontMatter("---\n---\n", anything), { data: {}, body: "" });
    assert.deepEqual(parseFrontMatter("---\n# nothing\n---", anything), { data: {}, body: "" });
  });

  it("that is opened and not closed is a problem of its first line", () => {
    for (const text of ["---", "---\nid: a\n", "---\nid: a\n+++\n"])
      assert.deepEqual(problems(text), ["1:1 the front matter is not closed: its last line must be like this one"]);
  });

  it("BRAIN-INTAKE-4 every syntax error has its line and column", () => {
    assert.deepEqual(problems("---\nid: @x\n\tname: 1\nid: y\n---\n"), [
      "2:5 Plain value cannot start with reserved character @",
      "3:1 Tabs are not allowed as indentation",
      "4:1 Map keys must be unique",
    ]);
    assert.deepEqual(
      problems("---\r\nid: a\r\nname: [\r\n---\r\n").map((problem) => problem.split(" ")[0]),
      ["4:1"],
    );
  });

  it("BRAIN-INTAKE-4 every wrong value has its line and column, all of them at once", () => {
    const text = [
      "---",
      "id: Not An Id",
      'name: ""',
      "tools:",
      "  - read_file",
      "  - 7",
      "limits:",
      "  maxToolIterations: 0",
      "  toolTimeout: fast",
      "  patience: 3",
      "terminated:",
      "---",
      "Text",
    ];
    const expected = [
      "2:5 id: use lower-case letters, digits and hyphens",
      "3:7 name: must not be empty",
      "6:5 tools.1: must be a text",
      "8:22 limits.maxToolIterations: must be at least 1",
      "9:16 limits.toolTimeout: must be a number",
      "10:13 limits.patience: there is no such setting here",
      "11:1 terminated: is missing (true or false)",
    ];
    assert.deepEqual(problems(text.join("\n")), expected);
    assert.deepEqual(problems(text.join("\r\n")), expected);
    assert.deepEqual(problems("Text"), ["1:1 id: is missing (a text)", "1:1 name: is missing (a text)"]);
    assert.deepEqual(problems("---\n\nlimits: 3\n---\n"), [
      "3:1 id: is missing (a text)",
      "3:1 name: is missing (a text)",
      "3:9 limits: must be a group of settings",
    ]);
    assert.deepEqual(problems("---\n- a\n---\n"), ["2:1 front matter: must be a group of settings"]);
  });

  it("neither runs nor multiplies what is written in it", () => {
    assert.deepEqual(parseFrontMatter("---js\nid: process.exit()\n---\n", anything), {
      data: {},
      body: "---js\nid: process.exit()\n---\n",
    });
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [name, before] of ["ba", "cb", "dc", "ed", "fe"].map((pair) => pair.split("")))
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join()}]`);
    assert.deepEqual(problems(`---\n${bomb.join("\n")}\n---\n`), ["2:1 an alias stands for nothing, or for too much"]);
    assert.deepEqual(problems("---\nid: *none\n---\n"), ["2:1 an alias stands for nothing, or for too much"]);
    const polluted = parseFrontMatter("---\n__proto__:\n  polluted: 1\n---\n", anything);
    assert.ok("data" in polluted && !("polluted" in {}));
  });

  it("never throws, and puts every problem into the file", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("-", "+", "\n", "\r", ":", " ", "a", "[", "&", "*", "'", "\t", "{") }),
        (text) => {
          const whole = `---\n${text}\n---\n`;
          const parsed = parseFrontMatter(whole, AgentFrontMatter);
          const lines = whole.split("\n").length;
          if ("problems" in parsed)
            for (const { line, column } of parsed.problems) assert.ok(line >= 1 && line <= lines && column >= 1);
        },
      ),
    ));
});

const anything = z.record(z.string(), z.unknown());

function problems(text: string): string[] {
  const parsed = parseFrontMatter(text, AgentFrontMatter);
  const shown = ({ line, column, message }: Problem): string => `${line}:${column} ${message}`;
  return "problems" in parsed ? parsed.problems.map(shown) : [];
}
