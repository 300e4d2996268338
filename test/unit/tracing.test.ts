// Runs as spans: what the loop does, nested as it was done, whoever listens.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ModelEvent } from "../../src/engine/ports.ts";
import { createBrain, startAgent, type TraceSpan } from "../../src/headless.ts";
import { chatReply, httpError } from "../support/chatWire.ts";
import { errorOf, invoking, withPrompts } from "../support/invoking.ts";
import { calls, says } from "../support/kit.ts";
import { keptSpans, spanNamed, treeOf } from "../support/spans.ts";
import { startSse, type Script } from "../support/sse.ts";

const levels = {
  "root.prompty": `---
name: root
model: m
tools: [{name: research, kind: prompty, path: research.prompty, mode: agentic}]
---
Find it.`,
  "research.prompty": `---
name: research
model: m
inputs: {topic: {kind: string, required: true}}
tools:
  - {name: lookup, kind: function, parameters: [{name: q, kind: string}]}
  - {name: sum_up, kind: prompty, path: sumUp.prompty}
---
{{ topic }}`,
  "sumUp.prompty": "---\nname: sumUp\nmodel: m\ninputs: {text: ''}\n---\n{{ text }}",
};

const replies: readonly Script[] = [
  chatReply(1, { calls: [["research", { topic: "owls" }]] }),
  chatReply(2, { calls: [["lookup", { q: "owls" }]] }),
  chatReply(3, { calls: [["sum_up", { text: "much" }]] }),
  chatReply(4, { text: "short" }),
  chatReply(5, { text: "researched" }),
  chatReply(6, { text: "Owls, then." }),
];

/** A stream that heeds nothing. */
async function* hangs(): AsyncGenerator<ModelEvent> {
  yield { type: "text", text: "I" };
  await new Promise(() => undefined);
}

describe("a run as spans", () => {
  it("PROMPTY-9.0-2 PROMPTY-9.6-5 PROMPTY-3-7 nests three levels, and sums up what they have used", () =>
    withPrompts(levels, async (dir) => {
      const server = await startSse(...replies);
      const spans: TraceSpan[] = [];
      try {
        const trace = { onSpan: (span: TraceSpan) => void spans.push(span) };
        const tools = { lookup: () => "found" };
        const options = { baseUrl: server.baseUrl, apiKey: "k", trace };
        assert.equal(await startAgent(`${dir}/root.prompty`, {}, tools, options).result, "Owls, then.");
      } finally {
        await server.close();
      }
      const inOrder = spans.toSorted((a, b) => a.start - b.start || spans.indexOf(a) - spans.indexOf(b));
      const tree = treeOf(inOrder);
      assert.deepEqual(tree, [
        "invoke_agent root",
        "  load",
        "  prepare",
        "  chat m",
        "  execute_tool research",
        "    invoke_agent research",
        "      chat m",
        "      execute_tool lookup",
        "      chat m",
        "      execute_tool sum_up",
        "        invoke_agent sumUp",
        "          chat m",
        "      chat m",
        "  chat m",
        "  process",
      ]);
      const { attributes } = spanNamed(spans, "invoke_agent root");
      assert.equal(attributes["gen_ai.usage.input_tokens"], 600);
      assert.equal(spanNamed(spans, "invoke_agent research").attributes["gen_ai.usage.input_tokens"], 400);
      assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
      assert.doesNotMatch(JSON.stringify(spans), /owls|found/i);
    }));

  it("PROMPTY-3-1 has one for each call, with the tool's name and the call's id", async () => {
    const { tracer, spans } = keptSpans();
    const scripts = [calls(["a", "look", { at: "x" }], ["b", "look", { at: "y" }]), says("ok")];
    await invoking({ tools: { look: () => "seen" }, scripts, tracer }).run.result;
    const ids = spans.filter(({ name }) => name === "execute_tool look");
    assert.deepEqual(
      ids.map(({ attributes }) => attributes["gen_ai.tool.call.id"]),
      ["a", "b"],
    );
  });

  it("PROMPTY-3-4 says what went wrong, of tools, models and agents", async () => {
    const { tracer, spans } = keptSpans();
    const look = (): never => assert.fail("broken");
    const failure = { code: "model_failed", status: 500, message: "No.", next: "" } as const;
    const error = { type: "error", failure: { ...failure, code: "internal" }, retryable: false } as const;
    await errorOf(invoking({ tools: { look }, scripts: [calls(["a", "look", {}]), [error]], tracer }).run);
    const failed = spans.flatMap(({ name, error: why, attributes }) =>
      why === undefined ? [] : [[name, attributes["error.type"]]],
    );
    assert.deepEqual(failed, [
      ["execute_tool look", "runtime"],
      ["chat scripted", "internal"],
      ["invoke_agent plain", "internal"],
    ]);
  });

  it("PROMPTY-3-4 has an end when the run is stopped while the model hangs", async () => {
    const { tracer, spans } = keptSpans();
    const { run } = invoking({ tools: { look: () => "" }, scripts: [hangs], tracer });
    for await (const event of run) if (event.type === "stream:delta") run.stop();
    await run.outcome;
    for (const name of ["chat scripted", "invoke_agent plain"])
      assert.equal(spanNamed(spans, name).attributes["error.type"], "aborted");
  });

  it("PROMPTY-3-4 has an end and a reason when the agent cannot even be read", async () => {
    const { tracer, spans } = keptSpans();
    await errorOf(invoking({ agent: "/nowhere/at.prompty", tracer }).run);
    assert.deepEqual(treeOf(spans), ["invoke_agent at", "  load"]);
    assert.equal(spanNamed(spans, "load").attributes["error.type"], "agent_invalid");
  });

  it("PROMPTY-3-3 does not change for a tracer that fails", async () => {
    const others = [{ export: () => assert.fail("full") }, { export: () => new Promise(() => undefined) }];
    const { tracer, spans } = keptSpans({ others });
    const { run } = invoking({ tools: { look: () => "" }, scripts: [says("ok")], tracer });
    assert.equal(await run.result, "ok");
    assert.ok(spans.length > 0);
  });

  it("of the chat goes to the file that was asked for, with a retried request as one span", () =>
    withPrompts({}, async (workspace) => {
      const server = await startSse(httpError(503, "busy"), chatReply(1, { text: "hello" }));
      const file = path.join(workspace, "run.tracy");
      const about = { provider: "openai-chat", baseUrl: server.baseUrl, apiKey: "k", model: "m" } as const;
      const brain = createBrain({ workspace, ...about, trace: { file } });
      try {
        await brain.run({ message: "Hi." }).result;
      } finally {
        await brain.dispose();
        await server.close();
      }
      const { trace } = JSON.parse(await readFile(file, "utf8"));
      assert.equal(trace.name, "invoke_agent Coder");
      assert.deepEqual(
        trace.__frames.map(({ name }: TraceSpan) => name),
        ["chat m"],
      );
      assert.equal(trace.__usage.total_tokens, 120);
    }));
});
