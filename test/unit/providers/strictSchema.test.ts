// The strict form of schemas: closed, complete, and only where it says the same.
import assert from "node:assert/strict";
import { strictSchema } from "../../../src/providers/strictSchema.ts";

const closed = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

describe("strict schema", () => {
  it("closes objects at every depth, and lets what is optional be null", () => {
    const inner = { type: "object", properties: { a: { type: "integer" }, b: { enum: ["x", "y"] } }, required: ["a"] };
    const strict = closed({ a: { type: "integer" }, b: { anyOf: [{ enum: ["x", "y"] }, { type: "null" }] } });
    assert.deepEqual(
      strictSchema({
        type: "object",
        properties: { list: { type: "array", items: inner }, one: inner, other: { $ref: "#/$defs/o" } },
        required: ["list", "other"],
        $defs: { o: inner },
      }),
      {
        ...closed({
          list: { type: "array", items: strict },
          one: { ...strict, type: ["object", "null"] },
          other: { $ref: "#/$defs/o" },
        }),
        $defs: { o: strict },
      },
    );
  });

  it("leaves out what only narrows, and keeps words and choices", () => {
    const city = { type: "string", description: "Where", pattern: "^[A-Z]", minLength: 2 };
    const choice = { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] };
    assert.deepEqual(
      strictSchema({ type: "object", properties: { city, choice }, required: ["city", "choice"], minProperties: 1 }),
      closed({
        city: { type: "string", description: "Where" },
        choice: { anyOf: [{ type: "string" }, { type: "null" }] },
      }),
    );
  });

  for (const [what, schema] of Object.entries({
    "no object": { type: "string" },
    "an object of any members": { type: "object" },
    "an open object": { type: "object", properties: {}, additionalProperties: true },
    "one of several": { type: "object", properties: { a: { oneOf: [{ type: "string" }] } } },
    "anything inside": { type: "object", properties: { a: {} } },
    "a list of anything": { type: "object", properties: { a: { type: "array" } } },
    "not even a schema": "object",
  }))
    it(`has none for ${what}`, () => {
      assert.equal(strictSchema(schema), null);
    });
});
