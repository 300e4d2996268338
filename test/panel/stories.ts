// Runs as the host tells them: short scripts of events for the states that the panel has to draw.
import type { Preview } from "../../src/protocol/calls.ts";
import type { LoopEvent, PanelEvent, Setup, ToolInfo } from "../../src/protocol/events.ts";
import type { CallStatus, Decision, Params, PauseChoice, PauseReason } from "../../src/protocol/messages.ts";
import type { PlanDecision, PlanStep } from "../../src/protocol/messages.ts";
import type { Usage } from "../../src/protocol/usage.ts";
import { emptyView, reduce } from "../../src/protocol/view.ts";
import type { View } from "../../src/protocol/view.ts";

const runId = "run-1";

const demo: Setup = {
  workspace: "trusted",
  workspaceName: "shop",
  agent: "coder",
  provider: "demo",
  model: "demo",
  scripted: true,
  keyMissing: false,
};

export const real: Setup = { ...demo, provider: "openai-chat", model: "gpt-6-codex-large", scripted: false };

export function setup(change: Partial<Setup> = {}): PanelEvent {
  return { type: "panel:setup", setup: { ...demo, ...change } };
}

/** The host's own fold, which it sends as the snapshot. */
export function fold(events: readonly PanelEvent[]): View {
  return events.reduce(reduce, emptyView);
}

export function start(message: string, id = runId): readonly LoopEvent[] {
  return [
    {
      type: "loop:start",
      runId: id,
      sessionId: "session-1",
      message,
      messageId: `${id}-user`,
      timestamp: thisMorning(),
    },
    { type: "loop:context", runId: id, tokenEstimate: 23_104, contextWindow: 128_000, agent: "coder", model: "demo" },
    { type: "loop:execute", runId: id, toolCount: tools.length, tools: [...tools] },
  ];
}

/** The same for every story of a day: the clock of the machine must not show in what is compared. */
function thisMorning(): string {
  const at = new Date();
  at.setHours(9, 41, 0, 0);
  return at.toISOString();
}

export function says(content: string, messageId: string, id = runId): LoopEvent {
  return { type: "stream:delta", runId: id, content, messageId, iteration: 1 };
}

export function said(messageId: string, interim: boolean, id = runId): LoopEvent {
  return { type: "message:end", runId: id, messageId, iteration: 1, interim, interrupted: false };
}

export function end(status: Extract<LoopEvent, { type: "loop:end" }>["status"] = "completed", id = runId): LoopEvent {
  return {
    type: "loop:end",
    runId: id,
    success: status === "completed",
    duration: 12_300,
    status,
    usage: { input: 3_900, output: 310, cached: 1_200 },
    iterations: 11,
  };
}

interface Call {
  readonly id: string;
  readonly tool: string;
  readonly verb: string;
  readonly subject: string;
  readonly params: Params;
  readonly run?: string;
  /** The call that it is part of the work of. */
  readonly within?: string;
  /** The reply that it is part of; absent: the first. */
  readonly reply?: string;
}

export function read(id: string, file: string): Call {
  return { id, tool: "read_file", verb: "Read", subject: file, params: { path: file } };
}

export function command(id: string, line: string): Call {
  return { id, tool: "run_command", verb: "Run", subject: line, params: { command: line, timeout: 30_000 } };
}

