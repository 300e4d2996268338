// BRAIN-EXEC-9 a call that was let through and still waits for its place, or for a copy of what it may change, does nothing once the run is stopped.
import assert from "node:assert/strict";
import type { Snapshots } from "../../../src/engine/ports.ts";
import { maxParallelCalls } from "../../../src/protocol/config.ts";
import { calls, kit, ofType, scriptedModel, tool, type Kit } from "../../support/kit.ts";

const untilStopped = tool("wait", {
  run: ({ signal }) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ status: "failed", content: "stopped" }), { once: true }),
    ),
});

describe("a stop", () => {
  it("BRAIN-EXEC-9 reaches calls that wait for their place", async () => {
    let wrote = 0;
    const write = tool("write", {
      effect: "write",
      run: () => ({ status: "succeeded", content: String((wrote += 1)) }),
    });
    const busy = Array.from({ length: maxParallelCalls }, (_, index) => [`w${index}`, "wait", {}] as const);
    const model = scriptedModel(calls(...busy, ["last", "write", { path: "a" }]));
    const made: Kit = kit({ model, tools: [untilStopped, write] });
    const run = made.start();
    await made.clock.advance(100);
    run.stop();
    await made.clock.advance(5_000);
    assert.equal((await run.result).status, "aborted");
    assert.equal(wrote, 0);
    const last = ofType(made.events, "tool:end").find(({ toolCallId }) => toolCallId === "last");
    assert.equal(last?.status, "cancelled");
  });

  it("BRAIN-EXEC-9 reaches a call while what it may change is copied", async () => {
    let wrote = 0;
    const write = tool("write", {
      effect: "write",
      run: () => ({ status: "succeeded", content: String((wrote += 1)) }),
    });
    const snapshots: Snapshots = {
      before: (_, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true })),
    };
    const model = scriptedModel(calls(["c", "write", { path: "a" }]));
    const made: Kit = kit({ model, tools: [write], ports: { snapshots } });
    const run = made.start();
    await made.clock.advance(100);
    run.stop();
    await made.clock.advance(5_000);
    assert.equal((await run.result).status, "aborted");
    assert.equal(wrote, 0);
  });
});
