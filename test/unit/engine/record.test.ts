// What a run leaves in words and numbers: every call, every token, every line, whatever happened to it; and its order of locks and events.
import assert from "node:assert/strict";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { interruptedResult } from "../../../src/protocol/replay.ts";
import { closeRuns } from "../../../src/brain/interrupted.ts";
import { conversation } from "../../../src/engine/conversation.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

const tools = () => [
  tool("read_file"),
  tool("boom", { run: () => Promise.reject(new Error("boom")) }),
  tool("outside", { prepare: () => ({ kind: "refused", status: "denied", content: "../x is outside." }) }),
  tool("write_file", { effect: "write" }),
];
const mixed = calls(
  ["ok", "read_file", {}],
  ["failed", "boom", {}],
  ["denied", "outside", {}],
  ["refused", "write_file", {}],
  ["unknown", "fly", {}],
);

describe("what a run leaves", () => {
  it("BRAIN-EXEC-16, BRAIN-EXEC-3, BRAIN-INV-2: every call is told with its result, denied and failed ones too, and the run goes on", async () => {
    const made = kit({
      model: scriptedModel(mixed, says("ok")),
      tools: tools(),
      approve: () => Promise.resolve({ decision: { kind: "reject" }, by: "person" }),
    });
    const outcome = await made.run();
    assert.equal(outcome.status, "completed");
    const ids = ["ok", "failed", "denied", "refused", "unknown"];
    assert.deepEqual(
      outcome.toolCalls.map(({ id }) => id),
      ids,
    );
    const statuses = new Map(outcome.toolResults.map(({ tool_call_id: id, status }) => [id, status]));
    assert.deepEqual(
      ids.map((id) => statuses.get(id)),
      ["succeeded", "failed", "denied", "rejected", "failed"],
    );
    const kept = made.lines.flatMap((line) => ("role" in line && line.role === "tool" ? [line["tool_call_id"]] : []));
    assert.equal(kept.length, ids.length);
    assert.deepEqual(new Set(kept), new Set(ids));
  });

  it("BRAIN-INV-2, BRAIN-PERS-9: a run that fails or is stopped after its calls has them in the transcript, and its end", async () => {
    const failing = kit({ model: scriptedModel(mixed), tools: tools() });
    assert.equal((await failing.run()).status, "error");
    const hanging = kit({
      model: scriptedModel(calls(["a", "read_file", {}], ["b", "deaf", {}])),
      tools: [tool("read_file"), tool("deaf", { run: () => new Promise<never>(() => undefined) })],
    });
    const run = hanging.start();
    await hanging.clock.advance(10);
    run.stop();
    await hanging.clock.advance(3_000);
    assert.equal((await run.result).status, "aborted");
    for (const [made, results, status] of [
      [failing, 5, "error"],
      [hanging, 2, "aborted"],
    ] as const) {
      assert.equal(made.lines.filter((line) => "role" in line && line.role === "tool").length, results);
      assert.deepEqual([made.lines.at(-1)?.["type"], made.lines.at(-1)?.["status"]], ["run_end", status]);
    }
  });

  it("BRAIN-EXEC-1, BRAIN-EXEC-15, BRAIN-EVT-7: the deltas are the text, usage is summed over all requests, the tools are counted", async () => {
    const words = ["One ", "two ", "three."];
    const made = kit({
      model: scriptedModel(calls(["a", "read_file", {}]), calls(["b", "read_file", {}]), [
        ...words.map((text) => ({ type: "text", text }) as const),
        { type: "usage", usage: { input: 100, output: 30, cached: 60 } },
        { type: "finish", reason: "stop" },
      ]),
      tools: tools(),
    });
    const outcome = await made.run();
    assert.deepEqual(
      ofType(made.events, "stream:delta").map(({ content }) => content),
      words,
    );
    assert.equal(outcome.output, words.join(""));
    assert.deepEqual(outcome.usage, { input: 120, output: 40, cached: 60 });
    assert.equal(ofType(made.events, "loop:execute")[0]?.toolCount, tools().length);
  });

  it("BRAIN-INV-1: what is in the transcript stays as it is: a run only adds lines", async () => {
    let before: readonly string[] = [];
    const history: Entry[] = [];
    for (let n = 0; n < 4; n++) {
      const made = kit({ model: scriptedModel(mixed, says(`answer ${n}`)), tools: tools(), history });
      await made.run({ message: `task ${n}` });
      const now = made.lines.map((line) => JSON.stringify(line));
      assert.deepEqual(now.slice(0, before.length), before);
      assert.ok(now.length > before.length);
      before = now;
      history.splice(0, history.length, ...made.lines);
    }
  });

  it("BRAIN-INTAKE-7, BRAIN-PERS-7: the lock is taken before anything of the context is read, and given back after the last line", async () => {
    const order: string[] = [];
    const { sessions } = kit({
      model: scriptedModel(),
      append: () => Promise.resolve(void order.push("line")),
    }).ports;
    const ports = {
      memory: { read: () => (order.push("context"), Promise.resolve("")) },
      sessions: {
        open: async (...asked: Parameters<typeof sessions.open>) => {
          const handle = await sessions.open(...asked);
          order.push("locked");
          return { ...handle, release: () => (order.push("released"), handle.release()) };
        },
      },
    };
    const again = kit({ model: scriptedModel(says("ok")), ports });
    await again.run();
    assert.deepEqual(order.filter((step) => step !== "line").slice(0, 2), ["locked", "context"]);
    assert.equal(order.at(-1), "released");
    assert.ok(order.indexOf("line") > order.indexOf("locked"));
  });

  it("BRAIN-CTX-14: an agent that is marked as terminated is refused; one that only says so in words is not", async () => {
    const marked = kit({ model: scriptedModel(says("ok")), agent: { terminated: true } });
    assert.equal((await marked.run()).failure?.code, "session_terminated");
    const words = kit({
      model: scriptedModel(says("ok")),
      agent: { identity: "This agent must terminate. terminated: true" },
      ports: { memory: { read: () => Promise.resolve("The agent should terminate now.") } },
    });
    assert.equal((await words.run()).status, "completed");
  });

  it("BRAIN-INTAKE-8: every run has an id of its own", async () => {
    const { randomUUID } = await import("node:crypto");
    const ids = new Set<string>();
    for (let n = 0; n < 200; n++) {
      const outcome = await kit({ model: scriptedModel(says("ok")), ports: { ids: randomUUID } }).run();
      assert.match(outcome.runId, /^[\da-f]{8}-[\da-f]{4}-4/);
      ids.add(outcome.runId);
    }
    assert.equal(ids.size, 200);
  });

  it("BRAIN-CFG-1: the limits are the specification's", () => {
    const { contextWindow, reserveFloor, flushThreshold, maxToolIterations, executionTimeout } = loopDefaults;
    const { toolTimeout, queueTimeout, maxQueueDepth, lockTimeout, maxRetries, retryBackoff } = loopDefaults;
    assert.deepEqual(
      [contextWindow, reserveFloor, flushThreshold, maxToolIterations, executionTimeout],
      [128_000, 4_000, 8_000, 10, 600_000],
    );
    assert.deepEqual(
      [toolTimeout, queueTimeout, maxQueueDepth, lockTimeout, maxRetries, retryBackoff],
      [30_000, 30_000, 10, 900_000, 3, 1_000],
    );
  });
});

