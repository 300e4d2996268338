// What a run used and cost is said in one way: by its outcome, its end line, the session's summary, and the sums of its trace.
import assert from "node:assert/strict";
import { addEntry, emptySummary } from "../../../src/brain/summary.ts";
import { compactSession } from "../../../src/engine/compactSession.ts";
import type { Model, ModelEvent } from "../../../src/engine/ports.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { createReplay } from "../../../src/protocol/replay.ts";
import type { Trace } from "../../../src/protocol/trace.ts";
import { summed, traceOf } from "../../../src/protocol/traceOf.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { ending, sessionCost } from "../../../webview/endWords.ts";
import { totalsOf } from "../../../webview/traceWords.ts";
import { calls, kit, says, scriptedModel, tool, type Kit, type Script } from "../../support/kit.ts";

const price = { input: 300, output: 1_500, cached: 30 };
const dear = (events: readonly ModelEvent[], input: number): ModelEvent[] =>
  events.map((event) =>
    event.type === "usage" ? { ...event, usage: { input, output: 7, cached: 40, reasoning: 2 } } : event,
  );
const breaks: ModelEvent = {
  type: "error",
  failure: { code: "provider_failed", status: 502, message: "It broke.", next: "Try again.", action: "retry" },
  retryable: false,
};

function made(scripts: readonly Script[], options: Partial<Parameters<typeof kit>[0]> = {}): Kit {
  const model: Model = { ...scriptedModel(...scripts), price };
  const ask = tool("delegate", { run: ({ delegate }) => delegate({ agent: null, task: "Look.", data: [] }) });
  return kit({ model, tools: [ask, tool("read_file"), tool("update_memory", { effect: "write" })], ...options });
}

/** The spans that are requests, as records of what they took. */
function requestsOf({ spans }: Trace) {
  return spans.flatMap(({ kind, usage, cost }) =>
    kind !== "call" && usage ? [{ usage, cost: cost ?? undefined }] : [],
  );
}

/** Everything that says what the last run used says the same. */
function check(
  lines: readonly Entry[],
  outcome: { readonly usage: object; readonly cost?: number; readonly runId: string },
): Trace {
  const trace = traceOf(lines, outcome.runId);
  assert.ok(trace);
  const about = { at: "", duration: 0 };
  const sums = summed(
    requestsOf(trace).map(({ usage, cost }) => ({ ...about, usage, ...(cost !== undefined && { cost }) })),
  );
  assert.deepEqual(sums.usage, outcome.usage, "the sum of the requests");
  assert.deepEqual(trace.usage, outcome.usage);
  if (outcome.cost === undefined) assert.equal(trace.cost, null);
  else assert.ok(Math.abs((sums.cost ?? -1) - outcome.cost) < 1e-9, `${sums.cost} and ${outcome.cost}`);
  assert.equal(trace.cost ?? undefined, outcome.cost);
  return trace;
}

describe("what a run used and cost", () => {
  it("is the sum of its requests: of delegates, of one that failed, and of another model's; and is said so everywhere", async () => {
    const other: ModelEvent = { type: "model", model: { id: "other", price: { input: 10, output: 20 } }, notice: null };
    const run = made([
      dear(calls(["d", "delegate", {}], ["r", "read_file", { path: "a.js" }]), 100),
      dear(calls(["x", "read_file", { path: "b.js" }]), 200),
      dear(says("There is one."), 300),
      [other, ...dear(calls(["y", "read_file", { path: "c.js" }]), 400)],
      [{ type: "usage", usage: { input: 50, output: 1, cached: 0, reasoning: 0 } }, breaks],
    ]);
    const outcome = await run.run();
    assert.equal(outcome.status, "error");
    const trace = check(run.lines, outcome);
    assert.equal(requestsOf(trace).length, 5);
    const call = trace.spans.find(({ toolCallId }) => toolCallId === "d");
    assert.equal(call?.usage?.input, 500, "a delegate's call took what its requests took");

    const { next } = createReplay("s");
    const view = run.lines.flatMap(next).reduce(reduce, emptyView);
    const end = view.turns.at(-1)?.end;
    assert.ok(end && outcome.cost !== undefined);
    assert.match(ending(end), / · 1,079 tokens · \$0\.\d\d$/);
    const cost = totalsOf(trace).find(({ name }) => name === "Cost")?.value;
    assert.ok(ending(end).endsWith(` · ${cost}`), `${ending(end)} and ${cost}`);
    const summary = run.lines.reduce(addEntry, emptySummary("s"));
    assert.deepEqual([summary.usage, summary.cost], [outcome.usage, outcome.cost]);
    assert.equal(sessionCost(view), outcome.cost);
  });

  it("is not known where the price of one of its requests is not", async () => {
    const unpriced: ModelEvent = { type: "model", model: { id: "other" }, notice: null };
    const run = made([dear(calls(["r", "read_file", {}]), 100), [unpriced, ...dear(says("Done."), 50)]]);
    assert.equal(check(run.lines, await run.run()).cost, null);
  });

  it("counts the notes and the summary of a compaction", async () => {
    const run = made([
      ...Array.from({ length: 3 }, () => dear(says("Word ".repeat(400)), 100)),
      dear(calls(["m", "update_memory", { note: "It is CHF." }]), 30),
      dear(says("NO_REPLY"), 31),
      dear(says("A summary."), 60),
    ]);
    for (const message of ["One.", "Two.", "Three."]) await run.run({ message, sessionId: "s", create: true });
    const compacted = await compactSession({ sessionId: "s" }, run.ports, loopDefaults).result;
    assert.equal(compacted.status, "completed");
    const trace = check(run.lines, compacted);
    assert.deepEqual(
      trace.spans.map(({ kind }) => kind),
      ["notes", "notes", "summary"],
    );
  });
});
