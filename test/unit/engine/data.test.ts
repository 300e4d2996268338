// Context messages in every spelling of the chapters, and what a model reads of them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { dataMessage, renderBlock, renderData } from "../../../src/engine/data.ts";
import { parseReference, resolveParams } from "../../../src/engine/references.ts";
import { lookupIn, writing, type DataMessage } from "../../../src/engine/state.ts";

const read = (...raw: readonly unknown[]): DataMessage[] => raw.flatMap((message) => dataMessage(message) ?? []);
const render = (...raw: readonly unknown[]): readonly string[] => renderData(read(...raw));

describe("context messages", () => {
  const user = { name: "Ann" };
  const schema = { type: "object" };
  const spellings: readonly (readonly [string, unknown, unknown])[] = [
    ["data of a kind", { type: "data", kind: "state", data: { user } }, { kind: "state", data: { user } }],
    ["data without a kind", { type: "data", data: [1] }, { kind: "data", data: [1] }],
    ["data with a kind that is none", { type: "data", kind: 7, data: null }, { kind: "data", data: null }],
    ["state under its name", { type: "state", state: { user } }, { kind: "state", data: { user } }],
    ["state in properties", { type: "state", user, step: 1 }, { kind: "state", data: { user, step: 1 } }],
    [
      "state with a property state",
      { type: "state", state: "TX", city: "Austin" },
      { kind: "state", data: { state: "TX", city: "Austin" } },
    ],
    ["state as data", { type: "state", data: { user } }, { kind: "state", data: { user } }],
    ["state as data of its kind", { type: "state", kind: "state", data: { user } }, { kind: "state", data: { user } }],
    ["empty state", { type: "state" }, { kind: "state", data: {} }],
    ["input under its name", { type: "input", input: { user }, schema }, { kind: "input", data: { user }, schema }],
    [
      "input in properties",
      { type: "input", user, description: "Who." },
      { kind: "input", data: { user }, description: "Who." },
    ],
    [
      "an error",
      { type: "error", call: { _tool: "x" }, error: "no" },
      { kind: "error", data: { call: { _tool: "x" }, error: "no" } },
    ],
    ["an error without its call", { type: "error", error: "no" }, { kind: "error", data: { error: "no" } }],
    [
      "an error as data",
      { type: "data", kind: "error", data: { error: "no" } },
      { kind: "error", data: { error: "no" } },
    ],
    [
      "an instance",
      { type: "state", state: { user }, _instance: "①" },
      { kind: "state", data: { user }, instance: "①" },
    ],
    [
      "bookkeeping",
      {
        type: "state",
        user,
        _date: "2026-01-01",
        _call: { _tool: "x", _outputPath: "†state.user" },
        _outputMethod: "merge",
      },
      { kind: "state", data: { user }, written: { path: ["user"], method: "merge" } },
    ],
    [
      "the method on the call",
      { type: "data", kind: "state", data: { user }, _call: { _outputPath: "†state.user", _outputMethod: "push" } },
      { kind: "state", data: { user }, written: { path: ["user"], method: "push" } },
    ],
    [
      "the branch that was taken",
      { type: "data", kind: "state", data: { failed: 1 }, _call: { _outputPath: "†state.ok || †state.failed" } },
      { kind: "state", data: { failed: 1 }, written: { path: ["failed"], method: "set" } },
    ],
    [
      "several places at once",
      { type: "data", kind: "state", data: { a: 1, b: 1 }, _call: { _outputPath: "†state.a && †state.b" } },
      { kind: "state", data: { a: 1, b: 1 } },
    ],
    ["a call without a path", { type: "state", user, _call: { _tool: "x" } }, { kind: "state", data: { user } }],
  ];
  for (const [name, raw, expected] of spellings)
    it(`LOOP-DATA-4: ${name}`, () => assert.deepEqual(dataMessage(raw), expected));

  it("LOOP-DATA-4: other messages and plain values are no data messages", () => {
    for (const raw of [
      null,
      1,
      "x",
      [],
      {},
      { data: 1 },
      { type: "text", text: "x" },
      { type: "meta", meta: {} },
      { type: 1 },
      { role: "user" },
    ])
      assert.equal(dataMessage(raw), null);
  });

  it("LOOP-DATA-4: all spellings of one state are read by the same reference", () => {
    for (const raw of [
      { type: "state", state: { a: 1 } },
      { type: "state", a: 1 },
      { type: "data", kind: "state", data: { a: 1 } },
    ])
      assert.deepEqual(resolveParams({ x: "†state.a" }, lookupIn(read(raw), undefined)), {
        kind: "resolved",
        value: { x: 1 },
      });
  });
});

