// The gate: a command that leaves its sandbox is asked about by itself, and the question says what confines a command.
import assert from "node:assert/strict";
import type { PendingCall, Tool } from "../../../src/engine/ports.ts";
import { rulingOn } from "../../../src/engine/policy.ts";
import type { Preview } from "../../../src/protocol/calls.ts";
import { calls, kit, says, scriptedModel, tool } from "../../support/kit.ts";

function commandTool(preview: Preview, effect: Tool["effect"] = "run"): Tool {
  const plain = tool("run_command", { effect });
  return {
    ...plain,
    prepare: async (...asked) => {
      const ready = await plain.prepare(...asked);
      return ready.kind === "refused" ? ready : { ...ready, preview };
    },
  };
}

function askedAbout(shown: Preview, effect?: Tool["effect"]): Promise<readonly PendingCall[]> {
  return askedFor(commandTool(shown, effect));
}

/** About a call of a tool in a plan that was approved with all of its calls. */
async function askedFor(only: Tool): Promise<readonly PendingCall[]> {
  const asked: PendingCall[] = [];
  const made = kit({
    model: scriptedModel(calls(["c1", "run_command", {}]), says("ok")),
    tools: [only],
    config: { plan: "lazy" },
    ports: { approvePlan: () => Promise.resolve({ decision: { kind: "approveAll" }, by: "person" }) },
    approve: (call) => {
      asked.push(call);
      return Promise.resolve({ decision: { kind: "approve" }, by: "person" });
    },
  });
  await made.run();
  return asked;
}

const line = { kind: "command", command: "npm i", cwd: "." } as const;
const wish = { by: "model", why: "The model asks to run this outside." } as const;

describe("The gate", () => {
  it("asks about a command that leaves the sandbox, even when its plan was approved or nothing else would ask", async () => {
    const preview = { ...line, confined: false, unconfined: wish };
    assert.deepEqual(
      (await askedAbout(preview)).map(({ why }) => why),
      ["It runs a command on this machine. The model asks to run this outside."],
    );
    const free = await askedAbout(preview, "read");
    assert.equal(free[0]?.why, "The model asks to run this outside.");
  });

  it("asks about each call of a tool that wants it, even when its plan was approved", async () => {
    const asked = await askedFor({
      ...tool("run_command", { effect: "run" }),
      alwaysAsks: "Its file wants to be asked.",
    });
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.why, "Its file wants to be asked.");
  });

  it("offers no rule for what asks whatever the rules say", async () => {
    const offers = [[{ tool: "run_command", decision: "allow" }]] as const;
    const asking = { repaired: false, alwaysAsks: "Its file wants to be asked." };
    const about = { runId: "r", toolCallId: "c", toolName: "run_command", effect: "run", narrowing: [] } as const;
    const call = { ...about, touches: { reads: [], writes: [], runs: true } };
    const policy = () => ({ kind: "ask", why: "No rule allows it.", offers }) as const;
    assert.deepEqual(await rulingOn(call, asking, policy), { kind: "ask", why: asking.alwaysAsks });
    assert.deepEqual(await rulingOn(call, { repaired: false }, policy), policy());
    const denied = { kind: "deny", why: "A rule denies it." } as const;
    assert.deepEqual(await rulingOn(call, asking, () => denied), denied);
  });

  it("lets an approved plan's commands run where there is no sandbox at all", async () => {
    const preview = { ...line, confined: false, unconfined: { by: "system", why: "There is none." } as const };
    assert.deepEqual(await askedAbout(preview), []);
    assert.deepEqual(await askedAbout({ ...line, confined: true }), []);
  });
});
