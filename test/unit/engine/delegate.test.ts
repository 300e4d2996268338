// A run inside a run: what it sees, what it may, what comes back, how deep it goes, and what is kept of it.
import assert from "node:assert/strict";
import type { PendingCall, ModelRequest } from "../../../src/engine/ports.ts";
import { conversation } from "../../../src/engine/conversation.ts";
import { runAgentTool } from "../../../src/tools/runAgent.ts";
import { replay } from "../../../src/protocol/replay.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit, type Script } from "../../support/kit.ts";

const agents = {
  reader: { identity: "You only read.", tools: ["read_file", "run_agent"] },
  writer: { identity: "You write." },
  pricer: { identity: "You price.", output: { type: "object", properties: { price: { type: "number" } } } },
};

/** The main run's scripts and those of its delegates come from one list: the order of requests is known. */
function delegating(
  ...scripts: readonly Script[]
): Kit & { model: ReturnType<typeof scriptedModel>; asked: PendingCall[] } {
  const model = scriptedModel(...scripts);
  const asked: PendingCall[] = [];
  const made = kit({
    model,
    agents,
    tools: [
      tool("read_file", { run: () => ({ status: "succeeded", content: "the text" }) }),
      tool("write_file", { effect: "write" }),
      runAgentTool(Object.keys(agents).map((id) => ({ id, description: "" }))),
    ],
    ports: { memory: { read: () => Promise.resolve("a secret of the memory") } },
    approve: (call) => (asked.push(call), Promise.resolve({ decision: { kind: "approve" }, by: "person" })),
  });
  return { ...made, model, asked };
}

const seen = ({ system, messages }: ModelRequest): string => JSON.stringify([system, messages]);