/** A command at work that wants to reach a host, for which nobody is asked yet. */
export function reaching(id: string, line: string, name: string): readonly PanelEvent[] {
  const about = { runId, toolCallId: `${id}/host-1`, label: { verb: "Reach", subject: name } };
  const [, host = "", port] = /^(.+):(\d+)$/.exec(name) ?? [];
  const params = { host, port: Number(port) };
  const atWork = command(id, line);
  const why = `“${line}” wants to reach ${name}.`;
  const asked = { runId, toolCallId: about.toolCallId, toolName: "reach_host" };
  return [
    ...ready(atWork, { kind: "command", command: line, cwd: "", confined: true }),
    ...running(atWork, ""),
    { type: "call:streaming", ...asked, messageId: "", iteration: 0, within: id },
    { type: "call:ready", ...about, params, preview: { kind: "host", ...params } },
    { type: "call:pending", ...about, toolName: "reach_host", params, schema: {}, why },
    {
      type: "call:offers",
      runId,
      toolCallId: about.toolCallId,
      offers: [host, host.replace(/^[^.]+/, "*")].map((pattern) => ({
        text: `allow: host ${pattern}`,
        words: `Commands in the sandbox and tools reach ${pattern} without asking.`,
        matches: [],
      })),
    },
  ];
}

export const editParams = {
  path: "src/price.js",
  old_text: "  return round(item.cost) * (1 - discount);",
  new_text: "  return round(item.cost * (1 - discount));",
};

export function edit(id: string, file = "src/price.js"): Call {
  return { id, tool: "edit_file", verb: "Edit", subject: file, params: { ...editParams, path: file } };
}

const editSchema: Params = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "File to edit, relative to the workspace." },
    old_text: { type: "string", minLength: 1, description: "The text to replace; it must occur exactly once." },
    new_text: { type: "string" },
    replace_all: { type: "boolean", description: "Replace every occurrence." },
  },
  required: ["path", "old_text", "new_text"],
};

const commandSchema: Params = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1 },
    timeout: {
      type: "integer",
      minimum: 1_000,
      maximum: 3_600_000,
      description: "Milliseconds after which it is ended.",
    },
    shell: { enum: ["bash", "sh", "zsh"] },
    env: { type: "object", description: "Further environment variables." },
  },
  required: ["command"],
};

const patch = `--- a/src/price.js
+++ b/src/price.js
@@ -9,7 +9,9 @@
 export function price(item, discount) {
-  return round(item.cost) * (1 - discount);
+  // The discount goes first: rounding twice loses a cent.
+  const discounted = item.cost * (1 - discount);
+  return round(discounted);
 }
 
 export function round(amount) {
@@ -31,4 +33,4 @@
 export const currencies = {
-  eur: "€", usd: "$",
+  eur: "€", usd: "$", gbp: "£",
 };
`;

export function diffOf(path: string): Preview {
  return { kind: "diff", path, patch: patch.replaceAll("src/price.js", path), added: 4, removed: 2, created: false };
}

const tool = (name: string, description: string, schema: Params): ToolInfo => ({ name, description, schema });
const onePath = { type: "object", properties: { path: { type: "string", minLength: 1 } }, required: ["path"] };

/** What a person may put in the place of a call. */
const tools: readonly ToolInfo[] = [
  tool("read_file", "Reads a file of the workspace, with line numbers.", onePath),
  tool("edit_file", "Replaces a text in a file; the text must occur exactly once.", editSchema),
  tool("write_file", "Writes a whole file, and makes it where there is none.", {
    type: "object",
    properties: { path: { type: "string", minLength: 1 }, content: { type: "string" } },
    required: ["path", "content"],
  }),
  tool("run_command", "Runs a command in the workspace's folder and waits until it has ended.", commandSchema),
  tool("search_text", "Finds a text or a regular expression in the files of the workspace.", {
    type: "object",
    properties: { pattern: { type: "string", minLength: 1 }, glob: { type: "string" } },
    required: ["pattern"],
  }),
  tool("list_problems", "Lists what the editor marks as wrong.", { type: "object", properties: {} }),
];

const at = (call: Call): { readonly runId: string; readonly toolCallId: string } => ({
  runId: call.run ?? runId,
  toolCallId: call.id,
});
const labelOf = (call: Call): { readonly verb: string; readonly subject: string } => ({
  verb: call.verb,
  subject: call.subject,
});

function streaming(call: Call): LoopEvent {
  const { tool: toolName, within, reply: messageId = "m1" } = call;
  return {
    type: "call:streaming",
    ...at(call),
    toolName,
    messageId,
    iteration: 1,
    ...(within !== undefined && { within }),
  };
}

