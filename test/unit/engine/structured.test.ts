// Answers in a form that the endpoint itself holds them to: no reserved tool, the same checks.
import assert from "node:assert/strict";
import type { Model } from "../../../src/engine/ports.ts";
import { calls, kit, says, scriptedModel, tool, type Kit, type Script } from "../../support/kit.ts";

const output = {
  type: "object",
  properties: { price: { type: "number" }, note: { type: "string" } },
  required: ["price"],
};

function asking(...scripts: readonly Script[]): Kit & { readonly model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(...scripts);
  const holding: Model = { ...model, structures: (schema) => schema === output };
  return { ...kit({ model: holding, tools: [tool("read_file", {})], agent: { output } }), model };
}

describe("structured output", () => {
  it("asks the endpoint for the form in each request, beside the tools, and offers no reserved tool", async () => {
    const made = asking(calls(["a", "read_file", {}]), says('{"price":3,"note":null}'));
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    assert.deepEqual(outcome.value, { price: 3 });
    assert.deepEqual(
      made.model.requests.map(({ tools, output: asked }) => [tools.map(({ name }) => name), asked]),
      [
        [["read_file"], output],
        [["read_file"], output],
      ],
    );
    assert.doesNotMatch(JSON.stringify(made.model.requests), /final_output/);
  });

  it("sends back what does not hold all the same, with the schema", async () => {
    const made = asking(says('{"price":"three"}'), says('{"price":3}'));
    assert.deepEqual((await made.run()).value, { price: 3 });
    const note = made.model.requests[1]?.messages.at(-1)?.content ?? "";
    assert.match(note, /This is not the output that is asked for\.\n.*price/);
    assert.match(note, /answer with JSON .*"required":\["price"\]/);
  });

  it("keeps a null that the schema asks for", async () => {
    const nullable = { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] };
    const model: Model = { ...scriptedModel(says('{"a":null}')), structures: () => true };
    assert.deepEqual((await kit({ model, agent: { output: nullable } }).run()).value, { a: null });
  });

  it("uses the reserved tool for a schema that the endpoint cannot hold an answer to", async () => {
    const model = scriptedModel(calls(["o", "final_output", { price: 1 }]));
    const made = kit({ model: { ...model, structures: () => false }, agent: { output } });
    assert.deepEqual((await made.run()).value, { price: 1 });
    assert.equal(model.requests[0]?.output, undefined);
  });
});
