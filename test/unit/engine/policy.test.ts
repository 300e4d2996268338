// What policy says, as a run shows it: allowed with its rule, asked with offers, denied without asking, and never by itself when mended.
import assert from "node:assert/strict";
import type { PendingCall, Policy, PolicyCall, Ruling } from "../../../src/engine/ports.ts";
import type { Decision, ToolEntry } from "../../../src/protocol/messages.ts";
import { rerunAll } from "../../../src/engine/rerun.ts";
import { createVirtualClock } from "../../../src/brain/virtualClock.ts";
import { validateJson } from "../../../src/tools/jsonSchema.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

interface Asked extends Kit {
  readonly asked: PendingCall[];
  readonly ruled: PolicyCall[];
}

interface Setting {
  readonly rulings: Readonly<Record<string, Ruling>>;
  readonly params?: string;
  readonly decision?: Decision;
  readonly policy?: Policy;
}

function withPolicy({ rulings, params = "{}", decision = { kind: "approve" }, policy }: Setting): Asked {
  const asked: PendingCall[] = [];
  const ruled: PolicyCall[] = [];
  const made = kit({
    model: scriptedModel(calls(["c1", "run", params]), says("Done.")),
    tools: [tool("run", { effect: "run" }), tool("other", { effect: "run" }), tool("look")],
    approve: (call) => {
      asked.push(call);
      // A second question is answered by leaving it.
      return Promise.resolve({ decision: asked.length > 1 ? { kind: "approve" } : decision, by: "person" });
    },
    ports: {
      policy:
        policy ??
        ((call) => {
          ruled.push(call);
          return rulings[call.toolName] ?? { kind: "ask", why: "No rule." };
        }),
    },
  });
  return { ...made, asked, ruled };
}

function resultOf({ lines }: Kit): ToolEntry | undefined {
  return lines.find((line): line is ToolEntry => "role" in line && line.role === "tool");
}

describe("policy in a run", () => {
  it("what a rule allows runs without a question, and says which rule it was", async () => {
    const made = withPolicy({ rulings: { run: { kind: "allow", rule: "allow: x" } } });
    await made.run();
    assert.equal(made.asked.length, 0);
    const [decided] = ofType(made.events, "call:decided");
    assert.deepEqual(decided && { by: decided.by, rule: decided.rule }, { by: "policy", rule: "allow: x" });
    assert.equal(resultOf(made)?.verdict?.rule, "allow: x");
    assert.equal(resultOf(made)?.status, "succeeded");
  });

  it("what needs no rule is not told of", async () => {
    const made = withPolicy({ rulings: { run: { kind: "allow" } } });
    await made.run();
    assert.equal(ofType(made.events, "call:decided").length, 0);
    assert.equal(resultOf(made)?.verdict?.by, "policy");
  });

  it("what is denied is a result for the model and never a question", async () => {
    const made = withPolicy({ rulings: { run: { kind: "deny", why: "Denied by the rule “deny: x”." } } });
    await made.run();
    assert.equal(made.asked.length, 0);
    assert.equal(ofType(made.events, "call:pending").length, 0);
    const { status, content, verdict } = resultOf(made) ?? {};
    assert.equal(status, "denied");
    assert.match(content ?? "", /Denied by the rule “deny: x”\./);
    assert.equal(verdict, undefined);
  });

  it("what asks says why, with what could be allowed from now on", async () => {
    const offers = [[{ decision: "allow", command: "x" } as const]];
    const made = withPolicy({ rulings: { run: { kind: "ask", why: "It does.", offers } } });
    await made.run();
    assert.deepEqual(
      made.asked.map(({ why, offers: given }) => ({ why, given })),
      [{ why: "It does.", given: offers }],
    );
    assert.deepEqual(await made.asked[0]?.again?.(), { kind: "ask", why: "It does.", offers });
  });

  it("C-14 mended arguments are asked about though a rule allows them, and nothing is offered for them", async () => {
    const made = withPolicy({ rulings: { run: { kind: "allow", rule: "allow: x" } }, params: '{"path": "a",}' });
    await made.run();
    assert.deepEqual(
      made.asked.map(({ why, offers }) => ({ why, offers })),
      [{ why: "It runs a command on this machine. What the model wrote had to be mended first.", offers: undefined }],
    );
    assert.equal((await made.asked[0]?.again?.())?.kind, "ask");
  });

  it("C-14 mended arguments that are denied stay denied", async () => {
    const made = withPolicy({ rulings: { run: { kind: "deny", why: "No." } }, params: '{"path": "a",}' });
    await made.run();
    assert.equal(made.asked.length, 0);
    assert.equal(resultOf(made)?.status, "denied");
  });

  it("a person cannot put a denied call in the place of another", async () => {
    const made = withPolicy({
      rulings: { other: { kind: "deny", why: "Denied by the rule." } },
      decision: { kind: "replace", call: { name: "other", params: {} } },
    });
    await made.run();
    assert.equal(ofType(made.events, "call:decided")[0]?.problem, "Denied by the rule.");
    assert.equal(made.asked.length, 2);
  });

  it("a policy that fails asks", async () => {
    for (const policy of [() => Promise.reject(new Error("x")), (): never => assert.fail("x")]) {
      const made = withPolicy({ rulings: {}, policy });
      await made.run();
      assert.deepEqual(
        made.asked.map(({ why }) => why),
        ["The rules could not be read, so it asks."],
      );
    }
  });

  it("C-09 a rerun knows what a rule allowed and denied", async () => {
    for (const ruling of [
      { kind: "allow", rule: "allow: x" },
      { kind: "deny", why: "No." },
    ] as const) {
      const made = withPolicy({ rulings: { run: ruling } });
      await made.run();
      const lines = made.lines.map((entry, index) => ({ entry, number: index + 1 }));
      const reruns = await rerunAll(lines, { clockAt: createVirtualClock, validate: validateJson });
      assert.deepEqual(
        reruns.flatMap(({ differences }) => differences),
        [],
      );
    }
  });

  it("T6 a delegate has the narrowing of its caller and its own", async () => {
    const ruled: PolicyCall[] = [];
    const deny = { decision: "deny", command: "x" } as const;
    const ask = { decision: "ask", command: "y" } as const;
    const made = kit({
      model: scriptedModel(calls(["c1", "give", {}]), calls(["c2", "run", {}]), says("Inner."), says("Done.")),
      tools: [
        tool("give", { run: (context) => context.delegate({ agent: "helper", task: "Do.", data: [] }) }),
        tool("run", { effect: "run" }),
      ],
      agent: { approvals: [deny] },
      agents: { helper: { approvals: [ask] } },
      ports: {
        policy: (call) => {
          ruled.push(call);
          return { kind: "allow" };
        },
      },
    });
    await made.run();
    assert.deepEqual(
      ruled.map(({ toolName, narrowing }) => [toolName, narrowing]),
      [
        ["give", [[deny]]],
        ["run", [[deny], [ask]]],
      ],
    );
  });
});