export function ready(call: Call, preview?: Preview): readonly LoopEvent[] {
  const words = { label: labelOf(call), params: call.params };
  return [streaming(call), { type: "call:ready", ...at(call), ...words, ...(preview && { preview }) }];
}

export function blocked(call: Call, waitsFor: readonly string[]): readonly LoopEvent[] {
  return [streaming(call), { type: "call:blocked", ...at(call), label: labelOf(call), waitsFor: [...waitsFor] }];
}

export function running(call: Call, output = ""): readonly LoopEvent[] {
  const begun: LoopEvent = { type: "tool:start", ...at(call), toolName: call.tool, label: labelOf(call) };
  return output === "" ? [begun] : [begun, { type: "tool:output", ...at(call), chunk: output }];
}

export function ended(call: Call, result: string, status: CallStatus = "succeeded", duration = 12): LoopEvent {
  return { type: "tool:end", ...at(call), toolName: call.tool, result, duration, status };
}

export function done(call: Call, result = "…"): readonly LoopEvent[] {
  return [...ready(call), ...running(call), ended(call, result)];
}

export function pending(call: Call, preview?: Preview, reason?: string): readonly LoopEvent[] {
  const why =
    call.verb === "Run" ? "This command needs the network." : "Edits are shown to you before they are written.";
  return [
    ...ready(call, preview),
    {
      type: "call:pending",
      ...at(call),
      toolName: call.tool,
      label: labelOf(call),
      params: call.params,
      schema: call.verb === "Run" ? commandSchema : editSchema,
      why,
      ...(reason !== undefined && { reason }),
    },
  ];
}

export function decided(call: Call, decision: Decision, problem?: string): LoopEvent {
  return { type: "call:decided", ...at(call), decision, by: "person", ...(problem !== undefined && { problem }) };
}

export function pendingEdit(id: string, file = "src/price.js"): readonly LoopEvent[] {
  return pending(edit(id, file), diffOf(file), "The discount is applied after rounding, which loses a cent.");
}

/** One hunk taken, one refused, one open with a comment. */
export function reviewed(toolCallId: string): PanelEvent {
  const hunk = {
    at: 12,
    more: 0,
    lines: [" function price(item) {", "-  return item.cost;", "+  return round(item.cost);", " }"],
  };
  const hunks = [
    { ...hunk, id: "h1", state: "accepted" },
    { ...hunk, id: "h2", state: "rejected" },
    { ...hunk, id: "h3", state: "open", comment: "Round only once." },
  ] as const;
  return { type: "review:changed", runId: "run-1", toolCallId, review: { typed: true, count: hunks.length, hunks } };
}

export function pendingCommand(id: string, line = "npm install left-pad"): readonly LoopEvent[] {
  return pending(command(id, line), { kind: "command", command: line, cwd: "." });
}

/** A command of which is known whether it is confined. */
export function pendingConfined(id: string, confined: boolean): readonly LoopEvent[] {
  const preview = { kind: "command", command: "npm ci", cwd: ".", confined } as const;
  return pending(command(id, "npm ci"), preview);
}

const testOutput = `TAP version 13
# Subtest: totals with discount
not ok 1 - totals with discount
  ---
  duration_ms: 3.1
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    100 !== 90
  ...
`;

/** The picture of the design: three files read, tests run, an edit waits, the next test run waits for it. */
export function working(): readonly PanelEvent[] {
  return [
    setup(),
    ...start("Fix the failing test in the cart module."),
    {
      type: "stream:thinking",
      runId,
      content: "The test fails by a cent, so it is rounding. Look at both modules first.",
      messageId: "m1",
    },
    says("Reading the failing test and the two modules it uses.", "m1"),
    said("m1", true),
    ...done(read("r1", "test/cart.test.js")),
    ...done(read("r2", "src/cart.js")),
    ...done(read("r3", "src/price.js")),
    ...ready(command("c1", "node --test")),
    ...running(command("c1", "node --test"), testOutput),
    ...pendingEdit("e1"),
    ...blocked(command("c2", "node --test test/cart.test.js"), ["e1"]),
  ];
}

