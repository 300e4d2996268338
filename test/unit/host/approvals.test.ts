// What waits for a person: one answer each, from whichever place it comes first.
import assert from "node:assert/strict";
import type { Pause, PendingCall, PlanQuestion } from "../../../src/engine/ports.ts";
import { createApprovals } from "../../../src/host/approvals.ts";

const call = (toolCallId: string): PendingCall => ({
  runId: "r",
  toolCallId,
  toolName: "write_file",
  params: {},
  label: { verb: "Write", subject: toolCallId },
  why: "It writes.",
});
const plan = (planId: string): PlanQuestion => ({ runId: "r", planId, steps: [] });
const pause = (message: string): Pause => ({ runId: "r", reason: "rounds", message, choices: ["continue", "stop"] });

function made() {
  let changes = 0;
  const approvals = createApprovals(() => (changes += 1));
  const count = (): number[] => {
    const { calls, plans, pauses } = approvals.waiting();
    return [calls.length, plans.length, pauses.length];
  };
  return { approvals, count, changes: () => changes, signal: new AbortController().signal };
}

describe("what waits for a person", () => {
  it("calls, plans and pauses wait side by side, and each gets its answer", async () => {
    const { approvals, count, changes, signal } = made();
    const asked = [approvals.approve(call("a"), signal), approvals.approve(call("b"), signal)];
    const planned = approvals.approvePlan(plan("p"), signal);
    const paused = approvals.choose(pause("enough"), signal);
    assert.deepEqual(count(), [2, 1, 1]);
    assert.equal(approvals.decide("b", { kind: "reject", reason: "no" }), true);
    assert.deepEqual(await asked[1], { decision: { kind: "reject", reason: "no" }, by: "person" });
    assert.equal(approvals.decidePlan("p", { kind: "approveAll" }), true);
    assert.deepEqual(await planned, { decision: { kind: "approveAll" }, by: "person" });
    assert.equal(approvals.choosePause("continue"), true);
    assert.equal(await paused, "continue");
    assert.deepEqual(count(), [1, 0, 0]);
    assert.equal(changes(), 7, "told of each question and each answer");
  });

  it("a command that waits for input is typed into once, and stops waiting when it ends", async () => {
    const { approvals, signal } = made();
    const asked = approvals.enter({ runId: "r", toolCallId: "a", prompt: "Name? " }, signal);
    assert.equal(approvals.type("b", "x\n"), false);
    assert.equal(approvals.type("a", null), true);
    assert.equal(await asked, null);
    const over = new AbortController();
    const again = approvals.enter({ runId: "r", toolCallId: "a", prompt: "" }, over.signal);
    assert.equal(approvals.waiting().inputs.length, 1);
    over.abort();
    await assert.rejects(again);
    assert.equal(approvals.type("a", "x\n"), false);
  });

  it("the first answer wins; later ones, and answers to nothing, are not taken", async () => {
    const { approvals, signal } = made();
    const asked = approvals.approvePlan(plan("p"), signal);
    assert.equal(approvals.decidePlan("p", { kind: "reject" }), true);
    assert.equal(approvals.decidePlan("p", { kind: "approve" }), false);
    assert.deepEqual(await asked, { decision: { kind: "reject" }, by: "person" });
    assert.equal(approvals.decidePlan("other", { kind: "approve" }), false);
    assert.equal(approvals.decide("none", { kind: "approve" }), false);
    assert.equal(approvals.choosePause("continue"), false);
  });

  it("a choice that the pause does not offer is not taken, and the newest pause is answered first", async () => {
    const { approvals, count, signal } = made();
    const older = approvals.choose(pause("older"), signal);
    const newer = approvals.choose(pause("newer"), signal);
    assert.equal(approvals.choosePause("sumUp"), false);
    assert.equal(approvals.choosePause("stop"), true);
    assert.equal(await newer, "stop");
    assert.deepEqual(count(), [0, 0, 1]);
    approvals.choosePause("continue");
    assert.equal(await older, "continue");
  });

  it("an abort ends the waiting of everything, also of what is asked after it", async () => {
    const { approvals, count } = made();
    const abort = new AbortController();
    const asked = [
      approvals.approve(call("a"), abort.signal),
      approvals.approvePlan(plan("p"), abort.signal),
      approvals.choose(pause("x"), abort.signal),
    ];
    abort.abort();
    asked.push(approvals.approve(call("late"), abort.signal));
    const ends = await Promise.allSettled(asked);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ["rejected", "rejected", "rejected", "rejected"],
    );
    assert.deepEqual(count(), [0, 0, 0]);
    assert.equal(approvals.decide("a", { kind: "approve" }), false);
  });

  it("a call that is asked about again waits again", async () => {
    const { approvals, signal } = made();
    const first = approvals.approve(call("a"), signal);
    approvals.decide("a", { kind: "modify", params: { path: "/etc" } });
    await first;
    const second = approvals.approve(call("a"), signal);
    assert.equal(approvals.decide("a", { kind: "approve" }), true);
    assert.deepEqual(await second, { decision: { kind: "approve" }, by: "person" });
  });
});
