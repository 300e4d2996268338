// The panel's parts that need no browser: forms from schemas, links, terminal output, words.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { CallItem } from "../../src/protocol/viewCall.ts";
import { stripAnsi } from "../../webview/ansi.ts";
import { treeOf } from "../../webview/callTree.ts";
import { fieldsOf, firstDraft, readForm, sameParams, switchShape, wordsOf } from "../../webview/formModel.ts";
import { groupCalls } from "../../webview/group.ts";
import { fileReference, isWebLink } from "../../webview/links.ts";
import { dollars, ending, sessionCost, usageWords } from "../../webview/endWords.ts";
import { duration, standing } from "../../webview/words.ts";
import * as story from "./stories.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    force: { type: "boolean" },
    mode: { enum: ["a", "b", 3, null] },
    list: { type: "array" },
    env: { type: "object" },
    any: {},
  },
  required: ["path", "content", "force"],
};

// A field cannot tell an empty optional line from none, so lines are never empty here.
const params = fc.record(
  {
    path: fc.string({ minLength: 1 }),
    content: fc.string(),
    count: fc.integer(),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    force: fc.boolean(),
    mode: fc.constantFrom("a", "b", 3, null),
    list: fc.array(fc.jsonValue()),
    env: fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
      fc.string(),
    ),
    any: fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.boolean()),
    unknown: fc.oneof(fc.integer(), fc.string({ minLength: 1 })),
  },
  { requiredKeys: ["path", "content", "force"] },
);

describe("the form of a call", () => {
  it("says what was proposed as long as nobody types, as fields and as JSON", () => {
    fc.assert(
      fc.property(params, (proposed) => {
        const proposal = { schema, params: JSON.parse(JSON.stringify(proposed)) };
        const fields = fieldsOf(proposal);
        const draft = firstDraft(proposal);
        assert.deepEqual(readForm(fields, draft), { params: proposal.params, problems: {} });
        const raw = switchShape(proposal, draft);
        assert.ok(raw);
        assert.deepEqual(readForm(fields, raw), { params: proposal.params, problems: {} });
        assert.deepEqual(switchShape(proposal, raw)?.texts, draft.texts);
      }),
    );
  });

  it("leaves out what is optional and empty, and misses what is required", () => {
    const proposal = { schema, params: { path: "a", content: "" } };
    const fields = fieldsOf(proposal);
    const read = readForm(fields, { raw: false, json: "", texts: { path: "", content: "", count: "" } });
    assert.deepEqual(read, { params: { content: "", force: false }, problems: { path: "This is required." } });
  });

  it("LOOP-DATA-5: a schema makes a form: a label and a control for each property, and what is wrong is said at its field", () => {
    const input = {
      type: "object",
      properties: {
        customerName: { type: "string", description: "Who it is for" },
        seats: { type: "integer" },
        express: { type: "boolean" },
        size: { enum: ["s", "l"] },
        content: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        tags: { type: "array" },
      },
      required: ["customerName", "seats"],
    };
    const fields = fieldsOf({ schema: input, params: {} });
    assert.deepEqual(
      fields.map(({ label, control, required }) => [label, control, required]),
      [
        ["Customer name", "line", true],
        ["Seats", "number", true],
        ["Express", "switch", false],
        ["Size", "choice", false],
        ["Content", "text", false],
        ["Tags", "json", false],
      ],
    );
    assert.equal(fields[0]?.description, "Who it is for");
    const texts = { customerName: "", seats: "two", express: "true", size: "", content: "", tags: "[1" };
    const { problems } = readForm(fields, { raw: false, json: "", texts });
    assert.deepEqual(Object.keys(problems), ["customerName", "seats", "tags"]);
  });

  it("knows the same parameters in another order", () => {
    assert.equal(sameParams({ a: 1, b: [2] }, { b: [2], a: 1 }), true);
    assert.equal(sameParams({ a: 1 }, { a: "1" }), false);
  });
});