export const answer = `The test passes now. The discount was applied **after** rounding, in \`src/price.js:12\`, so a cent was lost on every odd amount.

### What changed

1. \`price\` applies the discount first and rounds once.
2. You changed my comment; I kept yours.

\`\`\`js
// The discount goes first: rounding twice loses a cent.
export function price(item, discount = 0) {
  const discounted = item.cost * (1 - discount);
  return round(discounted) ?? "free";
}
\`\`\`

| test | before | after |
| --- | --- | --- |
| totals with discount | 100 | 90 |
| empty cart | 0 | 0 |

> The rounding itself is untouched; see [the note on money](https://example.org/money) and [the cart](src/cart.js).

- [x] \`node --test\` is green
- [ ] \`npm install left-pad\` was refused: ~~not needed~~
`;

/** The same task to its end: one edit approved, one command refused. */
export function finished(): readonly PanelEvent[] {
  const test = command("c2", "node --test test/cart.test.js");
  const install = command("c3", "npm install left-pad");
  return [
    ...working(),
    ended(command("c1", "node --test"), `${testOutput}# tests 4\n# pass 3\n# fail 1\nExit code 1.`, "failed", 1_234),
    decided(edit("e1"), {
      kind: "modify",
      params: { ...editParams, new_text: "  return round(item.cost - discount);" },
    }),
    ...running(edit("e1")),
    ended(edit("e1"), "Edited src/price.js: 4 lines added, 2 removed.", "succeeded", 6),
    { type: "call:ready", runId, toolCallId: "c2", label: labelOf(test), params: test.params },
    ...running(test),
    ended(test, "# tests 4\n# pass 4\nExit code 0.", "succeeded", 873),
    ...pendingCommand("c3"),
    decided(install, { kind: "reject", reason: "we need no dependency for that" }),
    ended(install, "Rejected by the user: we need no dependency for that", "rejected", 0),
    { type: "memory:write", runId, note: "Tests run with node --test." },
    says(answer, "m2"),
    said("m2", false),
    end("completed_with_errors"),
  ];
}

const step = (call: Call, ...after: readonly string[]): PlanStep => ({
  toolCallId: call.id,
  toolName: call.tool,
  label: labelOf(call),
  after: [...after],
});

/** Two files read, an edit made of both, a note from the first, and a test run after the edit. */
const planned = {
  a: read("r1", "src/price.js"),
  b: read("r2", "src/cart.js"),
  edit: edit("e1"),
  note: { id: "w1", tool: "write_file", verb: "Write", subject: "docs/prices.md", params: { path: "docs/prices.md" } },
  test: command("c1", "node --test test/cart.test.js"),
} as const;

export const planSteps: readonly PlanStep[] = [
  step(planned.a),
  step(planned.b),
  step(planned.edit, "r1", "r2"),
  step(planned.note, "r1"),
  step(planned.test, "r1", "r2", "e1"),
];

export function plan(mode: "eager" | "lazy", problem?: string, steps = planSteps): LoopEvent {
  return {
    type: "plan:proposed",
    runId,
    planId: "plan-1",
    mode,
    steps: [...steps],
    ...(problem !== undefined && { problem }),
  };
}

export function planDecided(decision: PlanDecision): LoopEvent {
  return { type: "plan:decided", runId, planId: "plan-1", decision, by: "person" };
}

/** A reply with a plan, as it stands when all its calls are known. */
export function withPlan(mode: "eager" | "lazy"): readonly PanelEvent[] {
  const { a, b, edit: change, note, test } = planned;
  return [
    setup(),
    ...start("Fix the rounding, say so in the docs, and test it."),
    says("Both modules first, then the edit, then the test.", "m1"),
    said("m1", true),
    ...ready(a),
    ...ready(b),
    ...blocked(change, ["r1", "r2"]),
    ...blocked(note, ["r1"]),
    ...blocked(test, ["e1"]),
    plan(mode),
  ];
}

