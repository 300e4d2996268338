import assert from "node:assert/strict";
import type { ModelEvent, Ports, Tool } from "../../../src/engine/ports.ts";
import { startRun } from "../../../src/engine/run.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { toFailure } from "../../../src/protocol/errors.ts";
import type { LoopEvent, PanelEvent } from "../../../src/protocol/events.ts";
import type { Decision, Entry } from "../../../src/protocol/messages.ts";
import { interruptedResult, replay } from "../../../src/protocol/replay.ts";
import { emptyView, isRunning, reduce, type View } from "../../../src/protocol/view.ts";
import type { Item } from "../../../src/protocol/viewTurn.ts";

const session = { id: "s", title: "" };

describe("the replay of a transcript", () => {
  it("shows what the run showed: commentary, calls, decisions, results and the answer", async () => {
    const { events, entries } = await record("Fix the price\nplease", [
      [
        text("I look "),
        text("first."),
        ...call("a", "read", { path: "a.js" }),
        ...call("b", "write", { path: "a.js", _reasoningForCall: "off by one" }),
        ...call("c", "write", { path: "changed" }),
        ...call("d", "write", { path: "rejected" }),
        ...call("e", "read", { path: "broken" }),
        { type: "finish", reason: "calls" },
      ],
      [text("Done."), { type: "usage", usage: { input: 7, output: 2 } }, { type: "finish", reason: "stop" }],
    ]);
    const shown = fold([{ type: "session:open", sessionId: "s", title: "" }, ...events]);
    const replayed = fold(replay(entries, session));
    assert.deepEqual(known(replayed), known(shown));
    const [turn] = replayed.turns;
    assert.deepEqual(
      turn?.items.map((item) => (item.kind === "call" ? `${item.label.subject} ${item.state}` : item.kind)),
      ["text", "a.js succeeded", "a.js succeeded", "other.js succeeded", "rejected rejected", "broken failed", "text"],
    );
    assert.deepEqual([replayed.session.title, turn.agent, turn.end?.usage.input], ["Fix the price", "Tester", 7]);
  });

  it("shows a failure with what can be done about it", async () => {
    const failure = { ...toFailure(new Error("x")), details: ["one", "two"], action: "retry" as const };
    const { events, entries } = await record("Go", [[text("Half a"), { type: "error", failure, retryable: false }]]);
    const replayed = fold(replay(entries, session));
    assert.deepEqual(known(replayed), known(fold([{ type: "session:open", sessionId: "s", title: "" }, ...events])));
    assert.deepEqual(replayed.turns[0]?.failure, failure);
    assert.equal(replayed.turns[0].items[0]?.kind === "text" && replayed.turns[0].items[0].state, "interrupted");
  });

  it("ends what never ended as aborted, at every line it may break off after", async () => {
    const { entries } = await record("Fix it", [
      [...call("a", "read", { path: "1" }), ...call("b", "read", { path: "2" }), { type: "finish", reason: "calls" }],
      [text("Done."), { type: "finish", reason: "stop" }],
    ]);
    const second = { role: "user", content: "And now?", id: "u2", runId: "r2", timestamp: "t" } as const;
    for (let end = 1; end < entries.length; end++) {
      const view = fold(replay([...entries.slice(0, end), second], session));
      assert.deepEqual(
        view.turns.map((turn) => [turn.user, turn.end?.status]),
        [
          ["Fix it", "aborted"],
          ["And now?", "aborted"],
        ],
      );
      assert.equal(isRunning(view), false);
      for (const item of view.turns[0]?.items ?? []) {
        if (item.kind === "call" && item.state !== "succeeded")
          assert.deepEqual([item.state, item.result], ["cancelled", interruptedResult]);
      }
    }
  });

  it("shows what is left of a run whose first line is lost, and an empty session as empty", () => {
    const line = { runId: "r", timestamp: "t" };
    const entries: Entry[] = [{ role: "assistant", content: "Still here", id: "m", ...line, iteration: 1 }];
    const [turn] = fold(replay(entries, session)).turns;
    assert.deepEqual([turn?.user, turn?.items.length], ["", 1]);
    assert.deepEqual(fold(replay([], { id: "s", title: "Named" })), {
      ...emptyView,
      session: { id: "s", title: "Named" },
    });
  });

  it("survives arguments that are no JSON", () => {
    const line = { runId: "r", timestamp: "t" };
    const label = { verb: "Read", subject: "?" };
    const tool = { role: "tool", content: "no", name: "read", status: "failed", duration: 0, label, ...line } as const;
    for (const text of ['{"path":', "[]", "null", ""]) {
      const entries: Entry[] = [
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "a", name: "read", arguments: text }],
          id: "m",
          ...line,
          iteration: 1,
        },
        { ...tool, id: "t", tool_call_id: "a" },
      ];
      const [item] = fold(replay(entries, session)).turns[0]?.items ?? [];
      assert.deepEqual(item?.kind === "call" && [item.label, item.params, item.state], [label, {}, "failed"]);
    }
  });
});