describe("a link in a text", () => {
  it("is a file only inside the workspace", () => {
    assert.deepEqual(fileReference("src/a.js:12"), { path: "src/a.js", line: 12 });
    assert.deepEqual(fileReference("src/a.js:12:4"), { path: "src/a.js", line: 12 });
    assert.deepEqual(fileReference("src/a.js#L7-L9"), { path: "src/a.js", line: 7 });
    assert.deepEqual(fileReference("cart.js"), { path: "cart.js" });
    assert.deepEqual(fileReference("docs/guide", true), { path: "docs/guide" });
    for (const text of [
      "console.log",
      "1.5",
      "a && b",
      "npm test",
      "../up.js",
      "/etc/passwd",
      "C:\\x.js",
      "file:///a.js",
    ]) {
      assert.equal(fileReference(text), null, text);
    }
    for (const text of ["javascript:alert(1)", "command:x", "a/../../b.js", "/etc/passwd", "vscode://a/b.js"]) {
      assert.equal(fileReference(text, true), null, text);
    }
  });

  it("is for a browser only over http", () => {
    assert.equal(isWebLink("https://example.org/a?b#c"), true);
    for (const url of ["javascript:alert(1)", "command:x", " https://example.org", "https://a b", "data:text/html,x"]) {
      assert.equal(isWebLink(url), false, url);
    }
  });
});

describe("words", () => {
  it("for times, ends and states", () => {
    assert.deepEqual([0.4, 999, 1_234, 59_400, 60_000, 125_000].map(duration), [
      "0 ms",
      "999 ms",
      "1.2 s",
      "59 s",
      "1 min",
      "2 min 5 s",
    ]);
    const usage = { input: 3_900, output: 310 };
    assert.equal(ending({ status: "completed", duration: 12_000, usage, iterations: 2 }), "Worked 12 s · 4,210 tokens");
    assert.equal(
      ending({ status: "max_iterations", duration: 12_000, usage, iterations: 11 }),
      "Worked 10 rounds in 12 s, as many as one run may have · 4,210 tokens",
    );
    const paid = { status: "completed", duration: 12_000, usage, iterations: 2, cost: 0.034 } as const;
    assert.equal(ending(paid), "Worked 12 s · 4,210 tokens · $0.03");
    assert.equal(usageWords(paid), "3,900 tokens read, 310 written, in 2 requests: $0.03");
    assert.equal(
      usageWords({ ...paid, usage: { ...paid.usage, cached: 1_200, written: 400 } }),
      "3,900 tokens read (1,200 of them cached, 400 put into the cache), 310 written, in 2 requests: $0.03",
    );
    assert.deepEqual([0, 0.00001, 0.00071, 0.0096, 0.01, 12.345].map(dollars), [
      "$0.00",
      "under $0.0001",
      "$0.0007",
      "$0.01",
      "$0.01",
      "$12.35",
    ]);
    assert.equal(wordsOf("oldText"), "Old text");
    const decided = { decision: { kind: "reject", reason: "no" }, by: "person" } as const;
    assert.equal(standing({ ...call("c"), state: "rejected", decided }, ""), "rejected: no");
  });

  it("of a session's cost, unless that of one of its runs is not known", () => {
    const after = (...costs: readonly (number | undefined)[]): number | null =>
      sessionCost(
        story.fold(
          costs.flatMap((cost, n) => [
            ...story.start("Go", `run-${n}`),
            { ...story.end("completed", `run-${n}`), ...(cost !== undefined && { cost }) },
          ]),
        ),
      );
    assert.deepEqual([after(), after(0.5), after(0.5, 0.25), after(0.5, undefined)], [null, 0.5, 0.75, null]);
    assert.equal(sessionCost({ ...story.fold([...story.start("Go"), story.end()]), more: true }), null);
  });

  it("of a terminal, without its colours and its overwritten lines", () => {
    assert.equal(stripAnsi("\u001b[32mok\u001b[0m\r\n\u001b]0;title\u0007 10%\r 99%\rdone\nend"), "ok\ndone\nend");
  });
});

describe("calls of the same kind", () => {
  it("share a line when nothing about them needs one of its own", () => {
    const calls = [call("a"), call("b"), { ...call("c"), state: "failed" } as const, call("d"), call("e", "Search")];
    const rows = groupCalls(calls, treeOf(calls));
    assert.deepEqual(
      rows.map((row) => row.id),
      ["group-a", "c", "d", "e"],
    );
  });
});

function call(id: string, verb = "Read"): CallItem {
  const item = story.fold([...story.start("x"), ...story.done({ ...story.read(id, `${id}.js`), verb })]).turns[0]
    ?.items[0];
  assert.ok(item?.kind === "call");
  return item;
}
