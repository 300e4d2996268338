// What an editor offers while an agent's file is written: keys and values by the place, words about them, and what was meant.
import assert from "node:assert/strict";
import fc from "fast-check";
import { completionsAt, describedAt, misspelledKeys, problemsOf } from "../../../src/agents/authoring.ts";
import type { AgentFile } from "../../../src/agents/authoringKeys.ts";

/** Names that are offered where `|` stands. */
function offered(file: AgentFile, marked: string): readonly string[] {
  const above = marked.slice(0, marked.indexOf("|")).split("\n");
  const text = marked.replace("|", "");
  return completionsAt(file, text, above.length, (above.at(-1) ?? "").length + 1).map(({ name }) => name);
}

describe("completion in front matter", () => {
  it("offers the keys of the schema that are not there yet, with what they are for", () => {
    const names = offered("agent", "---\nid: a\n|\nname: A\n---\n");
    assert.ok(["description", "tools", "limits"].every((name) => names.includes(name)));
    assert.ok(!names.includes("id") && !names.includes("name"));
    const [first] = completionsAt("agent", "---\ndesc\n---\n", 2, 5);
    assert.deepEqual([first?.kind, first?.column], ["key", 1]);
    for (const { description, name } of completionsAt("agent", "---\n\n---\n", 2, 1))
      assert.notEqual(description, "", name);
  });

  it("offers what belongs to the group or the item that it is in", () => {
    assert.deepEqual(offered("agent", "---\nlimits:\n  tool|\n---\n").slice(0, 2), [
      "maxToolIterations",
      "executionTimeout",
    ]);
    const tool = "---\ntools:\n  - name: a\n    kind: prompty\n    |\n  - name: b\n---\n";
    assert.deepEqual(offered("prompty", tool), [
      "description",
      "parameters",
      "bindings",
      "path",
      "mode",
      "specification",
      "operations",
      "connection",
      "serverName",
      "allowedTools",
      "approvalMode",
    ]);
    assert.deepEqual(offered("prompty", tool.replaceAll("\n  ", "\n")), offered("prompty", tool));
    assert.ok(offered("prompty", "---\ninputs:\n  city:\n    |\n---\n").includes("required"));
    assert.ok(offered("prompty", "---\ninputs:\n  - |\n---\n").includes("kind"));
    assert.ok(offered("prompty", "---\nmodel:\n  options:\n    |\n---\n").includes("temperature"));
  });

  it("offers the values that a key can have", () => {
    assert.deepEqual(offered("agent", "---\nplan: |\n---\n"), ["eager", "lazy"]);
    assert.deepEqual(offered("agent", "---\ndataFlow: f|\n---\n"), ["true", "false"]);
    assert.deepEqual(offered("prompty", "---\ntools:\n  - name: a\n    mode: |\n---\n"), ["single", "agentic"]);
  });

  it("offers nothing in the text below, inside texts, or where there is no front matter", () => {
    for (const marked of ["---\nid: a\n---\n|", "|", "hello\n|", "---\ndescription: >\n  some\n  |\n---\n"])
      assert.deepEqual(offered("agent", marked), [], marked);
  });

  it("never throws, whatever the text", () => {
    const line = fc.constantFrom(
      "---",
      "tools:",
      "- - a:",
      "  - name: x",
      "model: {id",
      "\t- :",
      "inputs:",
      " x: |",
      "",
    );
    fc.assert(
      fc.property(fc.array(line), fc.nat(12), fc.nat(12), (lines, at, column) => {
        const text = lines.join("\n");
        completionsAt("prompty", text, at, column);
        describedAt("agent", text, at, column);
        misspelledKeys("prompty", text);
      }),
    );
  });
});

describe("words about a key", () => {
  it("say what it is for, and its values", () => {
    const text = "---\nplan: lazy\nmine: 1\n---\n";
    assert.match(describedAt("agent", text, 2, 3) ?? "", /none starts before.*One of: `eager`, `lazy`\./);
    assert.equal(describedAt("agent", text, 2, 7), null);
    assert.equal(describedAt("agent", text, 3, 2), null);
  });
});

describe("a key that is nearly one", () => {
  it("is told with the one that was meant; others are left alone", () => {
    const text = "---\ninput:\n  citty: x\nmodle: m\nmine: 1\ntools:\n  - nmae: a\n---\n";
    const found = misspelledKeys("prompty", text).map(({ line, column, name, meant }) => [line, column, name, meant]);
    assert.deepEqual(found, [
      [2, 1, "input", "inputs"],
      [4, 1, "modle", "model"],
      [7, 5, "nmae", "name"],
    ]);
    assert.deepEqual(
      misspelledKeys("agent", "---\nid: a\nname: b\nscopes:\n  denny: [x]\n---\n").map((one) => one.meant),
      ["scope"],
    );
  });
});

describe("what is wrong with a file", () => {
  it("is told with its place, before it is saved", async () => {
    const agent = await problemsOf("agent", "---\nid: Not Good\n---\n", "/w/AGENT.md");
    assert.deepEqual(
      agent.map(({ line, column, message }) => [line, column, message]),
      [
        [2, 5, "id: use lower-case letters, digits and hyphens"],
        [2, 1, "name: is missing (a text)"],
      ],
    );
    const template = await problemsOf("prompty", "---\nname: a\n---\nuser:\n{{ a | }}\n", "/w/a.prompty");
    assert.equal(template[0]?.line, 5);
    const empty = "---\nname: a\ninputs: {city: x}\n---\nuser:\n{{ city }} and\nthe {{ town }}\n";
    assert.deepEqual(await problemsOf("prompty", empty, "/w/a.prompty"), [
      { line: 7, column: 8, message: "no input is called “town”: what the template has of it is empty", hint: true },
    ]);
  });
});
