// What the host tells of plans that can be changed, of plans of many calls, and of to-dos.
import type { LoopEvent, PanelEvent } from "../../src/protocol/events.ts";
import type { Todo } from "../../src/protocol/todos.ts";
import * as story from "./stories.ts";

const runId = "run-1";

/** A plan that waits, with all that is needed to change its steps. */
export function changeable(): readonly PanelEvent[] {
  const params = Object.fromEntries([
    ...["r1", "r2"].map((id) => [id, { path: id === "r1" ? "src/price.js" : "src/cart.js" }] as const),
    ["e1", story.editParams],
    ["w1", { path: "docs/prices.md", content: "†state.notes" }],
    ["c1", { command: "node --test test/cart.test.js" }],
  ]);
  return [
    ...story.withPlan("lazy").slice(0, -1),
    { type: "plan:proposed", runId, planId: "plan-1", mode: "lazy", steps: [...story.planSteps], params },
  ];
}

/** What was made of the plan cannot run. */
export function refused(): LoopEvent {
  const problem = "“†state.price” in call e1 is written by no call.";
  return { type: "plan:decided", runId, planId: "plan-1", decision: { kind: "approve" }, by: "person", problem };
}

/** A plan of sixty calls in six columns: each comes after one to three of the column before. */
export function sixty(): readonly PanelEvent[] {
  const calls = Array.from({ length: 60 }, (_, n) => story.read(`s${n}`, `src/modules/part${n}.ts`));
  const steps = calls.map(({ id, verb, subject, tool }, n) => {
    const first = n < 10 ? [] : [n - 10, n - 10 + ((n * 7) % 10) - (n % 10), ...(n > 25 ? [n % 11] : [])];
    const after = [...new Set(first)].filter((other) => other >= 0 && other < n).map((other) => `s${other}`);
    return { toolCallId: id, toolName: tool, label: { verb, subject }, after };
  });
  return [
    story.setup(),
    ...story.start("Read all of it."),
    ...calls.flatMap((call, n) => (n < 10 ? story.ready(call) : story.blocked(call, [`s${n - 10}`]))),
    story.plan("eager", undefined, steps),
    ...calls
      .slice(0, 14)
      .flatMap((call, n) => (n < 10 ? [...story.running(call), story.ended(call, "…")] : story.running(call))),
  ];
}

export const todos: readonly Todo[] = [
  { text: "Find where the discount is rounded", state: "done" },
  { text: "Round once, after the discount, in src/price.js", state: "doing" },
  { text: "Run the tests of the cart", state: "open" },
  { text: "Say so in docs/prices.md", state: "open" },
];

/** The model keeps its list. */
export function keepsTodos(list: readonly Todo[], id = "todos-1"): readonly LoopEvent[] {
  const call = { id, tool: "update_todos", verb: "Update", subject: "to-dos", params: { todos: list } };
  const preview = { kind: "todos" as const, todos: [...list] };
  return [...story.ready(call, preview), ...story.running(call), story.ended(call, "The list is kept.")];
}
