// Calls out of a stream: when they arrive, when they may start, what a broken stream leaves, and how long the whole takes.
import assert from "node:assert/strict";
import fc from "fast-check";
import { conversation } from "../../../src/engine/conversation.ts";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

interface Timed {
  readonly id: string;
  /** Milliseconds after the call before it at which it is complete. */
  readonly gap: number;
  /** Milliseconds of work. */
  readonly work: number;
  /** Earlier calls whose results it uses. */
  readonly uses: readonly number[];
}

interface Timing {
  readonly made: Kit;
  readonly startedAt: Map<string, number>;
  readonly endedAt: Map<string, number>;
  /** When the last call ended, from the first moment of the stream. */
  readonly makespan: number;
}

/** Streams calls that arrive and work as long as they say; the stream ends with the last one. */
async function stream(list: readonly Timed[]): Promise<Timing> {
  const startedAt = new Map<string, number>();
  const endedAt = new Map<string, number>();
  let begin = 0;
  const model = scriptedModel(async function* (): AsyncGenerator<ModelEvent> {
    begin = made.clock.now();
    for (const { id, gap, work, uses } of list) {
      await wait(gap);
      const params = { id, work, uses: uses.map((other) => `†state.c${other}`), _outputPath: `†state.${id}` };
      yield* calls([id, "work", params]).slice(0, 2);
    }
    yield { type: "finish", reason: "calls" };
  }, says("ok"));
  const wait = (milliseconds: number) => new Promise<void>((resolve) => void made.clock.after(milliseconds, resolve));
  const run = async (_: unknown, { id, work }: Params) => {
    startedAt.set(String(id), made.clock.now() - begin);
    await wait(Number(work));
    endedAt.set(String(id), made.clock.now() - begin);
    return { status: "succeeded", content: String(id) } as const;
  };
  const made: Kit = kit({ model, tools: [tool("work", { run })] });
  const result = made.run();
  await made.clock.advance(3_600_000);
  assert.equal((await result).status, "completed");
  return { made, startedAt, endedAt, makespan: Math.max(0, ...endedAt.values()) };
}

/** The earliest each call can start and end: when it has arrived and what it uses is there. */
function critical(list: readonly Timed[]): { start: number; end: number }[] {
  const times: { start: number; end: number }[] = [];
  let arrived = 0;
  for (const { gap, work, uses } of list) {
    arrived += gap;
    const start = Math.max(arrived, ...uses.map((other) => times[other]?.end ?? 0));
    times.push({ start, end: start + work });
  }
  return times;
}

const timed = (n: number): fc.Arbitrary<Timed> =>
  fc.record({
    id: fc.constant(`c${n}`),
    gap: fc.integer({ min: 0, max: 200 }),
    work: fc.integer({ min: 0, max: 400 }),
    uses: n === 0 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 0, max: n - 1 }), { maxLength: 3 }),
  });

/** Up to eight calls: as many as may work at the same time, so that nothing but data and arrival holds them. */
const graph = fc.integer({ min: 0, max: 8 }).chain((length) => fc.tuple(...Array.from({ length }, (_, n) => timed(n))));

