// How a run ends: final outputs by a schema, beside calls or alone, wrong ones, falsy ones, none at all, and what is told of failures.
import assert from "node:assert/strict";
import type { Params } from "../../../src/protocol/messages.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit, type Script } from "../../support/kit.ts";

const priceSchema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };

function asking(output: Params, ...scripts: readonly Script[]): Kit & { model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(...scripts);
  const tools = [
    tool("read_file", { run: (_, params) => ({ status: "succeeded", content: String(params["path"]), value: 42 }) }),
    tool("slow", {
      run: () =>
        new Promise(
          (resolve) => void made.clock.after(500, () => resolve({ status: "succeeded", content: "slow done" })),
        ),
    }),
    tool("boom", { run: () => Promise.reject(new Error("no such thing")) }),
  ];
  const made = kit({ model, tools, agent: { output } });
  return { ...made, model };
}

describe("the end of a run", () => {
  it("LOOP-OUTER-2, LOOP-OUTER-3: calls alone go on; an output stops the run and is given back as it is", async () => {
    const value = { price: 3, more: { deep: [1, null] } };
    const made = asking(priceSchema, calls(["a", "read_file", { path: "x" }]), calls(["o", "final_output", value]));
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    assert.deepEqual(outcome.value, value);
    assert.equal(made.model.requests.length, 2);
    assert.deepEqual(made.model.requests[0]?.tools.at(-1)?.parameters["required"], ["price"]);
    assert.match(made.model.requests[0].system, /final_output/);
  });

  it("LOOP-OUTER-4: an output beside calls waits for all of them, and no further request is made", async () => {
    const made = asking(priceSchema, calls(["o", "final_output", { price: 1 }], ["s", "slow", {}]));
    let over = false;
    const result = made.run().finally(() => (over = true));
    await made.clock.advance(499);
    assert.equal(over, false);
    await made.clock.advance(1);
    assert.equal((await result).status, "completed");
    assert.equal(made.model.requests.length, 1);
    assert.ok(ofType(made.events, "tool:end").some(({ toolCallId }) => toolCallId === "s"));
  });

  it("an output can be made of the results of the calls beside it", async () => {
    const made = asking(
      priceSchema,
      calls(["a", "read_file", { path: "x", _outputPath: "†state.a" }], ["o", "final_output", { price: "†state.a" }]),
    );
    assert.deepEqual((await made.run()).value, { price: 42 });
  });

  it("LOOP-OUTER-5: an output that does not hold is an error that the model reads, and the loop goes on", async () => {
    const made = asking(
      priceSchema,
      calls(["o", "final_output", { price: "three" }]),
      calls(["p", "final_output", { price: 3 }]),
    );
    const outcome = await made.run();
    assert.deepEqual([outcome.status, outcome.value], ["completed", { price: 3 }]);
    const told = made.model.requests[1]?.messages.at(-1)?.content ?? "";
    assert.match(told, /not the output that is asked for.*\nprice: .*number/);
    const error = outcome.toolResults[0]?.error;
    assert.equal(error?.type, "structural");
  });

  it("LOOP-OUTER-7, C-01: replies that are neither calls nor the output end the run as stalled, the second in a row", async () => {
    const made = asking(priceSchema, says(""), says("I do not know."), says("never asked"));
    const outcome = await made.run();
    assert.equal(outcome.status, "stalled");
    assert.equal(made.model.requests.length, 2);
    assert.match(made.model.requests[1]?.messages.at(-1)?.content ?? "", /neither calls nor an output/);
    assert.ok(!made.lines.some((line) => line.id === "note"), "what is told in passing is no part of the conversation");
  });

  it("LOOP-OUTER-7: a call in between begins the count anew", async () => {
    const made = asking(
      priceSchema,
      says(""),
      calls(["a", "read_file", { path: "x" }]),
      says("no"),
      says('```json\n{"price": 7}\n```'),
    );
    const outcome = await made.run();
    assert.deepEqual([outcome.status, outcome.value], ["completed", { price: 7 }]);
  });

  it("LOOP-OUTER-9: false, 0, an empty text and an empty list are outputs", async () => {
    for (const [schema, value] of [
      [{ type: "boolean" }, false],
      [{ type: "number" }, 0],
      [{ type: "string" }, ""],
      [{ type: "array" }, []],
      [{ type: "null" }, null],
    ] as const) {
      const made = asking(schema, calls(["o", "final_output", { output: value }]));
      const outcome = await made.run();
      assert.equal(outcome.status, "completed", JSON.stringify(value));
      assert.deepEqual(outcome.value, value);
      assert.equal(made.model.requests.length, 1);
    }
  });

  it("LOOP-OUTER-10, C-02: calls that failed beside the output are listed, in call order, as Error Messages", async () => {
    const made = asking(
      priceSchema,
      calls(["b", "boom", { n: 1 }], ["o", "final_output", { price: 1 }], ["u", "fly", { to: "moon" }]),
    );
    const outcome = await made.run();
    assert.equal(outcome.status, "completed_with_errors");
    assert.deepEqual(outcome.errors, [
      { call: { _tool: "boom", n: 1 }, error: { type: "runtime", message: "boom failed: no such thing" } },
      {
        call: { _tool: "fly", to: "moon" },
        error: {
          type: "structural",
          message: "There is no tool named fly. The tools are: read_file, slow, boom, final_output.",
        },
      },
    ]);
    assert.equal(ofType(made.events, "loop:end")[0]?.success, false);
  });

  it("C-02: with reconsiderOnError the model is asked once more", async () => {
    const model = scriptedModel(
      calls(["b", "boom", {}], ["o", "final_output", { price: 1 }]),
      calls(["c", "boom", {}], ["p", "final_output", { price: 2 }]),
    );
    const made = kit({
      model,
      tools: [tool("boom", { run: () => Promise.reject(new Error("no")) })],
      agent: { output: priceSchema },
      config: { reconsiderOnError: true },
    });
    const outcome = await made.run();
    assert.deepEqual([outcome.status, outcome.value], ["completed_with_errors", { price: 2 }]);
    assert.match(model.requests[1]?.messages.at(-1)?.content ?? "", /failed/);
  });
});

