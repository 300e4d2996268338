// The parameters that a person is shown when one call takes another's place, and what is read of what they typed.
import assert from "node:assert/strict";
import { paramsFor, parseParams } from "../../../src/host/params.ts";
import type { ToolInfo } from "../../../src/protocol/events.ts";

const tool: ToolInfo = {
  name: "write_file",
  description: "Writes.",
  schema: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" }, tags: { type: "array" }, mode: {} },
    required: ["path", "content", "tags"],
  },
};

describe("replacing a call", () => {
  it("takes over what the new tool knows by the same name, and leaves room for what it must have", () => {
    const params = paramsFor(tool, { path: "a.txt", old_text: "x", mode: 7 });
    assert.deepEqual(params, { path: "a.txt", content: "", tags: [], mode: 7 });
  });

  it("begins with nothing where the tool says nothing of its parameters", () => {
    assert.deepEqual(paramsFor({ ...tool, schema: {} }, { path: "a.txt" }), {});
    assert.deepEqual(paramsFor({ ...tool, schema: { properties: 7, required: "path" } }, { path: "a.txt" }), {});
  });

  it("reads parameters, and says what is wrong with anything else", () => {
    assert.deepEqual(parseParams('{"path": "a.txt", "n": [1]}'), { path: "a.txt", n: [1] });
    const problem = (text: string): string => {
      const parsed = parseParams(text);
      assert.ok(typeof parsed === "string");
      return parsed;
    };
    for (const text of ["[]", "7", "null", '"path"']) assert.match(problem(text), /no parameters/);
    for (const text of ["", "{", "{path: 1}"]) assert.match(problem(text), /^This is no JSON: ./);
  });
});