describe("calls out of a stream", () => {
  it("LOOP-STREAM-1, LOOP-INNER-1: each is told of as it comes, and looked at again when it comes and when another ends", async () => {
    const { made } = await stream([
      { id: "c0", gap: 0, work: 500, uses: [] },
      { id: "c1", gap: 100, work: 10, uses: [0] },
      { id: "c2", gap: 100, work: 10, uses: [] },
    ]);
    const told = ofType(made.events, "call:streaming", "call:blocked", "call:ready", "tool:end").map(
      (event) => `${event.toolCallId} ${event.type.split(":")[1]}`,
    );
    assert.deepEqual(told, [
      "c0 streaming",
      "c0 ready",
      "c1 streaming",
      "c1 blocked",
      "c2 streaming",
      "c2 ready",
      "c2 end",
      "c0 end",
      "c1 ready",
      "c1 end",
    ]);
  });

  it("LOOP-STREAM-3, LOOP-STREAM-6: a call that is announced and not complete does not start, whatever its kind", async () => {
    let started = 0;
    const model = scriptedModel(async function* (): AsyncGenerator<ModelEvent> {
      yield { type: "call:start", id: "a", name: "read" };
      await new Promise<void>((resolve) => void made.clock.after(1_000, resolve));
      assert.equal(started, 0);
      yield { type: "call", call: { id: "a", name: "read", arguments: "{}" } };
      yield { type: "finish", reason: "calls" };
    }, says("ok"));
    const made: Kit = kit({
      model,
      tools: [tool("read", { run: () => (started++, { status: "succeeded", content: "" }) })],
    });
    const result = made.run();
    await made.clock.advance(2_000);
    await result;
    assert.equal(started, 1);
  });

  it("LOOP-INNER-4: a call that comes at the very end of the stream still runs in its round", async () => {
    const model = scriptedModel(async function* (): AsyncGenerator<ModelEvent> {
      yield* calls(["a", "read", {}]).slice(0, 2);
      await new Promise<void>((resolve) => void made.clock.after(999, resolve));
      yield* calls(["late", "read", {}]);
    }, says("ok"));
    const made: Kit = kit({ model, tools: [tool("read")] });
    const result = made.run();
    await made.clock.advance(2_000);
    assert.equal((await result).toolResults.length, 2);
    assert.equal(model.requests.length, 2);
  });

  it("LOOP-INNER-2, LOOP-INNER-3, LOOP-INNER-9, LOOP-DEP-2, LOOP-DEP-7: any graph: each call starts at the first instant it can, so the whole takes the critical path", async () => {
    await fc.assert(
      fc.asyncProperty(graph, async (list) => {
        const { startedAt, endedAt, makespan, made } = await stream(list);
        const best = critical(list);
        list.forEach(({ id }, n) => {
          assert.equal(startedAt.get(id), best[n]?.start, `${id} starts`);
          assert.equal(endedAt.get(id), best[n]?.end, `${id} ends`);
        });
        assert.equal(makespan, Math.max(0, ...best.map(({ end }) => end)));
        const messages = conversation(made.lines).filter(({ role }) => role === "tool");
        assert.deepEqual(
          messages.map((message) => message["tool_call_id"]),
          list.map(({ id }) => id),
          "results in call order",
        );
      }),
      { numRuns: 200 },
    );
  });

  it("LOOP-INNER-5: of two that write one place at the same time, the one that ends last has it", async () => {
    const made: Kit = kit({
      model: scriptedModel(
        calls(
          ["slow", "put", { value: "slow", work: 100, _outputPath: "†state.v" }],
          ["quick", "put", { value: "quick", work: 10, _outputPath: "†state.v" }],
          ["read", "put", { value: "†state.v", work: 0, _outputPath: "†state.seen" }],
        ),
        says("ok"),
      ),
      tools: [
        tool("put", {
          run: async (_, { value, work }) => {
            await new Promise<void>((resolve) => void made.clock.after(Number(work), resolve));
            return { status: "succeeded", content: String(value), value };
          },
        }),
      ],
    });
    const result = made.run();
    await made.clock.advance(1_000);
    const outcome = await result;
    assert.match(outcome.toolResults.find(({ tool_call_id: id }) => id === "read")?.content ?? "", /^slow/);
  });

  it("LOOP-HITL-1, LOOP-HITL-3, LOOP-HITL-6, LOOP-HITL-8: asked after unblocking and before running; approved unchanged; refused, the model reads why", async () => {
    const model = scriptedModel(
      calls(
        ["get", "slow", { _outputPath: "†state.v" }],
        ["put", "write", { text: "†state.v" }],
        ["no", "write", { text: "other" }],
      ),
      says("ok"),
    );
    const received: unknown[] = [];
    const made: Kit = kit({
      model,
      tools: [
        tool("slow", {
          run: () =>
            new Promise((resolve) => void made.clock.after(100, () => resolve({ status: "succeeded", content: "v" }))),
        }),
        tool("write", {
          effect: "write",
          run: (_, { text }) => (received.push(text), { status: "succeeded", content: "" }),
        }),
      ],
      approve: ({ toolCallId }) =>
        Promise.resolve({
          decision: toolCallId === "no" ? { kind: "reject", reason: "Not this." } : { kind: "approve" },
          by: "person",
        }),
    });
    const result = made.run();
    await made.clock.advance(1_000);
    await result;
    const order = made.events.flatMap((event) =>
      "toolCallId" in event && ["call:blocked", "call:pending", "tool:start", "tool:end"].includes(event.type)
        ? [`${event.toolCallId} ${event.type}`]
        : [],
    );
    assert.ok(order.indexOf("put call:blocked") < order.indexOf("get tool:end"));
    assert.ok(order.indexOf("get tool:end") < order.indexOf("put call:pending"));
    assert.ok(order.indexOf("put call:pending") < order.indexOf("put tool:start"));
    assert.deepEqual(received, ["v"]);
    assert.equal(model.requests[1]?.messages.at(-1)?.content, "Rejected by the person: Not this.");
  });

  it("C-40: stopped at any instant, the history is one that any model accepts: every call has its one result", async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 0, max: 2_500 }), async (list, at) => {
        const model = scriptedModel(async function* (): AsyncGenerator<ModelEvent> {
          for (const { id, gap, uses } of list) {
            await new Promise<void>((resolve) => void made.clock.after(gap, resolve));
            yield* calls([
              id,
              "work",
              { uses: uses.map((other) => `†state.c${other}`), _outputPath: `†state.${id}` },
            ]).slice(0, 2);
          }
          yield { type: "finish", reason: "calls" };
        }, says("ok"));
        const made: Kit = kit({
          model,
          tools: [
            tool("work", {
              run: () =>
                new Promise(
                  (resolve) => void made.clock.after(200, () => resolve({ status: "succeeded", content: "" })),
                ),
            }),
          ],
        });
        const run = made.start();
        made.clock.after(at, () => run.stop());
        await made.clock.advance(60_000);
        await run.result;
        const messages = conversation(made.lines);
        messages.forEach((message, index) => {
          if (message.role !== "assistant" || !message.tool_calls) return;
          const results = messages.slice(index + 1, index + 1 + message.tool_calls.length);
          assert.deepEqual(
            results.map((result) => result["tool_call_id"]),
            message.tool_calls.map(({ id }) => id),
          );
        });
        const kept = made.lines
          .filter((line) => "role" in line && line.role === "tool")
          .map((line) => line["tool_call_id"]);
        assert.equal(new Set(kept).size, kept.length);
        assert.equal(made.lines.at(-1)?.["type"], "run_end");
      }),
      { numRuns: 100 },
    );
  });
});