/** The same plan half way: one file is read, the other is being read, the note is being written. */
export function planHalfWay(): readonly LoopEvent[] {
  const { a, b, note } = planned;
  return [...running(a), ended(a, "…"), ...running(b), readyAgain(note), ...running(note)];
}

/** And on to where its edit waits for a person. */
export function planToEdit(): readonly LoopEvent[] {
  const { b, edit: change, note } = planned;
  return [ended(b, "…"), ended(note, "…"), readyAgain(change), ...pendingEdit("e1").slice(-1)];
}

function readyAgain(call: Call): LoopEvent {
  return { type: "call:ready", ...at(call), label: labelOf(call), params: call.params };
}

export function paused(reason: PauseReason = "rounds"): LoopEvent {
  const message = "It has worked 25 rounds, as many as one run may have before it asks.";
  return { type: "run:paused", runId, reason, message, choices: ["continue", "sumUp", "stop"] };
}

export function resumed(choice: PauseChoice): LoopEvent {
  return { type: "run:resumed", runId, choice };
}

export function queue(...texts: readonly string[]): PanelEvent {
  return { type: "queue:changed", queue: texts.map((text, index) => ({ id: `q${index + 1}`, text })) };
}

export function saidInto(content: string, messageId = "u2"): LoopEvent {
  return { type: "message:user", runId, messageId, content, timestamp: thisMorning() };
}

const research: Call = {
  id: "d1",
  tool: "delegate",
  verb: "Ask",
  subject: "researcher",
  params: {
    agent: "researcher",
    task: "Find every place where a price is rounded,\nand say which of them are tested.",
  },
};

const under = (call: Call, within: string): Call => ({ ...call, id: `${within}/${call.id}`, within });

/** A delegate at work: two files read, a search under way, a command that waits, and a delegate of its own. */
export function delegated(): readonly PanelEvent[] {
  const reader: Call = under(
    { ...research, id: "d2", subject: "reader", params: { agent: "reader", task: "Read it." } },
    "d1",
  );
  const find: Call = {
    id: "s1",
    tool: "search_text",
    verb: "Search",
    subject: "round(",
    params: { pattern: "round(" },
  };
  return [
    setup(),
    ...start("Where do we round prices?"),
    ...ready(research),
    ...running(research, "Prices are rounded in two modules. I look at their tests now.\n"),
    ...done(under(read("r1", "src/price.js"), "d1")),
    ...done(under(read("r2", "src/cart.js"), "d1")),
    ...ready(under(find, "d1")),
    ...running(under(find, "d1")),
    ...ready(reader),
    ...running(reader),
    ...ready(under(read("r3", "test/price.test.js"), reader.id)),
    ...running(under(read("r3", "test/price.test.js"), reader.id)),
    ...pending(under(command("c1", "npm view currency.js"), "d1"), {
      kind: "command",
      command: "npm view currency.js",
      cwd: ".",
    }),
  ];
}

/** Delegates of delegates, as deep as they go; the innermost runs a command. */
export function deep(): readonly PanelEvent[] {
  const ids = ["d1", "d1/d2", "d1/d2/d3", "d1/d2/d3/d4", "d1/d2/d3/d4/d5"];
  const chain = ids.map((id, index): Call => {
    const above = ids[index - 1];
    return { ...research, id, subject: `agent ${index + 1}`, ...(above !== undefined && { within: above }) };
  });
  const test = { ...command("c1", "node --test test/cart.test.js"), within: ids.at(-1) ?? "" };
  return [
    setup(),
    ...start("Where do we round prices?"),
    ...chain.flatMap((call) => [...ready(call), ...running(call, "I ask somebody else.\n")]),
    ...pending(test, { kind: "command", command: "node --test test/cart.test.js", cwd: "." }),
  ];
}

