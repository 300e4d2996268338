// The schema of a Solution: what it is made of, what it accepts and what it refuses.
import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import type { JsonSchema, ToolSpec } from "../../../src/engine/ports.ts";
import { toolSpec } from "../../../src/engine/prompt.ts";
import { solutionSchema, type SolutionParts } from "../../../src/engine/solution.ts";
import { tool } from "../../support/kit.ts";

const spec = (name: string, properties: Record<string, JsonSchema>, more: JsonSchema = {}): ToolSpec => ({
  name,
  description: `${name}.`,
  parameters: { type: "object", properties, ...more },
});
const schemaOf = (tools: readonly ToolSpec[], more: Partial<SolutionParts> = {}): JsonSchema =>
  solutionSchema({ tools, references: false, ...more });
const propertiesOf = (schema: JsonSchema): string[] => Object.keys(Object(schema["properties"]));
const accepts = (schema: JsonSchema, solution: unknown): boolean =>
  new Validator(schema, "2020-12").validate(solution).valid;
const calling = (call: unknown): unknown => ({ calls: [call], output: null });

describe("the schema of a Solution", () => {
  it("LOOP-SCHEMA-1: is the tools as a union, each with its name first; a tool without _output gets none", () => {
    const add = spec("add", { a: { type: "number" } }, { required: ["a"], additionalProperties: false });
    assert.deepEqual(schemaOf([add]), {
      type: "object",
      properties: {
        calls: {
          type: "array",
          description: "What to do now, in order.",
          items: {
            anyOf: [
              {
                type: "object",
                description: "add.",
                properties: {
                  _tool: { const: "add" },
                  _reasoningForCall: { type: "string", description: "Why this call, in a few words." },
                  a: { type: "number" },
                },
                required: ["_tool", "a"],
                additionalProperties: false,
              },
            ],
          },
        },
        output: { type: ["string", "null"], description: "The final answer, or null while it is not known." },
      },
      required: ["calls", "output"],
      additionalProperties: false,
    });
    assert.equal(JSON.stringify(schemaOf([toolSpec(tool("x"), { dataFlow: true })])).includes('"_output"'), false);
  });

  it("LOOP-SCHEMA-2: the _output of a latent tool stays, and so do the fields that a tool allows", () => {
    const think = spec("think", { _output: { type: "string" }, _outputPath: { const: "†state.thought" } });
    const schema = schemaOf([think], { references: true });
    assert.ok(accepts(schema, calling({ _tool: "think", _output: "so", _outputPath: "†state.thought" })));
    assert.ok(!accepts(schema, calling({ _tool: "think", _output: 1 })));
    assert.ok(!accepts(schema, calling({ _tool: "think", _output: "so", _outputPath: "†state.other" })));
  });

  it("LOOP-SCHEMA-3: output takes what the user's schema takes, and null", () => {
    const output = {
      type: "object",
      properties: { n: { $ref: "#/$defs/n" } },
      required: ["n"],
      $defs: { n: { type: "number" } },
    };
    const schema = schemaOf([], { output });
    for (const good of [{ n: 1 }, null]) assert.ok(accepts(schema, { calls: [], output: good }), JSON.stringify(good));
    for (const bad of [{ n: "x" }, {}, "text"]) assert.ok(!accepts(schema, { calls: [], output: bad }));
    assert.ok(!accepts(schema, { calls: [] }));
    assert.ok(accepts(schemaOf([]), { calls: [], output: "text" }));
    assert.ok(!accepts(schemaOf([]), { calls: [], output: 1 }));
    assert.ok(!accepts(schemaOf([]), { calls: [{ _tool: "any" }], output: null }));
  });

  it("LOOP-SCHEMA-4: of two tools with one name the last definition counts", () => {
    const schema = schemaOf([
      spec("x", { a: { type: "number" } }, { required: ["a"] }),
      spec("y", {}),
      spec("x", { a: { type: "string" } }, { required: ["a"] }),
    ]);
    assert.ok(accepts(schema, calling({ _tool: "x", a: "text" })));
    assert.ok(!accepts(schema, calling({ _tool: "x", a: 1 })));
    assert.equal(JSON.stringify(schema).split('{"const":"x"}').length, 2);
  });

  it("LOOP-SCHEMA-5: meta comes first and advisors before calls, each only when it is there", () => {
    const advisors = [{ schema: { type: "object" }, always: true }];
    assert.deepEqual(propertiesOf(schemaOf([])), ["calls", "output"]);
    assert.deepEqual(propertiesOf(schemaOf([], { advisors: [] })), ["calls", "output"]);
    const both = schemaOf([], { advisors, meta: { type: "object" } });
    assert.deepEqual(propertiesOf(both), ["meta", "advisors", "calls", "output"]);
    assert.deepEqual(both["required"], ["meta", "advisors", "calls", "output"]);
    assert.ok(!accepts(schemaOf([], { advisors }), { advisors: [], calls: [], output: null }));
  });

  const deep = spec(
    "deep",
    {
      n: { type: "number", description: "A number." },
      s: { type: "string" },
      e: { type: "string", enum: ["a"] },
      l: { type: "array", items: { type: "integer" } },
      o: { type: "object", properties: { b: { type: "boolean" } }, additionalProperties: false },
      any: {},
      u: { anyOf: [{ type: "object", properties: { k: { type: "number" } }, required: ["k"] }, { type: "null" }] },
      r: { $ref: "#/$defs/point" },
      _outputPath: { type: "string", maxLength: 30 },
    },
    {
      $defs: { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
      additionalProperties: false,
    },
  );

  it("LOOP-SCHEMA-6: parameters take a reference at any depth, and other text no more than before", () => {
    const schema = schemaOf([deep], { references: true });
    const good = [
      { n: "†state.x" },
      { n: " †state.x || †state.y" },
      { n: 1 },
      { e: "†state.e" },
      { l: "†state.l" },
      { l: [1, "†state.i"] },
      { o: { b: "†state.b" } },
      { o: "†state.o" },
      { any: "†x" },
      { u: { k: "†state.k" } },
      { u: null },
      { u: "†state.u" },
      { r: "†state.r" },
      { r: { x: "†state.x" } },
      { r: { x: 1 } },
      { s: "†state.s" },
      { _outputPath: "†state.out" },
    ];
    for (const params of good)
      assert.ok(accepts(schema, calling({ _tool: "deep", ...params })), JSON.stringify(params));
    const bad = [
      { n: "1" },
      { n: "a †state.x" },
      { e: "b" },
      { l: ["i"] },
      { o: { c: 1 } },
      { u: { k: "k" } },
      { r: { x: "x" } },
      { _outputPath: `†state.${"x".repeat(40)}` },
    ];
    for (const params of bad)
      assert.ok(!accepts(schema, calling({ _tool: "deep", ...params })), JSON.stringify(params));
  });

  it("LOOP-SCHEMA-6: without references a parameter takes only its own kind of value", () => {
    const schema = schemaOf([spec("y", {}), deep]);
    assert.ok(accepts(schema, calling({ _tool: "deep", r: { x: 1 }, n: 1 })));
    for (const params of [{ n: "†state.x" }, { r: { x: "†state.x" } }, { e: "†state.e" }])
      assert.ok(!accepts(schema, calling({ _tool: "deep", ...params })), JSON.stringify(params));
  });

  it("LOOP-SCHEMA-6: words in the place of data stay as they are", () => {
    const schema = schemaOf([spec("x", { $ref: { type: "string" }, d: { enum: [{ $ref: "#/a" }] } })]);
    assert.ok(accepts(schema, calling({ _tool: "x", $ref: "text", d: { $ref: "#/a" } })));
  });
});
