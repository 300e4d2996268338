// Calls of one reply: order on a resource, parallel elsewhere, decisions, refusals, stops.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Approval, PendingCall } from "../../../src/engine/ports.ts";
import type { CallStatus, Decision } from "../../../src/protocol/messages.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { calls, kit, ofType, pathOf, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

/** An approve port whose answers are given later, by call id. */
function person() {
  const waiting = new Map<string, (approval: Approval) => void>();
  const asked: PendingCall[] = [];
  return {
    asked,
    approve: (call: PendingCall) =>
      new Promise<Approval>((resolve) => {
        asked.push(call);
        waiting.set(call.toolCallId, resolve);
      }),
    decide(id: string, decision: Decision) {
      const resolve = waiting.get(id);
      assert.ok(resolve, `${id} is not waiting`);
      waiting.delete(id);
      resolve({ decision, by: "person" });
    },
    waiting: () => [...waiting.keys()],
  };
}

const writes = (name = "write_file") =>
  tool(name, { effect: "write", touches: (params) => ({ writes: [pathOf(params)] }) });
const statuses = (made: Kit): [string, CallStatus][] =>
  ofType(made.events, "tool:end").map((event) => [event.toolCallId, event.status]);
const results = (made: Kit): Record<string, string> =>
  Object.fromEntries(ofType(made.events, "tool:end").map((event) => [event.toolCallId, event.result]));