function fold(events: readonly PanelEvent[]): View {
  return events.reduce(reduce, emptyView);
}

/** Without what a transcript does not hold. */
function known(view: View): unknown {
  const turns = view.turns.map((turn) => ({
    ...turn,
    items: turn.items.filter((item) => item.kind !== "notice" && item.kind !== "memory").map(knownItem),
  }));
  return { session: view.session, failure: view.failure, turns };
}

function knownItem(item: Item): unknown {
  if (item.kind === "text") return { ...item, thinking: "" };
  if (item.kind !== "call") return item;
  const call = { ...item, output: "" };
  // Arguments that did not pass the check are in the transcript, and were not shown.
  return item.decided === null && item.state === "failed" ? { ...call, params: null } : call;
}

function text(part: string): ModelEvent {
  return { type: "text", text: part };
}

function call(id: string, name: string, params: Record<string, unknown>): ModelEvent[] {
  return [
    { type: "call:start", id, name },
    { type: "call", call: { id, name, arguments: JSON.stringify(params) } },
  ];
}

/** @param worked called while it works */
function tool(name: string, effect: Tool["effect"], worked: () => void): Tool {
  const label = (params: Record<string, unknown>) => ({ verb: name, subject: String(params["path"]) });
  return {
    name,
    description: name,
    parameters: {},
    effect,
    label,
    touches: () => ({ reads: [], writes: [], runs: false }),
    prepare: (params) =>
      Promise.resolve(
        params["path"] === "broken"
          ? { kind: "refused", status: "failed", content: "No such file." }
          : {
              kind: "prepared",
              params,
              label: label(params),
              preview: { kind: "text", text: "…" },
              run: ({ output }) => {
                output("working");
                worked();
                return Promise.resolve({ status: "succeeded", content: `${name} ${String(params["path"])}` });
              },
            },
      ),
  };
}

const decisions: Readonly<Record<string, Decision>> = {
  changed: { kind: "modify", params: { path: "other.js" } },
  rejected: { kind: "reject", reason: "not now" },
};

/** One run of the real engine over a scripted model: what it told, and what it left in the transcript. */
async function record(
  message: string,
  replies: readonly (readonly ModelEvent[])[],
): Promise<{
  events: readonly LoopEvent[];
  entries: readonly Entry[];
}> {
  const entries: Entry[] = [];
  const events: LoopEvent[] = [];
  const waiting = [...replies];
  let ids = 0;
  let time = 1;
  const work = (): void => void (time += 3);
  const append = (added: readonly Entry[]): Promise<void> => {
    entries.push(...added);
    return Promise.resolve();
  };
  const ports: Ports = {
    model: () =>
      Promise.resolve({
        id: "scripted",
        contextWindow: 100_000,
        async *stream() {
          await Promise.resolve();
          yield* waiting.shift() ?? [];
        },
      }),
    tools: () => Promise.resolve([tool("read", "read", work), tool("write", "write", work)]),
    validate: () => [],
    approve: ({ params }) =>
      Promise.resolve({ decision: decisions[String(params["path"])] ?? { kind: "approve" }, by: "person" }),
    sessions: {
      open: (id) =>
        Promise.resolve({
          id,
          history: [],
          earlier: () => Promise.resolve([]),
          repairs: [],
          append,
          release: () => Promise.resolve(),
        }),
    },
    memory: { read: () => Promise.resolve("") },
    agents: { resolve: () => Promise.resolve({ id: "tester", name: "Tester", identity: "", source: null }) },
    clock: { now: () => time, after: () => () => undefined },
    ids: () => `id-${ids++}`,
    project: () => Promise.resolve(""),
    log: () => undefined,
  };
  await startRun({ message, sessionId: "s" }, ports, loopDefaults, (event) => events.push(event)).result;
  return { events, entries };
}
