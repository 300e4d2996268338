// The engine as others get it: its bundle, and a process with nothing but it, runs an agent in an agent in an agent.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import type { TraceSpan } from "../../src/headless.ts";
import { chatReply } from "../support/chatWire.ts";
import { withPrompts } from "../support/invoking.ts";
import { startSse } from "../support/sse.ts";

const root = path.resolve(import.meta.dirname, "../..");
const secret = "sesame-4711";

const prompts = {
  "root.prompty": `---
name: root
model: m
inputs: {secret: {kind: string, required: true}}
tools:
  - {name: research, kind: prompty, path: lib/research.prompty, mode: agentic, bindings: {secret: {input: secret}}}
---
system:
You lead.

user:
Find it.
`,
  "lib/research.prompty": `---
name: research
model: m
inputs: {topic: {kind: string, required: true}, secret: {kind: string, required: true}}
tools:
  - {name: lookup, kind: function, parameters: [{name: q, kind: string}, {name: key, kind: string}], bindings: {key: {input: secret}}}
  - {name: sum_up, kind: prompty, path: ./sumUp.prompty}
---
system:
You research.

user:
{{ topic }}
`,
  "lib/sumUp.prompty":
    "---\nname: sumUp\nmodel: m\ninputs: {text: ''}\n---\nsystem:\nYou sum up.\n\nuser:\n{{ text }}\n",
};

const program = `
const { startAgent } = await import(process.argv[1]);
const given = [];
const tools = { lookup: async (args) => (given.push(args), { found: args.q }) };
const spans = [];
const trace = { contents: true, onSpan: (span) => spans.push(span) };
const run = startAgent("root.prompty", { secret: process.argv[3] }, tools, { baseUrl: process.argv[2], trace });
const calls = [];
for await (const event of run) if (event.type === "tool:start") calls.push(event.toolCallId + " " + event.toolName);
const { status, iterations, messages } = await run.outcome;
console.log(JSON.stringify({ result: await run.result, status, iterations, given, calls, messages, spans }));
`;

function runNode(args: readonly string[], cwd: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: {}, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
    child.once("error", reject);
    child.once("close", () => resolve({ stdout, stderr }));
  });
}

describe("the bundle of the engine", function () {
  this.timeout(120_000);
  let dist = "";
  before(async () => {
    dist = await mkdtemp(path.join(tmpdir(), "engine-"));
    const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
    await build({
      entryPoints: { engine: path.join(root, "src/headless.ts") },
      outdir: dist,
      outExtension: { ".js": ".mjs" },
      chunkNames: "headless/[name]-[hash]",
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      target: "node22",
      banner: { js: banner },
      logLevel: "silent",
    });
  });
  after(() => rm(dist, { recursive: true, force: true }));

  it("runs an agent in an agent in an agent, with bound values that nobody else sees", () =>
    withPrompts(prompts, async (dir) => {
      assert.deepEqual(await readdir(dist), ["engine.mjs", "headless"]);
      const server = await startSse(
        chatReply(1, { calls: [["research", { topic: "owls", secret: "guess" }]] }),
        chatReply(2, { calls: [["lookup", { q: "owls", key: "guess" }]] }),
        chatReply(3, { calls: [["sum_up", { text: "much" }]] }),
        chatReply(4, { text: "short" }),
        chatReply(5, { text: "researched" }),
        chatReply(6, { text: "Owls, then." }),
      );
      try {
        const args = ["--input-type=module", "-e", program, path.join(dist, "engine.mjs"), server.baseUrl, secret];
        const { stdout, stderr } = await runNode(args, dir);
        assert.equal(stderr, "");
        const { result, status, iterations, given, calls, messages, spans } = JSON.parse(stdout);
        assert.deepEqual([result, status, iterations], ["Owls, then.", "completed", 2]);
        assert.deepEqual(given, [{ q: "owls", key: secret }]);
        const research = "call_1_0";
        assert.deepEqual(calls, [`${research} research`, `${research}/call_2_0 lookup`, `${research}/call_3_0 sum_up`]);
        assert.equal(messages.at(-2).content[0].value, "researched");
        const parentOf = (name: string): string => {
          const { parentSpanId } = spans.find((span: TraceSpan) => span.name === name);
          return spans.find(({ spanId }: TraceSpan) => spanId === parentSpanId)?.name;
        };
        assert.equal(parentOf("invoke_agent sumUp"), "execute_tool sum_up");
        assert.equal(parentOf("execute_tool sum_up"), "invoke_agent research");
        assert.equal(parentOf("invoke_agent research"), "execute_tool research");
        assert.equal(parentOf("execute_tool research"), "invoke_agent root");
        const bodies = server.asked.map(({ body }) => body);
        assert.equal(bodies.length, 6);
        assert.doesNotMatch(bodies.join("\n"), new RegExp(secret));
        assert.doesNotMatch(JSON.stringify([calls, messages, spans]), new RegExp(secret));
      } finally {
        await server.close();
      }
    }));
});