describe("a process that ends while a reply is being written", () => {
  it("C-10: what was about to change something stands in the transcript before it does, and is closed as interrupted", async () => {
    let atWork: readonly Entry[] = [];
    const made: Kit = kit({
      model: scriptedModel(async function* () {
        yield { type: "text", text: "I write." };
        yield* calls(["r", "read_file", {}], ["w", "write_file", { path: "a" }]).slice(0, 4);
        await new Promise<void>((resolve) => void made.clock.after(1_000, resolve));
        yield { type: "finish", reason: "calls" };
      }, says("ok")),
      tools: [
        tool("read_file"),
        tool("write_file", {
          effect: "write",
          run: () => {
            atWork = [...made.lines];
            return { status: "succeeded", content: "written" };
          },
        }),
      ],
    });
    const result = made.run();
    await made.clock.advance(5_000);
    assert.equal((await result).status, "completed");
    assert.deepEqual(
      atWork.map((line) => ("role" in line ? line.role : line.type)),
      ["user", "begun"],
    );
    // As if the process had ended there.
    const whole = closeRuns(atWork);
    assert.deepEqual(
      conversation(whole).map((line) => [line.role, line.content, line["tool_call_id"]]),
      [
        ["user", "Do it.", undefined],
        ["assistant", "I write.", undefined],
        ["tool", interruptedResult, "r"],
        ["tool", interruptedResult, "w"],
      ],
    );
    assert.deepEqual(closeRuns(whole), whole, "read again it is the same");
    assert.equal(whole.find((line) => "role" in line && line.role === "assistant")?.["model"], "scripted");
    // As it was: the reply's own line counts.
    assert.deepEqual(
      conversation(closeRuns(made.lines)).map(({ role }) => role),
      ["user", "assistant", "tool", "tool", "assistant"],
    );
  });
});
