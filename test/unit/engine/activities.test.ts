// Tools from outside: which function does a call's work, what it sees, what it may choose, and calls that nobody but the model does.
import assert from "node:assert/strict";
import {
  bindTools,
  type ActivityContext,
  type Activities,
  type ToolDefinition,
} from "../../../src/engine/activities.ts";
import { toolSpec } from "../../../src/engine/prompt.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { validateJson } from "../../../src/tools/jsonSchema.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

type Call = readonly [string, string, Params];

async function play(given: Activities, ...list: readonly Call[]): Promise<Kit & { results: Record<string, string> }> {
  const made = kit({ model: scriptedModel(calls(...list), says("ok")), tools: bindTools(given, validateJson) });
  const result = made.run();
  await made.clock.advance(60_000);
  const outcome = await result;
  assert.equal(outcome.status, "completed");
  return { ...made, results: Object.fromEntries(outcome.toolResults.map((one) => [one.tool_call_id, one.content])) };
}

const define = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: "",
  ...more,
});
const specOf = (definition: ToolDefinition, given: Activities["activities"] = {}) => {
  const [made] = bindTools({ tools: [definition], activities: given }, validateJson);
  assert.ok(made);
  return toolSpec(made, { dataFlow: true }).parameters;
};

describe("activities", () => {
  it("LOOP-ACT-1: the named one, the one of the tool's own name, or none: then the call is latent", async () => {
    const { results } = await play(
      {
        tools: [
          define("named", { activity: "other" }),
          define("own"),
          define("thought"),
          define("own2", { activity: "" }),
        ],
        activities: { other: () => "by name", own: () => "by its own", own2: () => "never" },
      },
      ["a", "named", {}],
      ["b", "own", {}],
      ["c", "thought", { _output: "mine" }],
      ["d", "own2", { _output: "mine" }],
    );
    assert.deepEqual(results, { a: "by name", b: "by its own", c: "Noted.", d: "Noted." });
  });

  it("C-17: a named activity that does not exist is a mistake of the setup, found before any request", () => {
    assert.throws(() => bindTools({ tools: [define("a", { activity: "b" })] }, validateJson), /names an activity “b”/);
    assert.throws(() => bindTools({ tools: [define("a", { activity: "toString" })], activities: {} }, validateJson));
  });

  it("LOOP-ACT-2, LOOP-SCOPE-1: gets the call, the tool, and the messages of its scopes only", async () => {
    const got: { call: unknown; tool: unknown; context: ActivityContext }[] = [];
    const look = define("look", { scopes: { kind: "fixed", keys: ["state"] } });
    await play(
      {
        tools: [define("put"), look],
        activities: {
          put: ({ value }) => value,
          look: (call, definition, context) => void got.push({ call, tool: definition, context }),
        },
      },
      ["a", "put", { value: 1, _outputPath: "†state.a" }],
      ["b", "put", { value: 2, _outputPath: "†note.b" }],
      ["c", "look", { first: "†state.a", second: "†note.b" }],
    );
    const [seen] = got;
    assert.deepEqual(seen?.call, { _tool: "look", first: 1, second: 2 });
    assert.equal(seen.tool, look);
    assert.deepEqual(
      seen.context.messages.map(({ kind }) => kind),
      ["state"],
    );
    assert.deepEqual([seen.context.data("state"), seen.context.data("note")], [{ a: 1 }, undefined]);
  });

  it("LOOP-SCOPE-2: fixed scopes are not widened, and a choice is one of those allowed", async () => {
    const scoped = (kind: "fixed" | "choice") => define(kind, { scopes: { kind, keys: ["state", "input.user"] } });
    const seen: string[][] = [];
    const activity = (_: unknown, __: unknown, { messages }: ActivityContext) =>
      void seen.push(messages.map((message) => message.kind));
    const { results } = await play(
      {
        tools: [scoped("fixed"), scoped("choice"), define("put")],
        activities: { fixed: activity, choice: activity, put: () => 1 },
      },
      ["p", "put", { _outputPath: "†state.x && †input.user && †input.other" }],
      ["a", "fixed", { wait: "†state.x", _scopes: ["state", "error"] }],
      ["b", "choice", { wait: "†state.x", _scopes: ["input"] }],
      ["c", "choice", { wait: "†state.x", _scopes: ["input.user"] }],
      ["d", "choice", { wait: "†state.x" }],
      ["e", "choice", { wait: "†state.x", _scopes: "state" }],
    );
    assert.match(results["a"] ?? "", /no more than state, input\.user; error/);
    assert.match(results["b"] ?? "", /input is not among them/);
    assert.match(results["e"] ?? "", /must be a list of names/);
    assert.deepEqual(new Set(seen.map((kinds) => kinds.join())), new Set(["", "input"]));
  });

  it("LOOP-SCOPE-3, LOOP-OUT-7: what a call sees and writes is of its instance", async () => {
    const seen: unknown[] = [];
    await play(
      {
        tools: [define("put"), define("look")],
        activities: { put: ({ value }) => value, look: (_, __, context) => void seen.push(context.data("state")) },
      },
      ["g", "put", { value: "all", _outputPath: "†state.g" }],
      ["a", "put", { value: "one", _instance: "1", _outputPath: "†state.v" }],
      ["b", "put", { value: "two", _instance: "2", _outputPath: "†state.v" }],
      ["c", "look", { wait: "†state.v", all: "†state.g", _instance: "2" }],
      ["d", "look", { all: "†state.g" }],
    );
    assert.deepEqual(
      new Set(seen.map((one) => JSON.stringify(one))),
      new Set(['{"g":"all","v":"two"}', '{"g":"all"}']),
    );
  });

  it("LOOP-ACT-3, LOOP-OUT-5: a latent call is done when it is written; its output is checked, and kept only where it says so", async () => {
    const output = { type: "object", properties: { risk: { enum: ["low", "high"] } }, required: ["risk"] };
    const got: unknown[] = [];
    const { results, events } = await play(
      { tools: [define("judge", { output }), define("use")], activities: { use: ({ risk }) => void got.push(risk) } },
      ["a", "judge", { _output: { risk: "high" }, _outputPath: "†state.j" }],
      ["b", "use", { risk: "†state.j.risk" }],
      ["c", "judge", { _output: { risk: "none" } }],
      ["d", "judge", {}],
      ["e", "judge", { _output: { risk: "low" } }],
    );
    assert.deepEqual(got, ["high"]);
    assert.match(results["a"] ?? "", /Kept as †state\.j/);
    assert.match(results["c"] ?? "", /_output of judge is wrong/);
    assert.match(results["d"] ?? "", /_output is missing/);
    assert.equal(results["e"], "Noted.");
    assert.equal(ofType(events, "call:pending").length, 0);
  });

  it("LOOP-ACT-4: what the model writes as the output of a call that is done by somebody counts for nothing", async () => {
    const got: unknown[] = [];
    await play(
      {
        tools: [define("real"), define("use")],
        activities: { real: () => "true", use: ({ value }) => void got.push(value) },
      },
      ["a", "real", { _output: "false", _outputPath: "†state.a" }],
      ["b", "use", { value: "†state.a" }],
    );
    assert.deepEqual(got, ["true"]);
  });

  it("LOOP-OUT-2: set, merge, assign, push and concat, in the order in which calls end", async () => {
    const got: unknown[] = [];
    await play(
      {
        tools: [define("put"), define("use")],
        activities: { put: ({ value }) => value, use: ({ value }) => void got.push(value) },
      },
      ["a", "put", { value: { x: { y: 1 } }, _outputPath: "†state.o" }],
      ["b", "put", { value: { x: { z: 2 } }, wait: "†state.o", _outputPath: "†state.o", _outputMethod: "merge" }],
      ["c", "put", { value: 1, _outputPath: "†state.l", _outputMethod: "push" }],
      ["d", "put", { value: [2, 3], wait: "†state.l", _outputPath: "†state.l", _outputMethod: "concat" }],
      ["e", "use", { value: ["†state.o", "†state.l"] }],
      ["f", "put", { value: 1, _outputPath: "†state.l", _outputMethod: "explode" }],
    );
    assert.deepEqual(got, [[{ x: { y: 1, z: 2 } }, [1, 2, 3]]]);
  });

  it("LOOP-OUT-3: a fixed output path is not the model's to choose", async () => {
    const got: unknown[] = [];
    const fixed = define("fixed", { outputPath: "†state.here" });
    const { results } = await play(
      { tools: [fixed, define("use")], activities: { fixed: () => 7, use: ({ value }) => void got.push(value) } },
      ["a", "fixed", { _outputPath: "†state.there" }],
      ["b", "fixed", {}],
      ["c", "use", { value: "†state.here" }],
    );
    assert.match(results["a"] ?? "", /always goes to †state\.here/);
    assert.match(results["b"] ?? "", /Kept as †state\.here/);
    assert.deepEqual(got, [7]);
  });

  it("LOOP-EXPR-4, LOOP-OUT-4: an activity chooses its branch by the message it returns; the other branch is skipped", async () => {
    const got: string[] = [];
    const { events } = await play(
      {
        tools: [define("pay"), define("ship"), define("dun")],
        activities: {
          pay: () => ({ type: "data", kind: "state", data: { refused: { why: "no money" } } }),
          ship: () => void got.push("ship"),
          dun: ({ why }) => void got.push(`dun: ${String(why)}`),
        },
      },
      ["p", "pay", { _outputPath: "†state.paid || †state.refused" }],
      ["s", "ship", { what: "†state.paid" }],
      ["d", "dun", { why: "†state.refused.why" }],
    );
    assert.deepEqual(got, ["dun: no money"]);
    assert.equal(ofType(events, "tool:end").find(({ toolCallId }) => toolCallId === "s")?.status, "skipped");
  });

  it("LOOP-OUT-6, C-20: a call that writes nowhere is waited for by no other call, and its failure is told all the same", async () => {
    const order: string[] = [];
    const made: Kit = kit({
      model: scriptedModel(calls(["slow", "slow", {}], ["next", "next", {}]), says("ok")),
      tools: [
        tool("slow", {
          run: () =>
            new Promise(
              (_, reject) => void made.clock.after(500, () => (order.push("slow"), reject(new Error("late")))),
            ),
        }),
        tool("next", { run: () => (order.push("next"), { status: "succeeded", content: "" }) }),
      ],
    });
    const result = made.run();
    await made.clock.advance(1_000);
    const outcome = await result;
    assert.deepEqual(order, ["next", "slow"]);
    assert.equal(outcome.toolResults.find(({ name }) => name === "slow")?.content, "slow failed: late");
  });

  it("LOOP-ERR-1: arguments that do not hold against the schema never reach the activity", async () => {
    const parameters = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const { results } = await play(
      { tools: [define("count", { parameters })], activities: { count: () => assert.fail("it ran") } },
      ["a", "count", { n: "three" }],
      ["b", "count", { n: 1, m: 2 }],
      ["c", "count", {}],
    );
    for (const id of ["a", "b", "c"]) assert.match(results[id] ?? "", /^The arguments of count are wrong\.\n/);
  });
});

