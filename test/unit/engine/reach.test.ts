// Hosts that a call at work wants to reach: the rules decide, else the person, once for each, and no clock runs meanwhile.
import assert from "node:assert/strict";
import type {
  Approval,
  Approve,
  CallContext,
  HostTarget,
  PendingCall,
  Policy,
  Reached,
} from "../../../src/engine/ports.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { LoopEvent } from "../../../src/protocol/events.ts";
import { replay } from "../../../src/protocol/replay.ts";
import { reduce, emptyView } from "../../../src/protocol/view.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

const target = (host: string, ruled = false): HostTarget => ({ host, port: 443, ruled });

/** What the policy says by host; everything else is asked about. */
const policy: Policy = ({ preview }) => {
  if (preview?.kind !== "host") return { kind: "allow" };
  if (preview.host.startsWith("allowed")) return { kind: "allow", rule: "allow: host allowed" };
  if (preview.host.startsWith("denied")) return { kind: "deny", why: "Denied by the rule." };
  return { kind: "ask", why: "", offers: [[{ decision: "allow", host: preview.host }]] };
};

type Work = (context: CallContext) => Promise<readonly Reached[]>;

/** A run with one command, that asks for hosts. */
function running(work: Work, approve: Approve): Kit & { readonly reached: () => readonly Reached[] } {
  let reached: readonly Reached[] = [];
  const command = tool("run_command", {
    effect: "run",
    run: async (context) => {
      reached = await work(context);
      return { status: "succeeded", content: "done" };
    },
  });
  const model = scriptedModel(calls(["c", "run_command", { path: "npm install" }]), says("ok"));
  return Object.assign(kit({ model, tools: [command], approve, ports: { policy } }), { reached: () => reached });
}

const never = new AbortController().signal;
const person = (decision: Approval["decision"]): Approval => ({ decision, by: "person" });
const approved = person({ kind: "approve" });

interface Asked {
  readonly approve: Approve;
  readonly asked: PendingCall[];
}

function answering(...answers: readonly Approval[]): Asked {
  const asked: PendingCall[] = [];
  return { asked, approve: (call) => Promise.resolve(answers[asked.push(call) - 1] ?? approved) };
}

function settled(made: Kit): readonly string[] {
  return ofType(made.events, "call:pending", "call:decided", "tool:end").map((event) =>
    event.type === "tool:end" ? `${event.toolCallId} ${event.status}` : `${event.toolCallId} ${event.type}`,
  );
}