describe("a delegate", () => {
  it("LOOP-DEL-1: sees its own instructions, the task and the data it is given, and nothing else", async () => {
    const made = delegating(
      calls(
        ["a", "read_file", { path: "x", _outputPath: "†state.text" }],
        ["b", "read_file", { path: "y", _outputPath: "†note.other" }],
      ),
      calls(["d", "run_agent", { agent: "reader", task: "Count the words.", _scopes: ["state"] }]),
      says("Two."),
      says("There are two."),
    );
    const outcome = await made.run({ message: "The person's own words." });
    assert.equal(outcome.output, "There are two.");
    const child = made.model.requests[2];
    assert.ok(child);
    assert.match(child.system, /You only read/);
    assert.deepEqual(
      child.messages.map(({ role, content }) => [role, content]),
      [["user", 'Count the words.\n\n## Data: ¶state\n{"text":"the text"}']],
    );
    assert.doesNotMatch(seen(child), /own words|memory|note/);
    assert.deepEqual(
      child.tools.map(({ name }) => name),
      ["read_file", "run_agent"],
    );
  });

  it("LOOP-DEL-2: an anonymous one starts with its task alone", async () => {
    const made = delegating(calls(["d", "run_agent", { task: "Say hello." }]), says("hello"), says("ok"));
    await made.run();
    const child = made.model.requests[1];
    assert.deepEqual(
      child?.messages.map(({ content }) => content),
      ["Say hello."],
    );
  });

  it("LOOP-DEL-3: its answer, or its output by a schema, is the call's value", async () => {
    const made = delegating(
      calls(
        ["d", "run_agent", { agent: "pricer", task: "Price it.", _outputPath: "†state.p" }],
        ["w", "read_file", { path: "†state.p.price" }],
      ),
      calls(["o", "final_output", { price: 5 }]),
      says("ok"),
    );
    const outcome = await made.run();
    assert.equal(outcome.toolResults.find(({ tool_call_id: id }) => id === "w")?.status, "succeeded");
    assert.match(outcome.toolResults.find(({ tool_call_id: id }) => id === "d")?.content ?? "", /^\{"price":5\}/);
    const ready = ofType(made.events, "call:ready").find(({ toolCallId }) => toolCallId === "w");
    assert.deepEqual(ready?.params, { path: 5 });
  });

  it("LOOP-DEL-4: has no tool that its caller lacks, asks like its caller, and says which call it works for", async () => {
    const made = delegating(
      calls(
        ["d", "run_agent", { agent: "reader", task: "Try." }],
        ["e", "run_agent", { agent: "writer", task: "Write." }],
      ),
      (request) =>
        request.system.includes("only read")
          ? toStream(calls(["w", "write_file", {}]))
          : toStream(calls(["w", "write_file", {}])),
      () => toStream(calls(["w", "write_file", {}])),
      () => toStream(says("done")),
      () => toStream(says("done")),
      says("ok"),
    );
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    const ends = new Map(ofType(made.events, "tool:end").map(({ toolCallId, result }) => [toolCallId, result]));
    assert.match(ends.get("d/w") ?? "", /no tool named write_file/);
    assert.equal(ends.get("e/w"), "write_file done");
    assert.deepEqual(
      made.asked.map(({ toolCallId }) => toolCallId),
      ["e/w"],
    );
    const streaming = ofType(made.events, "call:streaming").map(({ toolCallId, within }) => [toolCallId, within]);
    assert.ok(streaming.some(([id, within]) => id === "d/w" && within === "d"));
  });

  it("LOOP-DEL-4: five deep, and no deeper", async () => {
    const down = (n: number): Script => calls([`d${n}`, "run_agent", { task: "Deeper." }]);
    const made = delegating(
      down(1),
      down(2),
      down(3),
      down(4),
      down(5),
      ...Array.from({ length: 5 }, () => says("up")),
    );
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    const deepest = ofType(made.events, "tool:end").find(({ toolCallId }) => toolCallId === "d1/d2/d3/d4/d5");
    assert.match(deepest?.result ?? "", /nested 5 deep/);
    assert.equal(made.model.requests.length, 10);
  });

  it("LOOP-DEL-4: what it uses is its caller's, and stopping stops it", async () => {
    const made = delegating(calls(["d", "run_agent", { task: "Say hello." }]), says("hello"), says("ok"));
    assert.deepEqual((await made.run()).usage, { input: 30, output: 9 });
    const hanging = delegating(calls(["d", "run_agent", { task: "Hang." }]), async function* (_, signal) {
      yield { type: "text", text: "I think" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    });
    const run = hanging.start();
    await hanging.clock.advance(100);
    run.stop();
    await hanging.clock.advance(3_000);
    const outcome = await run.result;
    assert.equal(outcome.status, "aborted");
    assert.equal(outcome.toolResults[0]?.status, "cancelled");
    assert.equal(hanging.locked(), false);
  });

  it("LOOP-DEL-5: it is named, never reached by a path or an address", async () => {
    for (const agent of ["../../etc/agent", "/etc/passwd", "http://127.0.0.1/agent", "nobody"]) {
      const made = delegating(calls(["d", "run_agent", { agent, task: "x" }]), says("ok"));
      const outcome = await made.run();
      assert.equal(outcome.toolResults[0]?.status, "failed");
      assert.match(outcome.toolResults[0].content, /There is no agent/);
    }
  });

  it("its own limits end it, not its caller; what failed in it is told", async () => {
    const again = (n: number): Script => calls([`r${n}`, "read_file", { path: `${n}` }]);
    const made = kit({
      model: scriptedModel(
        calls(["d", "run_agent", { agent: "short", task: "x" }]),
        again(1),
        says("So far."),
        says("ok"),
      ),
      agents: { short: { limits: { maxToolIterations: 1 } } },
      tools: [tool("read_file"), runAgentTool([{ id: "short", description: "" }])],
    });
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    assert.equal(outcome.toolResults[0]?.content, "short did not finish. It has used all of its rounds.\n\nSo far.");
  });

  it("what it says is live output of its call; its lines are kept, shown again as they were, and no part of the conversation", async () => {
    const made = delegating(
      calls(["d", "run_agent", { agent: "reader", task: "Read." }]),
      [{ type: "text", text: "Reading." }, ...calls(["r", "read_file", { path: "x" }])],
      says("It says: the text."),
      says("ok"),
    );
    await made.run();
    const output = ofType(made.events, "tool:output").map(({ toolCallId, chunk }) => [toolCallId, chunk]);
    assert.deepEqual(output, [
      ["d", "Reading."],
      ["d", "\n"],
      ["d", "It says: the text."],
    ]);
    assert.deepEqual(
      conversation(made.lines).map(({ role }) => role),
      ["user", "assistant", "tool", "assistant"],
    );
    const live = made.events.reduce(reduce, emptyView).turns[0]?.items;
    const again = replay(made.lines, { id: "id-2", title: "Do it." }).reduce(reduce, emptyView).turns[0]?.items;
    const shape = (items: typeof live) =>
      items?.map((item) => (item.kind === "call" ? [item.id, item.within, item.state] : item.kind));
    assert.deepEqual(shape(again), shape(live));
    assert.deepEqual(shape(live)?.slice(0, 2), [
      ["d", null, "succeeded"],
      ["d/r", "d", "succeeded"],
    ]);
  });
});

async function* toStream<T>(events: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* events;
}
