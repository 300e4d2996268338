// Calls that use each other's results within one reply: who waits, what is passed on, what fails, what is skipped, and that nothing hangs.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Params } from "../../../src/protocol/messages.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

type Call = readonly [string, string, Params];

/** Plays one reply of calls. `echo` answers its `text`, `slow` does so after a while, `boom` throws; `write` asks and echoes. */
async function play(list: readonly Call[], stopAfter = 60_000): Promise<Kit & { received: Record<string, unknown> }> {
  const received: Record<string, unknown> = {};
  const answer = (params: Params) => {
    received[String(params["id"])] = params["text"];
    const text = JSON.stringify(params["text"] ?? null);
    return { status: "succeeded", content: text, value: params["text"] } as const;
  };
  const later = (params: Params, milliseconds: number) =>
    new Promise<ReturnType<typeof answer>>(
      (resolve) => void made.clock.after(milliseconds, () => resolve(answer(params))),
    );
  const made: Kit = kit({
    model: scriptedModel(
      calls(...list.map(([id, name, params]) => [id, name, { id, ...params }] as const)),
      says("ok"),
    ),
    tools: [
      tool("echo", { run: (_, params) => answer(params) }),
      tool("slow", { run: (_, params) => later(params, 100) }),
      tool("boom", { run: () => Promise.reject(new Error("boom")) }),
      tool("write", {
        effect: "write",
        touches: ({ path }) => ({ writes: [String(path)] }),
        run: (_, params) => answer(params),
      }),
    ],
    approve: ({ params }) => {
      const refused = params["text"] === "refuse me";
      return Promise.resolve({ decision: refused ? { kind: "reject" } : { kind: "approve" }, by: "person" });
    },
  });
  const result = made.run();
  await made.clock.advance(stopAfter);
  assert.equal((await result).status, "completed");
  return { ...made, received };
}

const ends = (made: Kit): Record<string, string> =>
  Object.fromEntries(ofType(made.events, "tool:end").map(({ toolCallId, status }) => [toolCallId, status]));
const resultOf = (made: Kit, id: string): string =>
  ofType(made.events, "tool:end").find(({ toolCallId }) => toolCallId === id)?.result ?? "";