describe("Hosts that a call wants to reach", () => {
  it("are let through or refused by the rules, and nobody is asked", async () => {
    const { approve, asked } = answering();
    const work: Work = ({ reach }) =>
      Promise.all(
        [target("allowed.test"), target("denied.test"), target("other.test", true)].map((one) => reach(one, never)),
      );
    const made = running(work, approve);
    await made.run();
    assert.deepEqual(made.reached(), [
      { kind: "allowed" },
      { kind: "refused", why: "Denied by the rule." },
      { kind: "refused", why: "no rule names it" },
    ]);
    assert.deepEqual(asked, []);
    assert.deepEqual(settled(made), ["c succeeded"]);
  });

  it("are asked about once for all connections of the call, and what is decided holds for it", async () => {
    const { approve, asked } = answering(approved, person({ kind: "reject", reason: " not today " }));
    const work: Work = async ({ reach }) => {
      const names = ["a.test", "a.test", "b.test", "b.test"];
      const together = await Promise.all(names.map((name) => reach(target(name), never)));
      return [...together, await reach(target("a.test"), never), await reach(target("b.test"), never)];
    };
    const made = running(work, approve);
    await made.run();
    const no = { kind: "refused", why: "the person refused it: not today" } as const;
    const yes = { kind: "allowed" } as const;
    assert.deepEqual(made.reached(), [yes, yes, no, no, yes, no]);
    assert.deepEqual(
      asked.map(({ toolCallId, label, why, offers }) => ({ toolCallId, label, why, offers })),
      ["a.test", "b.test"].map((host, index) => ({
        toolCallId: `c/host-${index + 1}`,
        label: { verb: "Reach", subject: `${host}:443` },
        why: `“npm install” wants to reach ${host}:443.`,
        offers: [[{ decision: "allow", host }]],
      })),
    );
    assert.deepEqual(settled(made).toSorted(), [
      "c succeeded",
      "c/host-1 call:decided",
      "c/host-1 call:pending",
      "c/host-1 succeeded",
      "c/host-2 call:decided",
      "c/host-2 call:pending",
      "c/host-2 rejected",
    ]);
  });

  it("C-35: no time of the call or of the run goes on while the person is asked", async () => {
    let answer = (_answer: Approval): void => undefined;
    const made = running(
      async ({ reach }) => [await reach(target("a.test"), never)],
      () => new Promise((resolve) => (answer = resolve)),
    );
    const result = made.run();
    await made.clock.advance(10 * loopDefaults.executionTimeout);
    answer(approved);
    assert.equal((await result).status, "completed");
    assert.deepEqual(made.reached(), [{ kind: "allowed" }]);
  });

  it("are refused in the background, when the command ends before the answer, and where nobody can be asked", async () => {
    const over = new AbortController();
    const waits: Approve = () => {
      queueMicrotask(() => over.abort());
      return new Promise(() => undefined);
    };
    const made = running(
      async ({ reach }) => [await reach(target("a.test"), over.signal), await reach(target("b.test"), over.signal)],
      waits,
    );
    await made.run();
    assert.deepEqual(
      made.reached().map((reached) => (reached.kind === "refused" ? reached.why : "")),
      [
        "nobody decided about it before the call ended",
        "it goes on in the background, where nobody is asked: a rule has to allow the host",
      ],
    );
    assert.deepEqual(settled(made), ["c/host-1 call:pending", "c/host-1 cancelled", "c succeeded"]);
    const failing = running(
      async ({ reach }) => [await reach(target("a.test"), never)],
      () => Promise.reject(new Error("no")),
    );
    await failing.run();
    assert.equal(failing.reached()[0]?.kind, "refused");
  });

  it("end with the run", async () => {
    const made = running(
      async ({ reach }) => [await reach(target("a.test"), never)],
      () => new Promise(() => undefined),
    );
    const run = made.start();
    await made.clock.advance(0);
    run.stop();
    await made.clock.advance(0);
    assert.equal((await run.result).status, "aborted");
    assert.deepEqual(made.reached(), [{ kind: "refused", why: "nobody decided about it before the call ended" }]);
  });

  it("cannot be changed or replaced, only allowed or refused", async () => {
    const replaced = person({ kind: "replace", call: { name: "read_file", params: {} } });
    const { approve } = answering(person({ kind: "modify", params: { host: "b.test" } }), replaced, approved);
    const made = running(async ({ reach }) => [await reach(target("a.test"), never)], approve);
    await made.run();
    assert.deepEqual(
      ofType(made.events, "call:decided").map(({ problem }) => problem),
      ["A host can only be allowed or refused.", "A host can only be allowed or refused.", undefined],
    );
  });

  it("are too many at some point", async () => {
    const { approve, asked } = answering();
    const names = Array.from({ length: 30 }, (_, index) => `${index}.test`);
    const made = running(({ reach }) => Promise.all(names.map((name) => reach(target(name), never))), approve);
    await made.run();
    assert.equal(asked.length, 20);
    assert.deepEqual(made.reached().at(-1), { kind: "refused", why: "it has asked for 20 other hosts already" });
  });

  it("are kept in the transcript with who decided, and shown from it as they were", async () => {
    const { approve } = answering(approved, person({ kind: "reject" }));
    const work: Work = async ({ reach }) => [
      await reach(target("a.test"), never),
      await reach(target("b.test"), never),
    ];
    const made = running(work, approve);
    await made.run();
    const kept = made.lines.filter((entry) => "role" in entry && entry.role === "tool" && entry.within === "c");
    assert.deepEqual(
      kept.map((entry) => "verdict" in entry && entry.verdict),
      (["approve", "reject"] as const).map((kind) => ({
        decision: { kind },
        by: "person",
        at: "2026-01-02T03:04:05.000Z",
      })),
    );
    const shown = (events: readonly (LoopEvent | ReturnType<typeof replay>[number])[]) => {
      const items = events.reduce(reduce, emptyView).turns[0]?.items ?? [];
      return items.flatMap((item) => (item.kind === "call" ? [{ ...item, messageId: "", ask: null }] : []));
    };
    const first = ({ id }: { readonly id: string }, other: { readonly id: string }): number =>
      id.localeCompare(other.id);
    const stored = shown(replay(made.lines, { id: "s", title: "" })).toSorted(first);
    assert.deepEqual(
      stored.map(({ id, state, label, decided, within, preview }) => ({ id, state, label, decided, within, preview })),
      shown(made.events)
        .toSorted(first)
        .map(({ id, state, label, decided, within, preview }) => ({ id, state, label, decided, within, preview })),
    );
  });
});
