// The calls of a reply as a plan: drawn, checked, approved as a whole, run in order, and told to the model afterwards.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { ApprovePlan, PlanQuestion } from "../../../src/engine/ports.ts";
import type { Params, PlanDecision } from "../../../src/protocol/messages.ts";
import { calls, kit, ofType, pathOf, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

interface Planned extends Kit {
  readonly model: ReturnType<typeof scriptedModel>;
  readonly plans: PlanQuestion[];
  /** Ids of calls in the order in which they ran. */
  readonly ran: string[];
  readonly asked: string[];
}

type Call = readonly [string, string, Params];

function planning(list: readonly Call[], decision: PlanDecision, lazy = true): Planned {
  const plans: PlanQuestion[] = [];
  const ran: string[] = [];
  const asked: string[] = [];
  const model = scriptedModel(
    calls(...list.map(([id, name, params]) => [id, name, { id, ...params }] as const)),
    says("ok"),
  );
  const approvePlan: ApprovePlan = (plan) => {
    plans.push(plan);
    return Promise.resolve({ decision, by: "person" });
  };
  const run = (_: unknown, params: Params) => {
    ran.push(String(params["id"]));
    return { status: "succeeded", content: "", value: params["text"] } as const;
  };
  const made = kit({
    model,
    tools: [
      tool("look", { run }),
      tool("write", { effect: "write", touches: (params) => ({ writes: [pathOf(params)] }), run }),
      tool("test", { effect: "run", run }),
    ],
    config: { plan: lazy ? "lazy" : "eager" },
    ports: { approvePlan },
    approve: ({ toolCallId }) => (
      asked.push(toolCallId),
      Promise.resolve({ decision: { kind: "approve" }, by: "person" })
    ),
  });
  return { ...made, model, plans, ran, asked };
}

const plan: readonly Call[] = [
  ["use", "write", { path: "b", text: "†state.a" }],
  ["get", "look", { text: "A", _outputPath: "†state.a" }],
  ["other", "write", { path: "c" }],
  ["check", "test", {}],
];

describe("a plan", () => {
  it("LOOP-PLAN-3, LOOP-PLAN-4: nothing of a lazy plan starts before it is approved, then it runs in the order of its edges", async () => {
    const made = planning(plan, { kind: "approve" });
    assert.equal((await made.run()).status, "completed");
    assert.deepEqual(
      made.plans[0]?.steps.map(({ toolCallId, after }) => [toolCallId, after]),
      [
        ["use", ["get"]],
        ["get", []],
        ["other", []],
        ["check", ["use", "other"]],
      ],
    );
    assert.deepEqual(made.ran, ["get", "other", "use", "check"]);
    const types = made.events.map(({ type }) => type);
    assert.ok(types.indexOf("plan:decided") < types.indexOf("tool:start"));
    assert.deepEqual(made.asked.toSorted(), ["check", "other", "use"], "each call is still asked about");
    assert.ok(made.lines.some((line) => "type" in line && line.type === "plan"));
  });

  it("approving all approves what was shown: a call whose values came later is still asked about", async () => {
    const made = planning(plan, { kind: "approveAll" });
    await made.run();
    assert.deepEqual(made.ran.toSorted(), ["check", "get", "other", "use"]);
    assert.deepEqual(made.asked, ["use"]);
    const verdicts = made.lines.flatMap((line) => ("role" in line && line.role === "tool" ? [line["verdict"]] : []));
    assert.deepEqual(
      verdicts.map((verdict) => verdict && Object(verdict)["by"]),
      ["policy", "person", "person", "person"],
    );
  });

  it("a rejected plan runs nothing, and the model reads why", async () => {
    const made = planning(plan, { kind: "reject", reason: "Not before Monday." });
    const outcome = await made.run();
    assert.deepEqual(made.ran, []);
    assert.deepEqual(
      outcome.toolResults.map(({ status, content }) => [status, content]),
      plan.map(() => ["rejected", "The person rejected the plan: Not before Monday. None of its calls ran."]),
    );
  });

  it("LOOP-PLAN-2: cycles, alone and together, and references that nothing writes are refused before anybody is asked", async () => {
    for (const [list, problem] of [
      [[["a", "write", { path: "x", text: "†state.a", _outputPath: "†state.a" }]], /wait for each other: a → a\./],
      [
        [
          ["a", "write", { path: "x", text: "†state.b", _outputPath: "†state.a" }],
          ["b", "write", { path: "y", text: "†state.a", _outputPath: "†state.b" }],
        ],
        /wait for each other: (a → b → a|b → a → b)\./,
      ],
      [
        [["a", "write", { path: "x", text: "†state.never || †state.nor" }]],
        /“†state\.never \|\| †state\.nor” in call a/,
      ],
    ] as const) {
      const made = planning(list, { kind: "approve" });
      const outcome = await made.run();
      assert.deepEqual([made.plans, made.ran], [[], []]);
      assert.ok(outcome.toolResults.every(({ status, content }) => status === "failed" && problem.test(content)));
      assert.match(ofType(made.events, "plan:proposed")[0]?.problem ?? "", problem);
    }
  });

  it("replies that only read need no plan; eager calls are drawn, not held", async () => {
    const reading = planning([["a", "look", {}]], { kind: "reject" });
    await reading.run();
    assert.deepEqual([reading.plans, reading.ran], [[], ["a"]]);
    const eager = planning(plan, { kind: "reject" }, false);
    await eager.run();
    assert.deepEqual(eager.ran.toSorted(), ["check", "get", "other", "use"]);
    assert.equal(ofType(eager.events, "plan:proposed")[0]?.mode, "eager");
    assert.deepEqual(eager.plans, []);
  });

  it("LOOP-PLAN-1, LOOP-PLAN-5: the next request shows what became of each call; what did not run is not carried over", async () => {
    const made = planning(plan, { kind: "reject" });
    await made.run();
    const last = made.model.requests[1]?.messages.at(-1)?.content ?? "";
    assert.match(last, /^## Data: ¶plan\n\[\{"_tool":"write","id":"use","status":"rejected"\}/);
    assert.match(last, /runs only if you call it again/);
    assert.deepEqual(made.ran, []);
  });

  it("stopping while a plan waits ends its calls as cancelled", async () => {
    const model = scriptedModel(calls(["a", "write", { path: "x" }]));
    const made = kit({
      model,
      tools: [tool("write", { effect: "write" })],
      config: { plan: "lazy" },
      ports: { approvePlan: () => new Promise(() => undefined) },
    });
    const run = made.start();
    await made.clock.advance(10);
    run.stop();
    const outcome = await run.result;
    assert.equal(outcome.status, "aborted");
    assert.deepEqual(
      outcome.toolResults.map(({ status }) => status),
      ["cancelled"],
    );
  });

  it("any graph: an approved plan runs each call once, after the calls it is drawn after; one that cannot run is refused whole", async () => {
    const oneCall = fc.record({
      tool: fc.constantFrom("look", "write", "test"),
      path: fc.constantFrom("1", "2"),
      reads: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 2 }),
      writes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(oneCall, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(" || ", " && "),
        async (list, or) => {
          const made = planning(
            list.map(({ tool: name, path, reads, writes }, n) => [
              `c${n}`,
              name,
              {
                path,
                ...(reads.length > 0 && { text: reads.map((other) => `†state.c${other}`).join(or) }),
                ...(writes && { _outputPath: `†state.c${n}` }),
              },
            ]),
            { kind: "approve" },
          );
          const outcome = await made.run();
          assert.equal(outcome.toolResults.length, list.length);
          const proposed = ofType(made.events, "plan:proposed")[0];
          if (proposed?.problem !== undefined) assert.deepEqual(made.ran, []);
          else {
            assert.equal(new Set(made.ran).size, made.ran.length);
            const edges = (proposed?.steps ?? []).flatMap(({ toolCallId, after }) =>
              after.map((before) => [made.ran.indexOf(before), made.ran.indexOf(toolCallId)] as const),
            );
            // What is only an alternative is drawn too, and not waited for once another one is there.
            const sure = or === " && " ? edges.filter(([before, after]) => before !== -1 && after !== -1) : [];
            for (const [before, after] of sure) assert.ok(before < after);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