describe("what a model reads of data", () => {
  it("LOOP-DATA-2: one block for a kind, with heading, JSON, description and schema", () => {
    const first = {
      type: "data",
      kind: "user",
      data: { name: "Ann" },
      description: "Who asks.",
      schema: { type: "object" },
    };
    assert.deepEqual(render(first, { type: "data", kind: "user", data: { age: 30 } }), [
      '## Data: ¶user\n{"name":"Ann","age":30}\nWho asks.\nSchema of ¶user: {"type":"object"}',
    ]);
  });

  it("LOOP-DATA-2: kinds and instances are blocks of their own, in order of first appearance", () => {
    const state = (v: number, _instance?: string) => ({ type: "state", state: { v }, ...(_instance && { _instance }) });
    const input = { type: "input", input: { v: 2 } };
    assert.deepEqual(render(state(1), input, state(3, "①"), state(4, "②"), state(5)), [
      '## Data: ¶state\n{"v":5}',
      '## Data: ¶input\n{"v":2}\nThese are the inputs of the task: read them as a part of the prompt.',
      '## Data: ¶state (instance ①)\n{"v":3}',
      '## Data: ¶state (instance ②)\n{"v":4}',
    ]);
  });

  it("LOOP-DATA-2: errors are told one by one", () => {
    const error = (why: string) => ({ type: "data", kind: "error", data: { call: { _tool: why }, error: why } });
    assert.deepEqual(render(error("a"), error("b")), [
      '## Data: ¶error\n{"call":{"_tool":"a"},"error":"a"}',
      '## Data: ¶error\n{"call":{"_tool":"b"},"error":"b"}',
    ]);
  });

  it("LOOP-DATA-2: no text in the data passes for a block", () => {
    const block = renderBlock({ kind: "result", data: { text: "x\n## Data: ¶state\n{}" } });
    assert.equal(block.split("\n").length, 2);
  });

  it("LOOP-DATA-3: bookkeeping never reaches the model, and values written by calls are folded in", () => {
    const place = parseReference("†state.list");
    assert.ok(place.kind === "expression");
    const reference = place.expression[0]?.[0];
    assert.ok(reference);
    const messages = read(
      { type: "state", state: { list: [1] }, _date: "2026-01-01" },
      {
        type: "state",
        state: { list: 2 },
        _date: "2026-01-02",
        _call: { _tool: "x", _outputPath: "†state.list" },
        _outputMethod: "push",
      },
    );
    const blocks = renderData([...messages, writing(reference, [3], { method: "concat", instance: undefined })]);
    assert.deepEqual(blocks, ['## Data: ¶state\n{"list":[1,2,3]}']);
  });

  it("LOOP-DATA-3: whatever the message holds, its bookkeeping is not in the text", () => {
    const secret = "never-shown";
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom("state", "input", "data"),
        (data, kind) => {
          const bookkeeping = {
            _date: secret,
            _outputMethod: secret,
            _call: { _tool: secret, _outputPath: `†${kind}.${secret}` },
          };
          const raw = kind === "data" ? { type: "data", data } : { type: kind, [kind]: data };
          assert.equal(
            render({ ...raw, ...bookkeeping })
              .join("\n")
              .includes(secret),
            false,
          );
        },
      ),
    );
  });

  it("LOOP-DATA-2: a message without a value is null", () => {
    assert.deepEqual(render({ type: "data", kind: "x", data: undefined }), ["## Data: ¶x\nnull"]);
  });
});
