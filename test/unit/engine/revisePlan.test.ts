// What a person makes of a plan before it begins: steps taken out or changed, checked again, told to the model, written down.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { PlanQuestion } from "../../../src/engine/ports.ts";
import type { Params, PlanDecision, PlanEntry, PlanStep, ToolEntry } from "../../../src/protocol/messages.ts";
import { Entry } from "../../../src/protocol/messages.ts";
import { replay } from "../../../src/protocol/replay.ts";
import { emptyView, pendingPlan, reduce, type View } from "../../../src/protocol/view.ts";
import type { PlanItem } from "../../../src/protocol/viewTurn.ts";
import { calls, kit, ofType, pathOf, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

type Call = readonly [string, string, Params];

interface Planned extends Kit {
  readonly plans: PlanQuestion[];
  /** Parameters that ran, in the order in which they did. */
  readonly ran: Params[];
  readonly asked: string[];
}

const textSchema = { type: "object", properties: { text: { type: "string" } } };

/** @param decisions one for each time that it is asked */
function planning(list: readonly Call[], ...decisions: readonly PlanDecision[]): Planned {
  const plans: PlanQuestion[] = [];
  const ran: Params[] = [];
  const asked: string[] = [];
  const run = (_: unknown, params: Params) => {
    ran.push(params);
    return { status: "succeeded", content: "", value: params["text"] } as const;
  };
  const made = kit({
    model: scriptedModel(calls(...list), says("ok")),
    tools: [
      { ...tool("look", { run }), parameters: textSchema },
      tool("write", { effect: "write", touches: (params) => ({ writes: [pathOf(params)] }), run }),
      tool("test", { effect: "run", run }),
    ],
    config: { plan: "lazy" },
    ports: {
      approvePlan(plan) {
        plans.push(plan);
        return Promise.resolve({ decision: decisions[plans.length - 1] ?? { kind: "reject" }, by: "person" });
      },
    },
    approve: ({ toolCallId }) => (
      asked.push(toolCallId),
      Promise.resolve({ decision: { kind: "approve" }, by: "person" })
    ),
  });
  return { ...made, plans, ran, asked };
}

const list: readonly Call[] = [
  ["get", "look", { text: "A", _outputPath: "†state.a" }],
  ["use", "write", { path: "b", text: "†state.a", _reasoningForCall: "So it is kept." }],
  ["other", "write", { path: "c" }],
  ["check", "test", { text: "all" }],
];
const approve = (removed: readonly string[], changed: Readonly<Record<string, Params>> = {}): PlanDecision => ({
  kind: "approve",
  changes: {
    removed: [...removed],
    changed: Object.entries(changed).map(([toolCallId, params]) => ({ toolCallId, params })),
  },
});
const planLine = (made: Kit): PlanEntry | undefined =>
  made.lines.find((line): line is PlanEntry => "type" in line && line.type === "plan");
const resultOf = (made: Kit, id: string): ToolEntry | undefined =>
  made.lines.find((line): line is ToolEntry => "role" in line && line.role === "tool" && line["tool_call_id"] === id);
const foldOf = (events: Parameters<typeof reduce>[1][]): View => events.reduce(reduce, emptyView);
const idsOf = (steps: readonly PlanStep[] = []): string[] => steps.map(({ toolCallId }) => toolCallId);
const planIn = (view: View): PlanItem | undefined => view.turns[0]?.items.find((item) => item.kind === "plan");

describe("a plan that a person changes", () => {
  it("LOOP-PLAN-3: runs without what was taken out, and the model and the transcript are told by whom", async () => {
    const made = planning(list, approve(["other"]));
    assert.equal((await made.run()).status, "completed");
    assert.deepEqual(
      made.ran.map(({ path, text }) => path ?? text),
      ["A", "b", "all"],
    );
    const result = resultOf(made, "other");
    assert.equal(result?.status, "rejected");
    assert.equal(result.content, "Rejected by the person: Removed from the plan.");
    assert.equal(result.verdict?.by, "person");
    const line = planLine(made);
    assert.deepEqual(
      line?.steps.map(({ toolCallId }) => toolCallId),
      ["get", "use", "other", "check"],
    );
    assert.deepEqual(
      line.revised?.map(({ toolCallId, after }) => [toolCallId, after]),
      [
        ["get", []],
        ["use", ["get"]],
        ["check", ["use"]],
      ],
    );
    assert.deepEqual([line.by, line.decision], ["person", approve(["other"])]);
  });

  it("LOOP-HITL-7: runs a step as it was changed, keeps where its result goes, and says so in front of the result", async () => {
    const made = planning(list, approve([], { get: { text: "B" }, check: { text: "one", _outputPath: "†state.x" } }));
    await made.run();
    assert.deepEqual(
      made.ran.map(({ path, text }) => [path, text]),
      [
        [undefined, "B"],
        ["c", undefined],
        ["b", "B"],
        [undefined, "one"],
      ],
    );
    assert.match(
      resultOf(made, "get")?.content ?? "",
      /^Changed by the person before it ran\. It ran with: \{"text":"B"\}/,
    );
    assert.match(
      resultOf(made, "check")?.content ?? "",
      /^Changed by the person before it ran\. It ran with: \{"text":"one"\}/,
    );
    for (const id of ["get", "check"]) {
      const verdict = resultOf(made, id)?.verdict;
      assert.deepEqual([verdict?.decision.kind, verdict?.by], ["modify", "person"]);
    }
    assert.deepEqual(made.asked.toSorted(), ["check", "other", "use"], "each call is still asked about");
  });

  it("approved as a whole, asks about a changed step no more, unless its values come later", async () => {
    const made = planning(list, { ...approve([], { check: { text: "one" } }), kind: "approveAll" });
    await made.run();
    assert.deepEqual(made.asked, ["use"]);
    assert.equal(resultOf(made, "check")?.verdict?.decision.kind, "modify");
    assert.equal(resultOf(made, "other")?.verdict?.decision.kind, "approve");
  });

  it("LOOP-PLAN-2: is asked about again, with the reason, while what was made of it cannot run", async () => {
    const wrong: readonly (readonly [PlanDecision, RegExp])[] = [
      [approve(["get"]), /“†state\.a” in call use is written by no call\./],
      [approve([], { get: { text: "†state.a" } }), /wait for each other: get → get\./],
      [approve(["nobody"]), /There is no call nobody in this plan\./],
      [approve([], { get: { text: 7 } }), /^look/],
    ];
    for (const [decision, problem] of wrong) {
      const made = planning(list, decision, approve(["get", "use"]));
      await made.run();
      assert.equal(made.plans.length, 2);
      assert.deepEqual(made.plans[0]?.steps, made.plans[1]?.steps);
      const [first, second] = ofType(made.events, "plan:decided");
      assert.match(first?.problem ?? "", problem);
      assert.equal(second?.problem, undefined);
      assert.deepEqual(
        made.ran.map(({ path, text }) => path ?? text),
        ["c", "all"],
      );
      assert.equal(made.lines.filter((line) => "type" in line && line.type === "plan").length, 1);
    }
  });

  it("is shown as it waits, with its problem, and afterwards as it was left; the same when it is read anew", async () => {
    const made = planning(list, approve(["get"]), approve(["other"], { check: { text: "one" } }));
    await made.run();
    const upTo = (count: number): View => {
      let decided = 0;
      const end = made.events.findIndex(({ type }) => type === "plan:decided" && ++decided === count);
      return foldOf(made.events.slice(0, end + 1));
    };
    const waiting = upTo(1);
    assert.match(pendingPlan(waiting)?.problem ?? "", /written by no call/);
    assert.deepEqual(pendingPlan(waiting)?.params["check"], { text: "all" });
    const item = planIn(upTo(2));
    assert.deepEqual(item?.params, {});
    assert.deepEqual(idsOf(item.steps), ["get", "use", "check"]);
    const again = foldOf(
      replay(
        made.lines.map((line) => Entry.parse(line)),
        { id: "s", title: "" },
      ),
    );
    assert.deepEqual(planIn(again), item);
  });

  it("of a delegate names its calls as they are known outside", async () => {
    const plans: PlanQuestion[] = [];
    const inner = [
      ["a", "write", { path: "a" }],
      ["b", "write", { path: "b" }],
    ] as const;
    const ran: string[] = [];
    const delegate = tool("run_agent", {
      run: (context) => context.delegate({ agent: "helper", task: "Do it.", data: [] }),
    });
    const write = tool("write", {
      effect: "write",
      run: (_, params) => (ran.push(pathOf(params)), { status: "succeeded", content: "" }),
    });
    const made = kit({
      model: scriptedModel(calls(["d", "run_agent", {}]), calls(...inner), says("Inner."), says("Outer.")),
      tools: [delegate, write],
      agents: { helper: { plan: "lazy" } },
      ports: {
        approvePlan(plan) {
          plans.push(plan);
          return Promise.resolve({ decision: approve(["d/a"], { "d/b": { path: "c" } }), by: "person" });
        },
      },
    });
    await made.run();
    assert.deepEqual(
      plans[0]?.steps.map(({ toolCallId }) => toolCallId),
      ["d/a", "d/b"],
    );
    assert.deepEqual(ran, ["c"]);
    const [decided] = ofType(made.events, "plan:decided");
    assert.deepEqual(decided?.decision, approve(["d/a"], { "d/b": { path: "c" } }));
    assert.deepEqual(
      decided.steps?.map(({ toolCallId }) => toolCallId),
      ["d/b"],
    );
    const again = foldOf(
      replay(
        made.lines.map((line) => Entry.parse(line)),
        { id: "s", title: "" },
      ),
    );
    assert.deepEqual(
      planIn(again)?.steps.map(({ toolCallId }) => toolCallId),
      ["d/b"],
    );
  });

  it("any changes: what was taken out never runs, the rest runs once, each call ends once, and nothing runs while it cannot", async () => {
    const oneCall = fc.record({
      name: fc.constantFrom("look", "write", "test"),
      reads: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
      writes: fc.boolean(),
      fate: fc.constantFrom("stays", "goes", "changes"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneCall, { minLength: 1, maxLength: 6 }), async (some) => {
        const planned = some.map(({ name, reads, writes }, n): Call => [
          `c${n}`,
          name,
          {
            id: `c${n}`,
            path: `p${n}`,
            ...(reads !== null && { text: `†state.c${reads}` }),
            ...(writes && { _outputPath: `†state.c${n}` }),
          },
        ]);
        const ids = (fate: string): string[] => some.flatMap((one, n) => (one.fate === fate ? [`c${n}`] : []));
        const changed = Object.fromEntries(ids("changes").map((id) => [id, { id, path: "new", text: "plain" }]));
        const made = planning(planned, approve(ids("goes"), changed));
        const outcome = await made.run();
        assert.equal(outcome.toolResults.length, some.length);
        const ran = made.ran.map(({ id }) => String(id));
        assert.equal(new Set(ran).size, ran.length);
        const decided = ofType(made.events, "plan:decided");
        const wasRevised = decided.length === 1 && decided[0]?.problem === undefined && made.plans.length === 1;
        const free = made.plans.length === 0 && ofType(made.events, "plan:proposed")[0]?.problem === undefined;
        if (wasRevised) assert.deepEqual(ran.toSorted(), [...ids("stays"), ...ids("changes")].toSorted());
        else if (!free) assert.deepEqual(ran, []);
      }),
      { numRuns: Number(process.env["PLAN_RUNS"] ?? 200) },
    );
  });
});
