// A model that only writes text, wrapped so that the whole engine can run on it: requests, history, replies, mistakes.
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonSolutions, type JsonSolutionsOptions } from "../../../src/engine/jsonSolutions.ts";
import type { ModelEvent, ModelRequest } from "../../../src/engine/ports.ts";
import type { AssistantEntry, Message, ToolEntry, UserEntry } from "../../../src/protocol/messages.ts";
import {
  countedIds,
  kit,
  ofType,
  says,
  scriptedModel,
  tool,
  type Script,
  type ScriptedModel,
} from "../../support/kit.ts";
import { solves, writes } from "./solves.ts";

const line = { runId: "r", timestamp: "2026-01-01T00:00:00.000Z" };
const user = (content: string): UserEntry => ({ role: "user", content, id: "u", ...line });
const model = (content: string, more: Partial<AssistantEntry> = {}): AssistantEntry => ({
  role: "assistant",
  content,
  id: "m",
  iteration: 1,
  ...line,
  ...more,
});
const result = (id: string, content: string, more: Partial<ToolEntry> = {}): ToolEntry => ({
  role: "tool",
  tool_call_id: id,
  content,
  id: `t-${id}`,
  name: "read_file",
  status: "succeeded",
  duration: 1,
  ...line,
  ...more,
});
const readFile = {
  name: "read_file",
  description: "Reads.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, from: { type: "number" } },
    required: ["path"],
  },
};
const request = (messages: readonly Message[] = [user("Do it.")], tools = [readFile]): ModelRequest => ({
  system: "You.",
  messages,
  tools,
});

interface Got {
  readonly inner: ScriptedModel;
  readonly events: readonly ModelEvent[];
}

async function ask(
  scripts: readonly Script[],
  asked = request(),
  options: Partial<JsonSolutionsOptions> = {},
): Promise<Got> {
  const inner = scriptedModel(...scripts);
  const events: ModelEvent[] = [];
  const wrapped = jsonSolutions(inner, { ids: countedIds("call"), ...options });
  for await (const event of wrapped.stream(asked, new AbortController().signal)) events.push(event);
  return { inner, events };
}

const turns = ({ inner }: Got, index = 0): [string, string][] =>
  (inner.requests[index]?.messages ?? []).map(({ role, content }) => [role, content]);
const textOf = ({ events }: Got): string => events.map((event) => (event.type === "text" ? event.text : "")).join("");
const typesOf = ({ events }: Got): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
const last = ({ events }: Got): ModelEvent | undefined => events.at(-1);
const call = (path: string): unknown => ({ _tool: "read_file", path });

