// Rules that a person makes: how long each lives, and that what is kept is read with care.
import assert from "node:assert/strict";
import type { PendingCall, Ruling } from "../../../src/engine/ports.ts";
import { createRuledApprovals } from "../../../src/host/ruledApprovals.ts";
import { createFold } from "../../../src/host/fold.ts";
import { createRules } from "../../../src/host/rules.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import { ruleText, type Rule } from "../../../src/protocol/rules.ts";
import { policyOf } from "../scope/ruling.ts";

const rule = (command: string): Rule => ({ decision: "allow", tool: "run_command", command });

function made(stored?: unknown) {
  let session: string | null = "s1";
  let kept = stored;
  const rules = createRules({
    settings: () => [rule("set")],
    memory: { get: () => kept, set: (next) => (kept = next) },
    session: () => session,
  });
  const counting = (runId: string): readonly (string | undefined)[] =>
    rules.forRun(runId).map(({ command }) => command);
  return { rules, counting, open: (id: string | null) => (session = id), kept: () => kept };
}

describe("rules that a person makes", () => {
  it("for a run end with it, those for a session stay with it, and those for the workspace are kept", () => {
    const { rules, counting, open, kept } = made();
    rules.add([rule("r")], "run", "run1");
    rules.add([rule("s")], "session", "run1");
    rules.add([rule("w"), rule("w")], "workspace", "run1");
    assert.deepEqual(counting("run1"), ["set", "w", "r", "s"]);
    assert.deepEqual(counting("run2"), ["set", "w", "s"]);
    open("s2");
    assert.deepEqual(counting("run3"), ["set", "w"]);
    open("s1");
    assert.deepEqual(counting("run4"), ["set", "w", "s"]);
    assert.deepEqual(kept(), [rule("w")]);
  });

  it("are listed and can be removed", () => {
    const { rules, counting } = made();
    rules.add([rule("s")], "session", "run1");
    rules.add([rule("w")], "workspace", "run1");
    assert.deepEqual(
      rules.made().map((one) => [ruleText(one.rule), one.scope]),
      [
        ["allow run_command: w", "workspace"],
        ["allow run_command: s", "session"],
      ],
    );
    for (const one of rules.made()) rules.remove(one);
    assert.deepEqual(counting("run1"), ["set"]);
  });

  it("allow nothing where what was kept cannot be read", () => {
    assert.deepEqual(made("x").counting("r"), ["set"]);
    assert.deepEqual(made([{ decision: "allow", all: true }, rule("w"), null]).counting("r"), ["set", "w"]);
  });
});

function asking() {
  let kept: readonly Rule[] = [];
  const events: PanelEvent[] = [];
  const fold = createFold(
    (event) => events.push(event),
    () => undefined,
  );
  const made = createRuledApprovals(
    {
      fold,
      settings: () => [],
      memory: { get: () => kept, set: (next) => (kept = next) },
      policyUnder: policyOf,
      log: assert.fail,
    },
    () => undefined,
  );
  const again = (command: string): (() => Ruling) => {
    const allows = (): boolean => made.rules.forRun("r").some((one) => one.command === command);
    return () => (allows() ? { kind: "allow", rule: "it" } : { kind: "ask", why: "" });
  };
  const call = (toolCallId: string, command: string): PendingCall => ({
    runId: "r",
    toolCallId,
    toolName: "run_command",
    params: {},
    label: { verb: "Run", subject: command },
    why: "",
    offers: [[rule(command)], [rule(`${command} *`)]],
    again: again(command),
  });
  const { signal } = new AbortController();
  const ran = (id: string, command: string): void => {
    const about = { runId: "r", toolCallId: id, label: { verb: "Run", subject: command } };
    const preview = { kind: "command", command, cwd: "." } as const;
    fold.event({
      type: "call:streaming",
      runId: "r",
      toolCallId: id,
      toolName: "run_command",
      messageId: "m",
      iteration: 1,
    });
    fold.event({ type: "call:ready", ...about, params: {}, preview });
  };
  return { ...made, fold, events, ran, ask: (id: string, command: string) => made.approve(call(id, command), signal) };
}

describe("always allow", () => {
  it("approves the call and those that wait and fit, and leaves the others", async () => {
    const { ask, allowing, approvals } = asking();
    const answers = [ask("a", "npm test"), ask("b", "npm test"), ask("c", "npm ci")];
    assert.equal(await allowing.allow("a", 0, "session"), true);
    assert.deepEqual(await answers[0], { decision: { kind: "approve" }, by: "person" });
    assert.deepEqual(await answers[1], { decision: { kind: "approve" }, by: "policy", rule: "it" });
    assert.deepEqual(
      approvals.waiting().calls.map(({ toolCallId }) => toolCallId),
      ["c"],
    );
    assert.equal(await allowing.allow("a", 0, "session"), false);
    assert.equal(await allowing.allow("c", 2, "session"), false);
  });

  it("of a host lets the command go on, and others that wait for the same host", async () => {
    const { approve, allowing, approvals, rules } = asking();
    const { signal } = new AbortController();
    const host = (toolCallId: string): PendingCall => ({
      runId: "r",
      toolCallId,
      toolName: "reach_host",
      params: { host: "a.test", port: 443 },
      label: { verb: "Reach", subject: "a.test:443" },
      why: "",
      offers: [[{ decision: "allow", host: "a.test" }]],
      again: () =>
        policyOf(rules.forRun("r"))({
          runId: "r",
          toolCallId,
          toolName: "reach_host",
          effect: "run",
          preview: { kind: "host", host: "a.test", port: 443 },
          touches: { reads: [], writes: [], runs: false },
          narrowing: [],
        }),
    });
    const answers = [approve(host("c/host-1"), signal), approve(host("d/host-1"), signal)];
    assert.equal(await allowing.allow("c/host-1", 0, "workspace"), true);
    assert.deepEqual(await Promise.all(answers), [
      { decision: { kind: "approve" }, by: "person" },
      { decision: { kind: "approve" }, by: "policy", rule: "allow: host a.test" },
    ]);
    assert.deepEqual(approvals.waiting().calls, []);
    assert.deepEqual(
      rules.made().map((made) => ruleText(made.rule)),
      ["allow: host a.test"],
    );
  });

  it("shows the rules in words, with the earlier calls that they fit", async () => {
    const { ask, fold, events, ran, allowing } = asking();
    fold.event({ type: "loop:start", runId: "r", sessionId: "s", message: "", messageId: "m", timestamp: "" });
    ran("1", "npm test -w");
    ran("2", "npm test");
    ran("3", "npm test; rm x");
    ran("4", "npm ci");
    ran("a", "npm test");
    void ask("a", "npm test");
    const shown = await fold.next((event) => (event.type === "call:offers" ? event : undefined));
    assert.deepEqual(shown.offers, [
      {
        text: "allow run_command: npm test",
        words: "Runs exactly “npm test” without asking.",
        matches: ["Run npm test"],
      },
      {
        text: "allow run_command: npm test *",
        words: "Runs “npm test” with any arguments without asking.",
        matches: ["Run npm test -w", "Run npm test"],
      },
    ]);
    const { length } = events;
    await allowing.offer({
      runId: "r",
      toolCallId: "x",
      toolName: "t",
      params: {},
      label: { verb: "", subject: "" },
      why: "",
    });
    assert.equal(events.length, length, "a call without offers is not told of");
  });
});