describe("errors of calls", () => {
  it("LOOP-ERR-2, LOOP-ERR-3, LOOP-ERR-4, LOOP-ERR-5: collected per round, in call order, all of them in the next request", async () => {
    const states: unknown[] = [];
    const model = scriptedModel(
      calls(["s", "late", {}], ["q", "quick", {}], ["x", "fly", {}]),
      calls(["r", "look", {}]),
      says("ok"),
    );
    const made = kit({
      model,
      tools: [
        tool("late", {
          run: () => new Promise((_, reject) => void made.clock.after(100, () => reject(new Error("late")))),
        }),
        tool("quick", { run: () => Promise.reject(new Error("quick")) }),
        tool("look", {
          run: ({ data }) => {
            states.push(...data.filter(({ kind }) => kind === "error").map((message) => message.data));
            return { status: "succeeded", content: "" };
          },
        }),
      ],
    });
    const result = made.run();
    await made.clock.advance(1_000);
    assert.equal((await result).status, "completed");
    assert.deepEqual(
      ofType(made.events, "tool:end").map(({ toolCallId }) => toolCallId),
      ["q", "x", "s", "r"],
    );
    assert.deepEqual(states, [
      { call: { _tool: "late" }, error: { type: "runtime", message: "late failed: late" } },
      { call: { _tool: "quick" }, error: { type: "runtime", message: "quick failed: quick" } },
      {
        call: { _tool: "fly" },
        error: { type: "structural", message: "There is no tool named fly. The tools are: late, quick, look." },
      },
    ]);
    assert.deepEqual(
      model.requests[1]?.messages.filter(({ role }) => role === "tool").map(({ content }) => content.slice(0, 11)),
      ["late failed", "quick faile", "There is no"],
    );
  });

  it("LOOP-ERR-3, LOOP-ERR-6: the call is told as the model wrote it, references and own fields included, values not", async () => {
    const made = asking(
      priceSchema,
      calls(
        ["a", "read_file", { path: "s3cret", _outputPath: "†state.key" }],
        ["b", "boom", { with: "†state.key", _reasoningForCall: "to see" }],
        ["o", "final_output", { price: 1 }],
      ),
    );
    const { errors } = await made.run();
    assert.deepEqual(errors[0]?.call, { _tool: "boom", with: "†state.key", _reasoningForCall: "to see" });
    assert.ok(!JSON.stringify(errors).includes("s3cret"));
  });

  it("C-14: broken JSON that leaves no doubt is read, said, and asked about; what was cut off is not", async () => {
    const asked: string[] = [];
    const model = scriptedModel(
      calls(
        ["fence", "write", '```json\n{"path": "a", "text": "one\ntwo",}\n```'],
        ["comma", "read", '{"path": "a,]", "list": [1, 2,],}'],
        ["cut", "write", '{"path": "b", "text": "half a fi'],
        ["not", "read", "path: a"],
      ),
      says("ok"),
    );
    const received: Params[] = [];
    const made = kit({
      model,
      tools: [
        tool("write", {
          effect: "write",
          run: (_, params) => (received.push(params), { status: "succeeded", content: "" }),
        }),
        tool("read", { run: (_, params) => (received.push(params), { status: "succeeded", content: "" }) }),
      ],
      approve: ({ why }) => (asked.push(why), Promise.resolve({ decision: { kind: "approve" }, by: "person" })),
    });
    const outcome = await made.run();
    assert.deepEqual(
      new Set(received),
      new Set([
        { path: "a", text: "one\ntwo" },
        { path: "a,]", list: [1, 2] },
      ]),
    );
    assert.deepEqual(asked, ["It changes a file. What the model wrote had to be mended first."]);
    const told = Object.fromEntries(outcome.toolResults.map((result) => [result.tool_call_id, result]));
    assert.match(told["fence"]?.content ?? "", /^The arguments were not valid JSON\. They were read as: \{"path":"a"/);
    assert.equal(told["cut"]?.error?.type, "structural");
    assert.match(told["not"]?.content ?? "", /not valid JSON.*Send the call again/);
  });
});