export function delegateEnded(): LoopEvent {
  return ended(
    research,
    "Prices are rounded in src/price.js:12 and src/cart.js:40; only the first is tested.",
    "succeeded",
    8_400,
  );
}

/** An edit that a person has replaced by a test run, which is done. */
export function replaced(): readonly PanelEvent[] {
  const test = command("e1", "node --test");
  const params = { command: "node --test" };
  return [
    setup(),
    ...start("Fix the failing test in the cart module."),
    ...pendingEdit("e1"),
    decided(edit("e1"), { kind: "replace", call: { name: "run_command", params } }),
    { type: "call:ready", ...at(test), label: labelOf(test), params },
    ...running(test),
    ended(test, "# tests 4\n# pass 4\nExit code 0.", "succeeded", 873),
  ];
}

const summary = `## Done so far

- The cart rounds once, in \`src/price.js\`.
- **Still open**: the currency is wrong on invoices.`;

/** The older part of a session is being summed up. */
export function compacting(id = "k1", run = runId): LoopEvent {
  return { type: "context:compacting", runId: run, compactionId: id, tokensBefore: 118_000 };
}

/** It has been, or a person has rewritten what came of it. */
export function compacted(id = "k1", run = runId, edit?: { readonly id: string; readonly summary: string }): LoopEvent {
  return {
    type: "context:compacted",
    runId: run,
    compactionId: edit?.id ?? id,
    summary: edit?.summary ?? summary,
    carried: [
      { kind: "message", id: "u1", text: "Make the price rounding exact; the bill of March was off by a cent." },
      { kind: "message", id: "u2", text: "It is CHF, not EUR." },
      { kind: "refusal", id: "c1", text: "Run npm install left-pad: we need no dependency for that" },
      { kind: "file", id: "src/price.js", text: "src/price.js: edited twice, 4 lines added and 2 removed in all" },
    ],
    leftOut: 3,
    firstKeptId: "m40",
    messages: 214,
    tokensBefore: 118_000,
    tokensAfter: 31_000,
    ...(edit && { edits: id }),
  };
}

export function undone(id = "k1", run = runId): LoopEvent {
  return { type: "context:undone", runId: run, compactionId: id };
}

export function noted(note: string): LoopEvent {
  return { type: "memory:write", runId, note };
}

export function windowHolds(tokenEstimate: number): LoopEvent {
  return { type: "context:estimate", runId, tokenEstimate, contextWindow: 128_000 };
}

/** The same with what fills half of it. */
export function windowParts(): LoopEvent {
  const parts = { system: 1_100, rules: 2_300, memory: 600, tools: 5_000, summary: 0, messages: 21_000 };
  const holds = { parts: { ...parts, attachments: 4_000, results: 30_000 }, flushAt: 96_000, compactAt: 111_616 };
  return { type: "context:estimate", runId, tokenEstimate: 64_000, contextWindow: 128_000, holds };
}

/** A reply has ended, and the endpoint has said what it took. */
export function saidWith(usage: Usage): LoopEvent {
  return { type: "message:end", runId, messageId: "m0", iteration: 1, interim: true, interrupted: false, usage };
}

/** A call that the model is writing: its file, a number and most of its text. */
export function arriving(id: string): readonly PanelEvent[] {
  const field = (name: string, text: string): PanelEvent => ({
    type: "call:field",
    runId: "run-1",
    toolCallId: id,
    name,
    text,
  });
  const [begun] = pendingEdit(id);
  const lines = Array.from({ length: 12 }, (_, line) => `  total += price(items[${line}], discount); // "${line}"`);
  return [
    ...(begun ? [begun] : []),
    field("path", "src/checkout/summary/totals.js"),
    field("edits.old_text", "let total = 0;\nfor (const item of items)\n  total += item.price;"),
    field("edits.new_text", lines.join("\n")),
  ];
}