describe("the request to a model without calls", () => {
  it("LOOP-SCHEMA-1: has no tools; its system prompt explains the Solution, with an example and the schema", async () => {
    const { inner } = await ask([solves({ calls: [], output: "x" })]);
    const [sent] = inner.requests;
    assert.ok(sent);
    assert.deepEqual(sent.tools, []);
    const { system } = sent;
    assert.match(system, /^You\.\n\n# The form of your replies\n/);
    assert.match(system, /To call: \{"calls":\[\{"_tool":"read_file","path":"…"\}\],"output":null\}\n/);
    const schema: unknown = JSON.parse(system.slice(system.lastIndexOf("Solution: ") + "Solution: ".length));
    assert.deepEqual(Object.keys(Object(Object(schema).properties)), ["calls", "output"]);
    assert.ok(system.length < 2600, `${system.length} characters`);
  });

  it("LOOP-SCHEMA-6: parameters may be references when tools can keep their results", async () => {
    const keeping = {
      ...readFile,
      parameters: {
        ...readFile.parameters,
        properties: { ...readFile.parameters.properties, _outputPath: { type: "string" } },
      },
    };
    const system = async (tools: (typeof readFile)[]) =>
      (await ask([solves({ calls: [], output: "x" })], request([user("x")], tools))).inner.requests[0]?.system ?? "";
    assert.match(
      await system([keeping]),
      /"from":\{"anyOf":\[\{"type":"number"\},\{"\$ref":"#\/\$defs\/reference"\}\]\}/,
    );
    assert.doesNotMatch(await system([readFile]), /reference/);
  });

  it("LOOP-ERR-3: turns calls into the Solution that the model wrote, results into data, failures into Error Messages with the whole call", async () => {
    const calls = [
      { id: "a", name: "read_file", arguments: '{"path": "a.ts", "_outputPath": "†state.a"}' },
      { id: "b", name: "run", arguments: "" },
      { id: "c", name: "read_file", arguments: '{"path"' },
      { id: "d", name: "read_file", arguments: '{"path":"d"}' },
    ];
    const got = await ask(
      [solves({ calls: [], output: "x" })],
      request([
        user("Do it."),
        model("I look.", { tool_calls: calls }),
        result("a", "text\n## Data: ¶state"),
        result("b", "no", { name: "run", status: "rejected" }),
        result("c", "not JSON", { status: "failed" }),
        result("d", "not taken", { status: "skipped" }),
        user("And now?"),
      ]),
    );
    const written =
      '{"calls":[{"_tool":"read_file","path": "a.ts", "_outputPath": "†state.a"},{"_tool":"run"},{"_tool":"read_file"},{"_tool":"read_file","path":"d"}],"output":null}';
    assert.deepEqual(turns(got), [
      ["user", "Do it."],
      ["assistant", `I look.\n\n${written}`],
      [
        "user",
        [
          '## Data: ¶result\n{"call":1,"_tool":"read_file","result":"text\\n## Data: ¶state"}',
          '## Data: ¶error\n{"call":{"_tool":"run"},"error":{"type":"rejected","message":"no"}}',
          '## Data: ¶error\n{"call":{"_tool":"read_file","arguments":"{\\"path\\""},"error":{"message":"not JSON"}}',
          '## Data: ¶result\n{"call":4,"_tool":"read_file","status":"skipped","result":"not taken"}',
          "And now?",
        ].join("\n\n"),
      ],
    ]);
    assert.ok(got.inner.requests[0]?.messages.every((message) => message.role !== "assistant" || !message.tool_calls));
  });

  it("LOOP-OUTER-6: shows earlier answers in the same form, and tells of a reply that broke off after its calls", async () => {
    const calls = [{ id: "a", name: "read_file", arguments: "{}" }];
    const got = await ask(
      [solves({ calls: [], output: "x" })],
      request([
        user("One."),
        model('The "answer".'),
        user("Two."),
        model("Half", { interrupted: true }),
        user("Three."),
        model("", { tool_calls: calls, interrupted: true }),
        result("a", "A"),
      ]),
    );
    const shown = turns(got);
    assert.deepEqual(shown[1], ["assistant", '{"calls":[],"output":"The \\"answer\\"."}']);
    assert.deepEqual(shown[3], ["assistant", "Half"]);
    assert.match(shown[6]?.[1] ?? "", /^Your last reply broke off .*\n\n## Data: ¶result\n/);
  });

  it("LOOP-OUTER-6: turns of user and model alternate, whatever the conversation was", async () => {
    const message = fc.constantFrom<Message>(
      user("u"),
      model("m"),
      model("", { tool_calls: [{ id: "a", name: "x", arguments: "{}" }] }),
      result("a", "r"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
        // As the engine gives it: results follow their calls, and no two replies follow each other.
        const list = messages.filter(
          (one, index) => one.role !== "assistant" || messages[index - 1]?.role !== "assistant",
        );
        const got = await ask([solves({ calls: [], output: "x" })], request([user("first"), ...list]));
        const roles = turns(got).map(([role]) => role);
        assert.ok(
          roles.every((role, index) => role !== roles[index - 1]),
          roles.join(),
        );
      }),
    );
  });

  it("LOOP-OUTER-8: without tools, calls and handlers the request goes through untouched", async () => {
    const asked = request([user("Hi."), model("Hello."), user("Name a set.")], []);
    const got = await ask([says('{x} or {"calls": []}')], asked);
    assert.deepEqual(got.inner.requests, [asked]);
    assert.equal(textOf(got), '{x} or {"calls": []}');
  });

  it("LOOP-OUTER-8: when calls are no longer allowed, what the model still calls is not given out", async () => {
    const calls = [{ id: "a", name: "read_file", arguments: "{}" }];
    const asked = request([user("Do it."), model("", { tool_calls: calls }), result("a", "A")], []);
    const got = await ask(
      [solves({ calls: [call("a")], output: null }), solves({ calls: [], output: "Half is done." })],
      asked,
    );
    assert.match(got.inner.requests[0]?.system ?? "", /"calls":\{"type":"array","maxItems":0\}/);
    assert.match(turns(got, 1).at(-1)?.[1] ?? "", /^You have no tools now/);
    assert.deepEqual([textOf(got), last(got)], ["Half is done.", { type: "finish", reason: "stop" }]);
    assert.ok(!typesOf(got).includes("call"));
  });
});

describe("the reply of a model without calls", () => {
  it("LOOP-STREAM-1: becomes calls, each announced before it is complete", async () => {
    const got = await ask([solves({ calls: [call("a"), call("b")], output: null })]);
    assert.deepEqual(got.events, [
      { type: "call:start", id: "call-1", name: "read_file" },
      { type: "call", call: { id: "call-1", name: "read_file", arguments: '{"path":"a"}' } },
      { type: "call:start", id: "call-2", name: "read_file" },
      { type: "call", call: { id: "call-2", name: "read_file", arguments: '{"path":"b"}' } },
      { type: "usage", usage: { input: 10, output: 5 } },
      { type: "finish", reason: "calls" },
    ]);
  });

  it("LOOP-OUTER-3: becomes text as the output streams, or the output's JSON", async () => {
    const text = await ask([solves({ calls: [], output: 'Done, with "quotes"\nand lines.' })]);
    assert.equal(textOf(text), 'Done, with "quotes"\nand lines.');
    assert.ok(text.events.filter(({ type }) => type === "text").length > 2);
    assert.deepEqual(last(text), { type: "finish", reason: "stop" });
    const data = await ask([solves({ calls: [], output: { n: [1] } })], request(), { output: { type: "object" } });
    assert.equal(textOf(data), '{"n":[1]}');
  });

  it("LOOP-OUTER-4: with calls and an output finishes with stop", async () => {
    const got = await ask([solves({ calls: [call("a")], output: "Done." })]);
    assert.deepEqual(typesOf(got), ["call:start", "call", "text", "usage", "finish"]);
    assert.deepEqual(last(got), { type: "finish", reason: "stop" });
  });

  it("LOOP-OUTER-3: in plain words is the answer; words before a Solution stay apart from it", async () => {
    const plain = await ask([writes("It is done.")]);
    assert.deepEqual([textOf(plain), last(plain)], ["It is done.", { type: "finish", reason: "stop" }]);
    const both = await ask([writes('So:\n```json\n{"calls":[],"output":"Done."}\n```')]);
    assert.equal(textOf(both), "So:\n\nDone.");
    const data = await ask([writes('So: {"calls":[],"output":{}}')], request(), { output: { type: "object" } });
    assert.equal(textOf(data), "{}");
    assert.deepEqual(data.events.filter(({ type }) => type === "thinking").length > 0, true);
  });

  it("LOOP-OUTER-3: data without its wrapping is the answer where data is asked for", async () => {
    const got = await ask([writes('{"n":1}')], request(), { output: { type: "object" } });
    assert.deepEqual([textOf(got), last(got)], ['{"n":1}', { type: "finish", reason: "stop" }]);
  });

  it("LOOP-STREAM-5: passes on what fails, and ends without a last event after an abort", async () => {
    const failure: ModelEvent = {
      type: "error",
      failure: { code: "rate_limited", status: 429, message: "Slow.", next: "Wait." },
      retryable: true,
    };
    const failed = await ask([[{ type: "text", text: '{"calls":[{"_tool":"x"}' }, failure]]);
    assert.deepEqual(last(failed), failure);
    assert.deepEqual(typesOf(failed), ["call:start", "call", "error"]);
    assert.deepEqual((await ask([[{ type: "text", text: '{"calls":[' }]])).events, []);
  });

  it("LOOP-OUTER-8: cut at the model's limit or refused it finishes so, and is not sent back", async () => {
    const cut = (reason: "length" | "refusal"): ModelEvent[] => [
      { type: "text", text: '{"calls":[],"output":"half' },
      { type: "finish", reason },
    ];
    for (const reason of ["length", "refusal"] as const) {
      const got = await ask([cut(reason)]);
      assert.deepEqual([textOf(got), last(got)], ["half", { type: "finish", reason }]);
    }
  });

  it("LOOP-OUTER-3: passes thinking, usage, retries and what the provider wants back through", async () => {
    const through: ModelEvent[] = [
      { type: "thinking", text: "hm" },
      { type: "retry", attempt: 1, delay: 5, reason: "x" },
      { type: "provider", data: { a: 1 } },
    ];
    const got = await ask([[...through, ...solves({ calls: [], output: "ok" })]]);
    assert.deepEqual(got.events.slice(0, through.length), through);
    assert.deepEqual([textOf(got), got.events.at(-2)], ["ok", { type: "usage", usage: { input: 10, output: 5 } }]);
  });
});

describe("a reply that is no Solution", () => {
  const bad: readonly (readonly [string, string, RegExp])[] = [
    ["malformed", '{"calls":[{"_tool":"read_file","path":"a" "b"}]}', /a comma or \} must follow the value/],
    ["cut", '{"calls":[{"_tool":"read_file","path":"a', /ends before the Solution does/],
    ["without calls and output", '{"calls":[],"output":null}', /neither calls nor an output/],
    ["another object", '{"action":"read_file"}', /no Solution: it has neither/],
    ["empty", "", /was empty/],
  ];
  for (const [name, text, sentence] of bad)
    it(`C-01: ${name} is sent back once with what is wrong, and what then comes is the reply`, async () => {
      const got = await ask([writes(text), solves({ calls: [call("a")], output: null })]);
      assert.equal(got.inner.requests.length, 2);
      const shown = turns(got, 1);
      assert.deepEqual(shown[0]?.[0], "user");
      if (text !== "") assert.deepEqual(shown[1], ["assistant", text]);
      assert.match(shown.at(-1)?.[1] ?? "", sentence);
      const calls = got.events.filter((event) => event.type === "call");
      const announced = got.events.filter((event) => event.type === "call:start");
      assert.equal(calls.length, 1);
      assert.deepEqual(
        announced.map(({ id }) => id),
        calls.map(({ call }) => call.id),
        "no card without a call",
      );
      assert.deepEqual(last(got), { type: "finish", reason: "calls" });
    });

  for (const [name, text] of bad)
    it(`C-01: ${name} twice is an error that says what the model was told`, async () => {
      const got = await ask([writes(text), writes(text)]);
      const event = last(got);
      assert.ok(event?.type === "error" && !event.retryable);
      assert.equal(event.failure.code, "reply_malformed");
      assert.match(event.failure.message, /^The model did not keep to the form .*“Your .*\.”$/s);
    });

  it("C-01: can be left to the engine at once", async () => {
    const got = await ask([writes('{"calls":[],"output":null}')], request(), { corrections: 0 });
    assert.deepEqual([got.inner.requests.length, last(got)?.type], [1, "error"]);
  });

  it("LOOP-STREAM-5: is not asked for again when calls of it have run or its answer was shown", async () => {
    const afterCall = await ask([writes('{"calls":[{"_tool":"read_file","path":"a"},{"_tool"')]);
    assert.deepEqual(typesOf(afterCall), ["call:start", "call", "usage", "error"]);
    assert.ok(last(afterCall)?.type === "error");
    assert.equal(Object(last(afterCall)).retryable, true);
    const afterText = await ask([writes('{"calls":[],"output":"half')]);
    assert.deepEqual([textOf(afterText), Object(last(afterText)).retryable], ["half", false]);
  });

  it("C-01: is repeated to the model only in part when it is very long", async () => {
    const got = await ask([
      writes(`{"calls":[{"_tool":"x","a":"${"y".repeat(50_000)}`, 999),
      solves({ calls: [], output: "ok" }),
    ]);
    assert.ok((turns(got, 1)[1]?.[1].length ?? 0) < 9000);
  });
});