describe("what the model is told of a tool", () => {
  const output = { type: "object", properties: { risk: { type: "string" } } };

  it("LOOP-SCHEMA-1, LOOP-SCHEMA-2: the output schema of a latent tool is told, that of any other is not", () => {
    const done = specOf(define("judge", { output }), { judge: () => 1 });
    assert.ok(!JSON.stringify(done).includes("risk"));
    const latent = specOf(define("judge", { output }));
    assert.deepEqual(latent["properties"], {
      _output: output,
      _outputPath: { type: "string" },
    });
    assert.deepEqual(latent["required"], ["_output"]);
  });

  it("LOOP-SCHEMA-6: a parameter that is no text may be a reference; without data flow it may not", () => {
    const parameters = { type: "object", properties: { n: { type: "number" }, t: { type: "string" } } };
    const [made] = bindTools({ tools: [define("x", { parameters })], activities: { x: () => 1 } }, validateJson);
    assert.ok(made);
    assert.deepEqual(Object(toolSpec(made, { dataFlow: true }).parameters["properties"])["n"], {
      anyOf: [{ type: "number" }, { type: "string", pattern: "^†" }],
    });
    assert.deepEqual(toolSpec(made, { dataFlow: false }).parameters, parameters);
  });

  it("LOOP-SCHEMA-4: of two tools with one name the last counts", async () => {
    const model = scriptedModel(calls(["a", "same", {}]), says("ok"));
    const made = kit({
      model,
      tools: bindTools(
        {
          tools: [
            define("same", { description: "first", activity: "one" }),
            define("same", { description: "last", activity: "two" }),
          ],
          activities: { one: () => "one", two: () => "two" },
        },
        validateJson,
      ),
    });
    const outcome = await made.run();
    assert.equal(outcome.toolResults[0]?.content, "two");
    assert.deepEqual(
      model.requests[0]?.tools.map(({ description }) => description),
      ["last"],
    );
  });

  it("without data flow a dagger is a letter, and nothing is said of references", async () => {
    const got: unknown[] = [];
    const model = scriptedModel(calls(["a", "use", { text: "†state.x", _outputPath: "†state.y" }]), says("ok"));
    const tools = bindTools(
      { tools: [define("use")], activities: { use: ({ text }) => void got.push(text) } },
      validateJson,
    );
    await kit({ model, tools, agent: { dataFlow: false } }).run();
    assert.deepEqual(got, ["†state.x"]);
    assert.doesNotMatch(model.requests[0]?.system ?? "†", /†/);
  });
});