describe("data between the calls of a reply", () => {
  it("LOOP-DEP-1, LOOP-INNER-3: a call waits for the one that writes what it reads, and gets the value, at any depth", async () => {
    const made = await play([
      ["a", "slow", { text: { deep: [1, 2] }, _outputPath: "†state.a" }],
      ["b", "echo", { text: ["x", { y: "†state.a.deep.1" }] }],
      ["c", "echo", { text: "†state.a" }],
    ]);
    assert.deepEqual(made.received, { a: { deep: [1, 2] }, b: ["x", { y: 2 }], c: { deep: [1, 2] } });
    assert.deepEqual(
      ofType(made.events, "call:blocked").map(({ toolCallId, waitsFor }) => [toolCallId, waitsFor]),
      [
        ["b", ["a"]],
        ["c", ["a"]],
      ],
    );
    assert.match(resultOf(made, "a"), /Kept as †state\.a\.$/);
  });

  it("LOOP-DEP-3: the one that writes may come later in the reply", async () => {
    const made = await play([
      ["b", "echo", { text: "†state.a" }],
      ["a", "echo", { text: "A", _outputPath: "†state.a" }],
    ]);
    assert.equal(made.received["b"], "A");
  });

  it("LOOP-DEP-5, LOOP-DEP-10, LOOP-HITL-2: after a failure or a refusal nothing runs on an old value, and nobody is asked", async () => {
    for (const failing of [
      ["w", "boom", { _outputPath: "†state.v" }],
      ["w", "write", { text: "refuse me", _outputPath: "†state.v" }],
    ] as const) {
      const old = ["old", "echo", { text: "old", _outputPath: "†state.v" }] as const;
      const alone = await play([old, failing, ["r", "write", { text: "†state.v" }]]);
      assert.equal(ends(alone)["r"], "failed");
      assert.ok(!("r" in alone.received));
      assert.equal(ofType(alone.events, "call:pending").filter(({ toolCallId }) => toolCallId === "r").length, 0);
      assert.match(resultOf(alone, "r"), /failed or was refused/);
    }
  });

  it("LOOP-DEP-6, LOOP-EXPR-1: the first alternative that exists, once it is known whether it does", async () => {
    const made = await play([
      ["a", "slow", { text: "A", _outputPath: "†state.a" }],
      ["b", "echo", { text: "B", _outputPath: "†state.b" }],
      ["x", "echo", { text: "†state.a || †state.b" }],
      ["f", "boom", { _outputPath: "†state.f" }],
      ["y", "echo", { text: "†state.f || †state.b" }],
      ["z", "echo", { text: "†state.a && †state.b" }],
    ]);
    assert.deepEqual([made.received["x"], made.received["y"], made.received["z"]], ["A", "B", "B"]);
  });

  it("LOOP-EXPR-3, LOOP-EXPR-5, LOOP-DEP-8: fan-out, the unhappy branch, and the branch not taken", async () => {
    const made = await play([
      ["a", "echo", { text: 1, _outputPath: "†state.p && †state.q" }],
      ["b", "echo", { text: ["†state.p", "†state.q"] }],
      ["pay", "boom", { _outputPath: "†state.receipt || †state.error" }],
      ["thanks", "echo", { text: "†state.receipt" }],
      ["sorry", "echo", { text: "†state.error.message" }],
    ]);
    assert.deepEqual(made.received["b"], [1, 1]);
    assert.equal(ends(made)["thanks"], "skipped");
    assert.equal(made.received["sorry"], "boom failed: boom");
  });

  it("LOOP-INNER-6, LOOP-REF-3, LOOP-REF-4: cycles, missing, malformed and forbidden references are results, not a hang", async () => {
    const made = await play([
      ["a", "echo", { text: "†state.b", _outputPath: "†state.a" }],
      ["b", "echo", { text: "†state.a", _outputPath: "†state.b" }],
      ["c", "echo", { text: "†state.never" }],
      ["d", "echo", { text: "†state." }],
      ["e", "echo", { text: "†state.__proto__.x" }],
      ["f", "echo", { text: "x", _outputPath: "†state.__proto__.polluted" }],
      ["g", "echo", { text: "x", _outputPath: "nowhere" }],
      ["h", "echo", { text: "a †state.b inside text", _outputPath: "" }],
      ["i", "echo", { text: "\\†state.b" }],
    ]);
    const failed = Object.entries(ends(made))
      .filter(([, status]) => status === "failed")
      .map(([id]) => id);
    assert.deepEqual(new Set(failed), new Set(["a", "b", "c", "d", "e", "f", "g"]));
    assert.deepEqual(made.received, { h: "a †state.b inside text", i: "†state.b" });
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  });

  it("LOOP-DEP-9, LOOP-INST-1: instances do not see each other", async () => {
    const made = await play([
      ["a", "echo", { text: "one", _instance: "1", _outputPath: "†state.v" }],
      ["b", "echo", { text: "two", _instance: "2", _outputPath: "†state.v" }],
      ["c", "echo", { text: "†state.v", _instance: "1" }],
      ["d", "echo", { text: "†state.v" }],
    ]);
    assert.equal(made.received["c"], "one");
    assert.equal(ends(made)["d"], "failed");
  });

  it("C-26, LOOP-HITL-10: a person is shown the value, not the reference", async () => {
    const made = await play([
      ["a", "slow", { text: "the value", _outputPath: "†state.a" }],
      ["w", "write", { path: "x", text: "†state.a" }],
    ]);
    assert.deepEqual(
      ofType(made.events, "call:pending").map(({ params }) => params["text"]),
      ["the value"],
    );
  });

  it("a call whose file is named by a reference keeps its place among those that change files", async () => {
    const made = await play([
      ["a", "slow", { text: "x.js", _outputPath: "†state.name" }],
      ["w1", "write", { path: "†state.name", text: "1" }],
      ["w2", "write", { path: "x.js", text: "2" }],
    ]);
    const started = ofType(made.events, "tool:start").map(({ toolCallId }) => toolCallId);
    assert.deepEqual(started, ["a", "w1", "w2"]);
  });

  it("LOOP-INNER-4, LOOP-INNER-6: any graph of calls comes to its end, each call once, none before what it reads was written", async () => {
    const oneCall = fc.record({
      tool: fc.constantFrom("echo", "slow", "boom", "write"),
      reads: fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 2 }),
      or: fc.boolean(),
      writes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneCall, { maxLength: 8 }), async (list) => {
        const made = await play(
          list.map(({ tool: name, reads, or, writes }, index) => [
            `c${index}`,
            name,
            {
              ...(reads.length > 0 && { text: reads.map((other) => `†state.c${other}`).join(or ? " || " : " && ") }),
              ...(reads.length === 0 && { text: `of c${index}` }),
              ...(writes && { _outputPath: `†state.c${index}` }),
            },
          ]),
        );
        assert.deepEqual(Object.keys(ends(made)).toSorted(), list.map((_, index) => `c${index}`).toSorted());
        for (const value of Object.values(made.received)) assert.match(String(value), /^of c\d$/);
      }),
      { numRuns: 150 },
    );
  });
});
