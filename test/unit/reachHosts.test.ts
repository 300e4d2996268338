// A command that wants to reach a host, from the model's call to what it reads, with the real sandbox and nobody's network.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PendingCall } from "../../src/engine/ports.ts";
import { createBrain, replay, type BrainOptions } from "../../src/headless.ts";
import { createSandbox } from "../../src/scope/sandbox.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";

const url = "http://registry.example.invalid/";

/** Runs a command that reaches for a host, again and again. @returns what the model read of it */
async function ran(options: Partial<BrainOptions>): Promise<string> {
  const workspace = await realpath(await mkdtemp(path.join(tmpdir(), "brain-reach-")));
  const command = `curl -sS --max-time 50 ${url}; curl -sS --max-time 50 ${url}`;
  const asking = chatReply(1, { calls: [["run_command", { command, timeout_ms: 60_000 }]] });
  const server = await startSse(asking, chatReply(2, { text: "Done." }));
  const endpoint = { provider: "openai-chat", baseUrl: server.baseUrl, model: "m", apiKey: "k" } as const;
  const brain = createBrain({ workspace, ...endpoint, ...options });
  try {
    let result = "";
    const run = brain.run({ message: "Go." });
    for await (const event of run)
      if (event.type === "tool:end" && !event.toolCallId.includes("/")) result = event.result;
    const { status, sessionId } = await run.result;
    assert.equal(status, "completed");
    // What was asked on the way is no part of the loop's own work: it comes out the same.
    const again = await replay({ workspace, sessionId });
    assert.deepEqual(
      again.runs.map(({ differences }) => differences),
      [[]],
    );
    return result;
  } finally {
    await brain.dispose();
    await server.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

describe("A command that wants to reach a host", function () {
  this.timeout(120_000);

  before(async function () {
    const sandbox = createSandbox({ mode: () => "auto" });
    const { kind } = await sandbox.state();
    await sandbox.dispose();
    if (kind === "off") this.skip();
  });

  it("is refused where nobody is there to be asked, and the model is told which host and why", async () => {
    const result = await ran({ approve: "policy" });
    assert.match(
      result,
      /Brain's sandbox: a command may not reach registry\.example\.invalid:80: policy refused it: Nobody is here/,
    );
    assert.match(
      result,
      /Hosts that it wanted to reach and could not:\n- registry\.example\.invalid:80: policy refused it/,
    );
  });

  it("asks whoever decides, once; what is allowed is looked up only then", async () => {
    const asked: PendingCall[] = [];
    const result = await ran({
      approve: (call) => {
        asked.push(call);
        return Promise.resolve({ decision: { kind: "approve" }, by: "person" });
      },
    });
    assert.deepEqual(
      asked.map(({ toolName, params, why }) => ({ toolName, params, why: why.replace(/^“.*”/, "It") })),
      [
        {
          toolName: "reach_host",
          params: { host: "registry.example.invalid", port: 80 },
          why: "It wants to reach registry.example.invalid:80.",
        },
      ],
    );
    assert.match(result, /its name is not known/);
    assert.doesNotMatch(result, /Hosts that it wanted/);
  });

  it("asks nobody where a rule speaks of it", async () => {
    const approve = () => assert.fail("nobody is asked");
    const allowed = await ran({ approve, rules: [{ decision: "allow", host: "*.example.invalid" }] });
    assert.match(allowed, /its name is not known/);
    const denied = await ran({ approve, rules: [{ decision: "deny", host: "registry.example.invalid" }] });
    assert.match(denied, /- registry\.example\.invalid:80: Denied by the rule “deny: host registry\.example\.invalid”/);
  });
});