describe("the calls of a reply", () => {
  it("LOOP-HITL-9: all ready calls wait at once and are decided in any order", async () => {
    const you = person();
    const made = kit({
      model: scriptedModel(
        calls(
          ["a", "write_file", { path: "1" }],
          ["b", "write_file", { path: "2" }],
          ["c", "write_file", { path: "3" }],
        ),
        says("ok"),
      ),
      tools: [writes()],
      approve: you.approve,
    });
    const result = made.run();
    await made.clock.advance(0);
    assert.deepEqual(you.waiting(), ["a", "b", "c"]);
    you.decide("c", { kind: "approve" });
    you.decide("a", { kind: "reject", reason: "not this file" });
    you.decide("b", { kind: "modify", params: { path: "9" } });
    assert.equal((await result).status, "completed");
    assert.deepEqual(
      new Map(statuses(made)),
      new Map([
        ["c", "succeeded"],
        ["a", "rejected"],
        ["b", "succeeded"],
      ]),
    );
    assert.equal(results(made)["a"], "Rejected by the person: not this file");
    assert.match(
      results(made)["b"] ?? "",
      /^Changed by the person before it ran\. It ran with: \{"path":"9"\}\n\nwrite_file done$/,
    );
  });

  it("LOOP-HITL-4: changed parameters that are refused are asked again, with the problem", async () => {
    const you = person();
    const made = kit({
      model: scriptedModel(calls(["a", "write_file", { path: "1" }]), says("ok")),
      tools: [
        tool("write_file", {
          effect: "write",
          prepare: ({ path }) => (path === "../x" ? { kind: "refused", status: "denied", content: "outside" } : null),
        }),
      ],
      approve: you.approve,
    });
    const result = made.run();
    await made.clock.advance(0);
    you.decide("a", { kind: "modify", params: { path: "../x" } });
    await made.clock.advance(0);
    assert.deepEqual(you.waiting(), ["a"]);
    assert.equal(ofType(made.events, "call:decided")[0]?.problem, "outside");
    assert.equal(ofType(made.events, "tool:start").length, 0);
    you.decide("a", { kind: "approve" });
    await result;
    assert.deepEqual(statuses(made), [["a", "succeeded"]]);
  });

  it("LOOP-HITL-5, LOOP-HITL-7: a replaced call runs the other tool under the same id, and the model is told", async () => {
    const you = person();
    const made = kit({
      model: scriptedModel(calls(["a", "write_file", { path: "1" }]), says("ok")),
      tools: [writes(), tool("read_file")],
      approve: you.approve,
    });
    const result = made.run();
    await made.clock.advance(0);
    you.decide("a", { kind: "replace", call: { name: "read_file", params: { path: "2" } } });
    await result;
    assert.match(results(made)["a"] ?? "", /^Replaced by the person.*read_file \{"path":"2"\}\n\nread_file done$/s);
  });

  it("LOOP-INNER-8: calls on one file keep their order, and a command waits for the edits before it", async () => {
    const you = person();
    const made = kit({
      model: scriptedModel(
        calls(
          ["a", "write_file", { path: "1" }],
          ["b", "write_file", { path: "1" }],
          ["c", "run_command", {}],
          ["d", "write_file", { path: "2" }],
        ),
        says("ok"),
      ),
      tools: [writes(), tool("run_command", { effect: "run" })],
      approve: you.approve,
    });
    const result = made.run();
    await made.clock.advance(0);
    assert.deepEqual(you.waiting(), ["a"], "b waits for a; c for both; d was written after the command");
    assert.deepEqual(
      ofType(made.events, "call:blocked").map(({ toolCallId, waitsFor }) => [toolCallId, waitsFor]),
      [
        ["b", ["a"]],
        ["c", ["a", "b"]],
        ["d", ["c"]],
      ],
    );
    for (const id of ["a", "b", "c", "d"]) {
      assert.deepEqual(you.waiting(), [id]);
      you.decide(id, { kind: "approve" });
      await made.clock.advance(0);
    }
    await result;
    assert.deepEqual(
      statuses(made).map(([id]) => id),
      ["a", "b", "c", "d"],
    );
  });

  it("LOOP-STREAM-2: a call runs while the model still speaks", async () => {
    const order: string[] = [];
    const made = kit({
      model: scriptedModel(async function* () {
        yield* calls(["a", "read_file", {}]).slice(0, 2);
        await new Promise<void>((resolve) => void made.clock.after(1_000, resolve));
        order.push("stream goes on");
        yield { type: "finish", reason: "calls" };
      }, says("ok")),
      tools: [tool("read_file", { run: () => (order.push("ran"), { status: "succeeded", content: "" }) })],
    });
    const result = made.run();
    await made.clock.advance(2_000);
    await result;
    assert.deepEqual(order, ["ran", "stream goes on"]);
    assert.deepEqual(made.lines.map((line) => ("role" in line ? line.role : line.type)).slice(0, 3), [
      "user",
      "assistant",
      "tool",
    ]);
  });

  it("LOOP-STREAM-4: early start can be narrowed to reads, or switched off", async () => {
    for (const [earlyStart, early] of [
      ["all", ["r", "w"]],
      ["read", ["r"]],
      ["off", []],
    ] as const) {
      const started: string[] = [];
      let before: readonly string[] = [];
      const seen = (id: string) => () => {
        started.push(id);
        return { status: "succeeded", content: "" } as const;
      };
      const made: Kit = kit({
        model: scriptedModel(async function* () {
          yield* calls(["r", "read_file", {}], ["w", "write_file", {}]).slice(0, 4);
          await new Promise<void>((resolve) => void made.clock.after(1_000, resolve));
          before = [...started];
          yield { type: "finish", reason: "calls" };
        }, says("ok")),
        tools: [tool("read_file", { run: seen("r") }), tool("write_file", { effect: "write", run: seen("w") })],
        config: { earlyStart },
      });
      const result = made.run();
      await made.clock.advance(2_000);
      assert.equal((await result).status, "completed");
      assert.deepEqual(before, early, earlyStart);
      assert.deepEqual(started, ["r", "w"]);
    }
  });

  it("LOOP-INNER-7: at most eight calls are at work at the same time", async () => {
    let now = 0;
    let peak = 0;
    const made = kit({
      model: scriptedModel(
        calls(...Array.from({ length: 20 }, (_, n) => [`c${n}`, "read_file", {}] as const)),
        says("ok"),
      ),
      tools: [
        tool("read_file", {
          run: () => {
            peak = Math.max(peak, ++now);
            return new Promise(
              (resolve) => void made.clock.after(10, () => (now--, resolve({ status: "succeeded", content: "" }))),
            );
          },
        }),
      ],
    });
    const result = made.run();
    await made.clock.advance(1_000);
    await result;
    assert.equal(peak, 8);
  });

  it("C-17, LOOP-ERR-1: unknown tools, broken JSON and refusals are results, and the run goes on", async () => {
    const made = kit({
      model: scriptedModel(
        calls(
          ["a", "fly", {}],
          ["b", "read_file", '{"path":'],
          ["c", "read_file", "[1]"],
          ["d", "read_file", ""],
          ["e", "outside", {}],
        ),
        says("ok"),
      ),
      tools: [
        tool("read_file"),
        tool("outside", { prepare: () => ({ kind: "refused", status: "denied", content: "../x is outside." }) }),
      ],
    });
    assert.equal((await made.run()).status, "completed");
    assert.match(results(made)["a"] ?? "", /no tool named fly.*read_file, outside/);
    assert.match(results(made)["b"] ?? "", /not valid JSON/);
    assert.match(results(made)["c"] ?? "", /one JSON object/);
    assert.equal(results(made)["d"], "read_file done");
    assert.equal(results(made)["e"], "Denied: ../x is outside.");
    assert.deepEqual(new Set(statuses(made).map(([, status]) => status)), new Set(["failed", "denied", "succeeded"]));
  });

  it("LOOP-ERR-7, BRAIN-EXEC-6: a tool that throws, anything and anyhow, is a failed result", async () => {
    const made = kit({
      model: scriptedModel(calls(["a", "sync", {}], ["b", "async", {}], ["c", "odd", {}]), says("ok")),
      tools: [
        tool("sync", {
          run: () => {
            throw new Error("sync boom");
          },
        }),
        tool("async", { run: () => Promise.reject(new Error("async boom")) }),
        tool("odd", { run: () => Promise.reject("text") }),
      ],
    });
    assert.equal((await made.run()).status, "completed");
    assert.deepEqual(results(made), {
      a: "sync failed: sync boom",
      b: "async failed: async boom",
      c: "odd failed: text",
    });
  });

  it("BRAIN-EXEC-5: a call that takes too long is stopped, also when it ignores its signal", async () => {
    const never = new Promise<never>(() => undefined);
    let signalled = false;
    const made = kit({
      model: scriptedModel(calls(["a", "deaf", {}], ["b", "heeds", {}]), says("ok")),
      tools: [
        tool("deaf", { run: () => never }),
        tool("heeds", {
          timeout: 5_000,
          run: ({ signal }) =>
            new Promise((resolve) =>
              signal.addEventListener(
                "abort",
                () => ((signalled = true), resolve({ status: "failed", content: "half" })),
              ),
            ),
        }),
      ],
    });
    const result = made.run();
    await made.clock.advance(40_000);
    assert.equal((await result).status, "completed");
    assert.deepEqual(results(made), { b: "Timed out after 5 s.\n\nhalf", a: "Timed out after 30 s." });
    assert.ok(signalled);
  });

  it("C-35: the time of a call and of the run stands still while its person types, and says when it waits", async () => {
    let answer = (_text: string): void => undefined;
    const made = kit({
      model: scriptedModel(calls(["a", "asks", {}]), says("ok")),
      tools: [
        tool("asks", {
          run: async ({ enter, signal }) => {
            const first = await enter("Name? ", signal);
            return { status: "succeeded", content: String(first) };
          },
        }),
      ],
      ports: { enter: () => new Promise((resolve) => (answer = resolve)) },
    });
    const result = made.run();
    await made.clock.advance(10 * loopDefaults.executionTimeout);
    answer("Ada");
    assert.equal((await result).status, "completed");
    assert.deepEqual(results(made), { a: "Ada" });
    assert.deepEqual(
      ofType(made.events, "call:input").map(({ toolCallId, prompt }) => [toolCallId, prompt]),
      [
        ["a", "Name? "],
        ["a", null],
      ],
    );
  });

  it("gives an end of input where nobody is there to type", async () => {
    const asks = tool("asks", {
      run: async ({ enter, signal }) => ({ status: "succeeded", content: String(await enter("?", signal)) }),
    });
    const made = kit({ model: scriptedModel(calls(["a", "asks", {}]), says("ok")), tools: [asks] });
    await made.run();
    assert.deepEqual(results(made), { a: "null" });
    assert.deepEqual(ofType(made.events, "call:input"), []);
  });

  it("LOOP-HITL-12, BRAIN-EXEC-9: stop ends waiting, blocked and running calls, deaf ones after two seconds", async () => {
    const you = person();
    const made = kit({
      model: scriptedModel(
        calls(["a", "deaf", {}], ["b", "write_file", { path: "1" }], ["c", "write_file", { path: "1" }]),
      ),
      tools: [tool("deaf", { run: () => new Promise<never>(() => undefined) }), writes()],
      approve: you.approve,
    });
    const run = made.start();
    await made.clock.advance(10);
    run.stop();
    await made.clock.advance(2_000);
    const outcome = await run.result;
    assert.equal(outcome.status, "aborted");
    assert.deepEqual(
      new Set(statuses(made)),
      new Set([
        ["b", "cancelled"],
        ["c", "cancelled"],
        ["a", "cancelled"],
      ] as const),
    );
    assert.deepEqual(
      made.lines.filter((line) => "role" in line && line.role === "tool").map((line) => line["status"]),
      ["cancelled", "cancelled", "cancelled"],
    );
    assert.equal(made.locked(), false);
  });

  it("shows the model's own reason and keeps engine fields away from the tool", async () => {
    const you = person();
    let seen: unknown;
    const made = kit({
      model: scriptedModel(calls(["a", "write_file", { path: "1", _reasoningForCall: "because" }]), says("ok")),
      tools: [
        tool("write_file", {
          effect: "write",
          run: (_, params) => ((seen = params), { status: "succeeded", content: "" }),
        }),
      ],
      approve: you.approve,
    });
    const result = made.run();
    await made.clock.advance(0);
    assert.equal(ofType(made.events, "call:pending")[0]?.reason, "because");
    you.decide("a", { kind: "approve" });
    await result;
    assert.deepEqual(seen, { path: "1" });
  });

  it("BRAIN-EVT-4, LOOP-INNER-6: any mix of calls, decisions and a stop at any instant: each call ends once, paired, nothing hangs", async () => {
    const oneCall = fc.record({
      tool: fc.constantFrom("read_file", "write_file", "run_command", "fly"),
      path: fc.constantFrom("1", "2"),
      latency: fc.integer({ min: 0, max: 50 }),
      decision: fc.constantFrom("approve", "reject", "modify"),
      thinks: fc.integer({ min: 0, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(oneCall, { maxLength: 8 }),
        fc.option(fc.integer({ min: 0, max: 300 })),
        async (list, stopAt) => {
          const latency = (params: Record<string, unknown>) =>
            new Promise<{ status: "succeeded"; content: string }>(
              (resolve) =>
                void made.clock.after(Number(params["latency"]), () =>
                  resolve({ status: "succeeded", content: "done" }),
                ),
            );
          const touching = (params: Record<string, unknown>) => [pathOf(params)];
          const made: Kit = kit({
            model: scriptedModel(calls(...list.map((one, n) => [`c${n}`, one.tool, { ...one }] as const)), says("ok")),
            tools: [
              tool("read_file", {
                touches: (params) => ({ reads: touching(params) }),
                run: (_, params) => latency(params),
              }),
              tool("write_file", {
                effect: "write",
                touches: (params) => ({ writes: touching(params) }),
                run: (_, params) => latency(params),
              }),
              tool("run_command", { effect: "run", run: (_, params) => latency(params) }),
            ],
            approve: ({ params }) =>
              new Promise(
                (resolve) =>
                  void made.clock.after(Number(params["thinks"]), () => {
                    const kind = params["decision"];
                    const decision: Decision =
                      kind === "modify"
                        ? { kind, params: { ...params, path: "2" } }
                        : { kind: kind === "reject" ? "reject" : "approve" };
                    resolve({ decision, by: "person" });
                  }),
              ),
          });
          const run = made.start();
          if (stopAt !== null) made.clock.after(stopAt, () => run.stop());
          await made.clock.advance(10_000);
          const outcome = await run.result;
          assert.ok(outcome.status === "completed" || outcome.status === "aborted");
          const starts = ofType(made.events, "tool:start").map((event) => event.toolCallId);
          const ends = ofType(made.events, "tool:end").map((event) => event.toolCallId);
          const expected = outcome.toolCalls.map((call) => call.id).toSorted();
          assert.deepEqual(ends.toSorted(), expected);
          assert.deepEqual(starts.toSorted(), expected);
          assert.deepEqual(outcome.toolResults.map((result) => result.tool_call_id).toSorted(), expected);
          assert.equal(made.locked(), false);
        },
      ),
      { numRuns: 100 },
    );
  });
});
