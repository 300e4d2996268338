// A whole run on a scripted model: stages, events, transcript, limits, failures.
import assert from "node:assert/strict";
import { LoopEvent } from "../../../src/protocol/events.ts";
import { LoopError } from "../../../src/protocol/errors.ts";
import { Entry } from "../../../src/protocol/messages.ts";
import { maxMessageLength } from "../../../src/protocol/config.ts";
import { calls, coder, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

const types = (made: Kit): string[] => made.events.map((event) => event.type);

describe("a run", () => {
  it("BRAIN-EVT-1, BRAIN-EVT-2, LOOP-OUTER-1: reads, then answers; events in order, with the specified fields", async () => {
    const model = scriptedModel(calls(["c1", "read_file", { path: "a" }]), says("Done."));
    const made = kit({ model, tools: [tool("read_file")] });
    const outcome = await made.run({ message: "Read a." });
    assert.equal(outcome.status, "completed");
    assert.equal(outcome.output, "Done.");
    assert.deepEqual(outcome.usage, { input: 20, output: 7 });
    assert.deepEqual(types(made), [
      "loop:start",
      "loop:context",
      "loop:execute",
      "call:streaming",
      "call:ready",
      "tool:start",
      "tool:end",
      "message:end",
      "stream:delta",
      "message:end",
      "loop:persist",
      "loop:end",
    ]);
    for (const event of made.events) LoopEvent.parse(event);
    assert.equal(ofType(made.events, "loop:execute")[0]?.toolCount, 1);
  });

  it("BRAIN-PERS-1, BRAIN-PERS-2: the transcript has user, assistant with calls, tool, assistant, run_end", async () => {
    const model = scriptedModel(calls(["c1", "read_file", { path: "a" }]), says("Done."));
    const made = kit({ model, tools: [tool("read_file")] });
    await made.run({ message: "Read a." });
    for (const line of made.lines) Entry.parse(line);
    assert.deepEqual(
      made.lines.map((line) => ("role" in line ? line.role : line.type)),
      ["user", "assistant", "tool", "assistant", "run_end"],
    );
    const [, asked, answered] = made.lines;
    assert.deepEqual(asked?.["tool_calls"], [{ id: "c1", name: "read_file", arguments: '{"path":"a"}' }]);
    assert.equal(answered?.["tool_call_id"], "c1");
    assert.equal(answered["content"], "read_file done");
  });

  it("LOOP-OUTER-6: the next request holds the results, in call order whatever ended first", async () => {
    const model = scriptedModel(calls(["c1", "slow", {}], ["c2", "quick", {}]), says("ok"));
    const made = kit({
      model,
      tools: [
        tool("slow", {
          run: () =>
            new Promise(
              (resolve) => void made.clock.after(500, () => resolve({ status: "succeeded", content: "slow" })),
            ),
        }),
        tool("quick"),
      ],
    });
    const result = made.run();
    await made.clock.advance(1_000);
    assert.equal((await result).status, "completed");
    const sent = model.requests[1]?.messages
      .filter((message) => message.role === "tool")
      .map((message) => message.content);
    assert.deepEqual(sent, ["slow", "quick done"]);
    assert.deepEqual(
      ofType(made.events, "tool:end").map((event) => [event.toolCallId, event.duration]),
      [
        ["c2", 0],
        ["c1", 500],
      ],
    );
  });

  it("BRAIN-CTX-4: the system prompt has identity, scope, tools, project, memory and, last, the date", async () => {
    const model = scriptedModel(says("ok"));
    const made = kit({
      model,
      tools: [tool("read_file")],
      ports: { memory: { read: () => Promise.resolve("- use tabs") } },
    });
    await made.run();
    const system = model.requests[0]?.system ?? "";
    const places = [
      "You are a test agent.",
      "# Scope",
      "read_file",
      "A test project.",
      "- use tabs",
      "Today is 2026-01-02.",
    ];
    const found = places.map((text) => system.indexOf(text));
    assert.ok(
      found.every((place) => place >= 0),
      system,
    );
    assert.deepEqual(
      found,
      found.toSorted((a, b) => a - b),
    );
    assert.ok(system.endsWith("Today is 2026-01-02."));
  });

  it("BRAIN-INTAKE-1, BRAIN-INTAKE-2: empty and over-long messages leave nothing behind", async () => {
    for (const [message, code] of [
      [" \n", "message_empty"],
      ["x".repeat(maxMessageLength + 1), "message_too_long"],
    ] as const) {
      const made = kit({ model: scriptedModel() });
      const outcome = await made.run({ message });
      assert.equal(outcome.status, "error");
      assert.equal(outcome.failure?.code, code);
      assert.equal(outcome.failure.status, 400);
      assert.deepEqual(made.lines, []);
      assert.equal(made.locked(), false);
      assert.deepEqual(types(made), ["loop:start", "loop:error", "loop:end"]);
    }
  });

  it("BRAIN-INTAKE-3, BRAIN-EVT-5: a missing agent is loop:error, then loop:end, and no session is made", async () => {
    const resolve = (): Promise<never> => Promise.reject(new LoopError("agent_not_found", "There is no agent “x”."));
    const made = kit({ model: scriptedModel(), ports: { agents: { resolve } } });
    const outcome = await made.run({ agent: "x" });
    assert.equal(outcome.failure?.status, 404);
    assert.deepEqual(types(made), ["loop:start", "loop:error", "loop:end"]);
    assert.deepEqual(made.lines, []);
  });

  it("BRAIN-EXEC-7, BRAIN-EXEC-17, LOOP-OUTER-8: after the last round the model sums up without tools", async () => {
    const again = (n: number) => calls([`c${n}`, "read_file", {}]);
    const model = scriptedModel(again(1), again(2), says("Two read, one left."));
    const made = kit({ model, tools: [tool("read_file")], config: { maxToolIterations: 2 } });
    const outcome = await made.run();
    assert.equal(outcome.status, "max_iterations");
    assert.equal(outcome.output, "Two read, one left.");
    assert.deepEqual(
      model.requests.map((request) => request.tools.length),
      [1, 1, 0],
    );
    assert.equal(ofType(made.events, "loop:end")[0]?.success, false);
  });

  it("BRAIN-EXEC-8, LOOP-HITL-11: work is limited in time, waiting for a person is not", async () => {
    const waitForever = (_: unknown, signal: AbortSignal) =>
      (async function* (): AsyncGenerator<never> {
        yield* [];
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      })();
    let decide = (): void => undefined;
    const made = kit({
      model: scriptedModel(calls(["c1", "write_file", {}]), waitForever),
      tools: [tool("write_file", { effect: "write" })],
      approve: () =>
        new Promise((resolve) => (decide = () => resolve({ decision: { kind: "approve" }, by: "person" }))),
      config: { executionTimeout: 60_000 },
    });
    const result = made.run();
    await made.clock.advance(3_600_000);
    assert.equal(ofType(made.events, "loop:end").length, 0, "an hour of thinking is no timeout");
    decide();
    await made.clock.advance(59_000);
    assert.equal(ofType(made.events, "loop:end").length, 0);
    await made.clock.advance(2_000);
    const outcome = await result;
    assert.equal(outcome.status, "timeout");
    assert.equal(outcome.failure?.code, "run_timeout");
    assert.equal(made.locked(), false);
  });

  it("BRAIN-EVT-6: a throwing listener changes nothing", async () => {
    const { startRun } = await import("../../../src/engine/run.ts");
    const { loopDefaults } = await import("../../../src/protocol/config.ts");
    const logged: string[] = [];
    const { ports } = kit({ model: scriptedModel(says("ok")), ports: { log: (message) => logged.push(message) } });
    const run = startRun({ message: "x" }, ports, loopDefaults, () => {
      throw new Error("listener");
    });
    assert.equal((await run.result).status, "completed");
    const seen: string[] = [];
    for await (const event of run) seen.push(event.type);
    assert.equal(seen.at(-1), "loop:end");
    assert.equal(logged.length, seen.length);
  });

  it("BRAIN-PERS-4, BRAIN-PERS-5: a disk that refuses is said once and does not fail the run", async () => {
    const made = kit({
      model: scriptedModel(calls(["c1", "read_file", {}]), says("ok")),
      tools: [tool("read_file")],
      append: () =>
        Promise.reject(new LoopError("disk_write", "transcript.jsonl could not be written: the disk is full.")),
    });
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    const notices = ofType(made.events, "loop:notice");
    assert.equal(notices.length, 1);
    assert.match(notices[0]?.message ?? "", /disk is full/);
    assert.equal(made.locked(), false);
  });

  it("BRAIN-EVT-3, BRAIN-INV-3: whatever port fails, every start has its end and the lock is released", async () => {
    const boom = (): Promise<never> => Promise.reject(new Error("boom"));
    for (const ports of [
      { agents: { resolve: boom } },
      { model: boom },
      { tools: boom },
      { memory: { read: boom } },
      { project: boom },
      { sessions: { open: boom } },
    ]) {
      const made = kit({ model: scriptedModel(says("ok")), ports });
      const outcome = await made.run();
      assert.equal(outcome.status, "error", Object.keys(ports)[0]);
      assert.equal(outcome.failure?.code, "internal");
      assert.equal(types(made).filter((type) => type === "loop:start").length, 1);
      assert.equal(types(made).filter((type) => type === "loop:error").length, 1);
      assert.equal(types(made).at(-1), "loop:end");
      assert.equal(made.locked(), false);
      if (made.lines.length > 0)
        assert.deepEqual(
          made.lines.map((line) => ("role" in line ? line.role : line.type)),
          ["user", "run_end"],
        );
    }
  });

  it("PROMPTY-9.3-5: a stream that breaks keeps the partial text, marked, and is an error", async () => {
    const failure = { code: "reply_malformed", status: 502, message: "It broke off.", next: "Try again." } as const;
    const model = scriptedModel([
      { type: "text", text: "Half an ans" },
      { type: "error", failure, retryable: true },
    ]);
    const made = kit({ model });
    const outcome = await made.run();
    assert.equal(outcome.status, "error");
    assert.equal(outcome.output, "Half an ans");
    const kept = made.lines.find((line) => "role" in line && line.role === "assistant");
    assert.equal(kept?.["interrupted"], true);
    assert.equal(kept["content"], "Half an ans");
    assert.equal(ofType(made.events, "message:end")[0]?.interrupted, true);
  });

  it("LOOP-STREAM-5, C-05: a stream that breaks after a call is not asked again for that call; its result goes on", async () => {
    const failure = { code: "provider_failed", status: 502, message: "Reset.", next: "Try again." } as const;
    let executed = 0;
    const model = scriptedModel(
      [...calls(["c1", "read_file", {}]).slice(0, 2), { type: "error", failure, retryable: true }],
      says("ok"),
    );
    const made = kit({
      model,
      tools: [tool("read_file", { run: () => ({ status: "succeeded", content: `run ${++executed}` }) })],
    });
    assert.equal((await made.run()).status, "completed");
    assert.equal(executed, 1);
    assert.equal(model.requests[1]?.messages.at(-1)?.content, "run 1");
  });

  it("BRAIN-CTX-1, BRAIN-EXEC-18: an earlier run cut off in the middle still makes a request that is whole", async () => {
    const model = scriptedModel(says("ok"));
    const line = { timestamp: "2026-01-01T00:00:00.000Z", runId: "old" };
    const made = kit({
      model,
      history: [
        { role: "user", content: "first", id: "m1", ...line },
        {
          role: "assistant",
          content: "",
          id: "m2",
          iteration: 1,
          tool_calls: [
            { id: "c1", name: "read_file", arguments: "{}" },
            { id: "c2", name: "read_file", arguments: "{}" },
          ],
          ...line,
        },
        {
          role: "tool",
          tool_call_id: "c2",
          content: "two",
          id: "m3",
          name: "read_file",
          status: "succeeded",
          duration: 1,
          ...line,
        },
      ],
    });
    await made.run({ message: "second" });
    assert.deepEqual(
      model.requests[0]?.messages.map((message) => [
        message.role,
        message.role === "tool" ? message.tool_call_id : message.content,
      ]),
      [
        ["user", "first"],
        ["assistant", ""],
        ["tool", "c1"],
        ["tool", "c2"],
        ["user", "second"],
      ],
    );
  });

  it("BRAIN-CTX-11: what cannot fit is an error before any request", async () => {
    const model = { ...scriptedModel(says("never")), contextWindow: 5_000 };
    const made = kit({ model });
    const outcome = await made.run({ message: "x".repeat(20_000) });
    assert.equal(outcome.failure?.code, "context_overflow");
    assert.equal(model.requests.length, 0);
  });

  it("uses only the tools the agent names, and its limits", async () => {
    const model = scriptedModel(calls(["c1", "read_file", {}]), says("sum"));
    const agent = { ...coder, tools: ["read_file"], limits: { maxToolIterations: 1 } };
    const made = kit({
      model,
      tools: [tool("read_file"), tool("write_file", { effect: "write" })],
      ports: { agents: { resolve: () => Promise.resolve(agent) } },
    });
    assert.equal((await made.run()).status, "max_iterations");
    assert.deepEqual(
      model.requests[0]?.tools.map((spec) => spec.name),
      ["read_file"],
    );
  });

  it("BRAIN-DET-1: the same script gives the same events and the same transcript", async () => {
    const once = async () => {
      const made = kit({
        model: scriptedModel(calls(["c1", "read_file", {}], ["c2", "write_file", { path: "b" }]), says("ok")),
        tools: [tool("read_file"), tool("write_file", { effect: "write" })],
      });
      await made.run();
      return { events: made.events, lines: made.lines };
    };
    assert.deepEqual(await once(), await once());
  });
});