describe("the engine on a model without calls", () => {
  const look = tool("look", {
    run: (_context, { path }) => ({
      status: "succeeded",
      content: `in ${String(path)}`,
      value: `value of ${String(path)}`,
    }),
  });

  it("LOOP-OUTER-1: two calls, one with the other's result, then an output", async () => {
    const seen: unknown[] = [];
    const use = tool("use", {
      run: (_context, { from }) => {
        seen.push(from);
        return { status: "succeeded", content: "used" };
      },
    });
    const inner = scriptedModel(
      solves({
        calls: [
          { _tool: "look", path: "a", _outputPath: "†state.a" },
          { _tool: "use", from: "†state.a" },
        ],
        output: null,
      }),
      solves({ calls: [], output: "Both are done." }),
    );
    const made = kit({ model: jsonSolutions(inner, { ids: countedIds("call") }), tools: [look, use] });
    const outcome = await made.run();
    assert.deepEqual([outcome.status, outcome.output, outcome.iterations], ["completed", "Both are done.", 2]);
    assert.deepEqual(seen, ["value of a"]);
    assert.deepEqual(
      outcome.toolResults.map(({ status }) => status),
      ["succeeded", "succeeded"],
    );
    const second = inner.requests[1]?.messages.map(({ role, content }) => [role, content]);
    assert.deepEqual(second, [
      ["user", "Do it."],
      [
        "assistant",
        '{"calls":[{"_tool":"look","path":"a","_outputPath":"†state.a"},{"_tool":"use","from":"†state.a"}],"output":null}',
      ],
      [
        "user",
        '## Data: ¶result\n{"call":1,"_tool":"look","result":"in a\\n\\nKept as †state.a."}\n\n## Data: ¶result\n{"call":2,"_tool":"use","result":"used"}',
      ],
    ]);
    // What is kept is a conversation like any other: another model can go on from it.
    assert.deepEqual(outcome.toolCalls[0], {
      id: "call-1",
      name: "look",
      arguments: '{"path":"a","_outputPath":"†state.a"}',
    });
  });

  it("C-33: a reply that is sent back is paid with the one that takes its place, which alone fills the window", async () => {
    const inner = scriptedModel(writes("{"), solves({ calls: [], output: "Done." }));
    const made = kit({ model: jsonSolutions(inner, { ids: countedIds("call") }), tools: [look] });
    const { usage } = await made.run();
    assert.deepEqual(usage, { input: 20, output: 10 });
    assert.deepEqual(ofType(made.events, "message:end")[0]?.usage, { input: 10, output: 5 });
  });

  it("LOOP-STREAM-2: a call runs while the rest of the Solution is still to come", async () => {
    const order: string[] = [];
    const early = tool("early", {
      run: () => {
        order.push("ran");
        return { status: "succeeded", content: "" };
      },
    });
    const inner = scriptedModel(
      async function* () {
        yield { type: "text", text: '{"calls":[{"_tool":"early"}' };
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        order.push("went on");
        yield { type: "text", text: '],"output":null}' };
        yield { type: "finish", reason: "calls" };
      },
      solves({ calls: [], output: "ok" }),
    );
    await kit({ model: jsonSolutions(inner, { ids: countedIds() }), tools: [early] }).run();
    assert.deepEqual(order, ["ran", "went on"]);
  });

  it("LOOP-STREAM-5: a Solution that breaks after a call goes on from its result, and the model is told", async () => {
    const inner = scriptedModel(
      writes('{"calls":[{"_tool":"look","path":"a"},{"_tool":"look" "path"'),
      solves({ calls: [], output: "ok" }),
    );
    const made = kit({ model: jsonSolutions(inner, { ids: countedIds("call") }), tools: [look] });
    assert.equal((await made.run()).output, "ok");
    assert.equal(ofType(made.events, "tool:end").length, 1);
    assert.match(
      inner.requests[1]?.messages.at(-1)?.content ?? "",
      /^Your last reply broke off .*## Data: ¶result\n\{"call":1/s,
    );
  });

  it("LOOP-HITL-6: a rejection reaches the model as an Error Message with the call", async () => {
    const inner = scriptedModel(
      solves({ calls: [{ _tool: "write", path: "a" }], output: null }),
      solves({ calls: [], output: "ok" }),
    );
    const made = kit({
      model: jsonSolutions(inner, { ids: countedIds() }),
      tools: [tool("write", { effect: "write" })],
      approve: () => Promise.resolve({ decision: { kind: "reject", reason: "not there" }, by: "person" }),
    });
    await made.run();
    assert.equal(
      inner.requests[1]?.messages.at(-1)?.content,
      '## Data: ¶error\n{"call":{"_tool":"write","path":"a"},"error":{"type":"rejected","message":"Rejected by the person: not there"}}',
    );
  });
});
