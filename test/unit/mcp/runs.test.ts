// Tools of servers in whole runs: in .prompty files and agents' lists, asked about, masked, and held to what files narrow.
import assert from "node:assert/strict";
import { createBrain, type Approve, type BrainOptions, type LoopEvent, type Outcome } from "../../../src/headless.ts";
import type { PendingCall } from "../../../src/engine/ports.ts";
import { chatReply } from "../../support/chatWire.ts";
import { withPrompts } from "../../support/invoking.ts";
import { kit, says, scriptedModel, tool } from "../../support/kit.ts";
import { things, withServers } from "../../support/mcp.ts";
import { startSse, type Script, type SseServer } from "../../support/sse.ts";

interface Ran {
  readonly outcome: Outcome;
  readonly events: readonly LoopEvent[];
  readonly asked: readonly PendingCall[];
  readonly server: SseServer;
}

/** Runs a .prompty with these lines about its one tool, on a server that is set up as `things`. */
async function running(
  lines: string,
  scripts: readonly Script[],
  check: (ran: Ran) => void,
  more: Partial<BrainOptions> = {},
): Promise<void> {
  const server = await startSse(...scripts);
  const prompt = `---\nname: lead\ntools:\n  - name: remote\n    kind: mcp\n${lines.replaceAll(/^/gm, "    ")}\n---\nYou lead.\n`;
  try {
    await withPrompts({ ".brain/agents/lead.prompty": prompt }, async (workspace) => {
      const asked: PendingCall[] = [];
      const approve: Approve = (call) => {
        asked.push(call);
        return Promise.resolve({ decision: { kind: "approve" }, by: "person" });
      };
      const about = { provider: "openai-chat", baseUrl: server.baseUrl, model: "m" } as const;
      const brain = createBrain({ workspace, ...about, approve, mcpServers: { things }, ...more });
      const events: LoopEvent[] = [];
      try {
        const run = brain.run({ message: "Go.", agent: "lead" });
        for await (const event of run) events.push(event);
        check({ outcome: await run.result, events, asked, server });
      } finally {
        await brain.dispose();
      }
    });
  } finally {
    await server.close();
  }
}

const offeredIn = ({ body }: { readonly body: string }): string[] =>
  (JSON.parse(body).tools ?? []).map((tool: { function: { name: string } }) => tool.function.name);
const names = (asked: readonly PendingCall[]): string[] => asked.map(({ toolName }) => toolName);
const calling = (...tools: string[]): Script[] => [
  chatReply(1, { calls: tools.map((name) => [`mcp__things__${name}`, name === "echo" ? { text: "a" } : {}]) }),
  chatReply(2, { text: "Done." }),
];

describe("PROMPTY-11.2-4 a .prompty with a tool of kind mcp", () => {
  it("PROMPTY-7-4 is offered the server's tools that it allows; each asks, and its result is masked", () =>
    running("serverName: things\nallowedTools: [echo, leak]", calling("leak"), ({ outcome, asked, server }) => {
      assert.equal(outcome.output, "Done.");
      assert.deepEqual(offeredIn(server.asked[0] ?? { body: "{}" }), ["mcp__things__echo", "mcp__things__leak"]);
      assert.deepEqual(names(asked), ["mcp__things__leak"]);
      assert.deepEqual(asked[0]?.label, { verb: "Call", subject: "things: leak" });
      assert.match(outcome.toolResults[0]?.content ?? "", /^The key is \[masked: GitHub token\]$/);
    }));

  const allowing = { rules: [{ decision: "allow", tool: "mcp__things__*" }] } as const;

  it("X-2 asks about what its mode names, whatever rules allow; and never asks less than they say", async () => {
    await running(
      "serverName: things\napprovalMode: {kind: specify, alwaysRequireApprovalTools: [echo]}",
      calling("echo", "refuse"),
      ({ asked }) => assert.deepEqual(names(asked), ["mcp__things__echo"]),
      allowing,
    );
    await running(
      "serverName: things\napprovalMode: always",
      calling("echo", "refuse"),
      ({ asked }) => {
        assert.deepEqual(names(asked), ["mcp__things__echo", "mcp__things__refuse"]);
        assert.match(asked[0]?.why ?? "", /^lead\.prompty wants to be asked about it\.$/);
      },
      allowing,
    );
    await running("serverName: things\napprovalMode: never", calling("echo"), ({ asked }) =>
      assert.deepEqual(names(asked), ["mcp__things__echo"]),
    );
    await running(
      "serverName: things\napprovalMode: never",
      calling("echo"),
      ({ asked, outcome }) => {
        assert.deepEqual(asked, []);
        assert.equal(outcome.toolResults[0]?.status, "denied");
      },
      { rules: [{ decision: "deny", tool: "mcp__things__*" }] },
    );
  });

  it("that names a server which is not set up does not begin, and says what to do", () =>
    running("serverName: others", [], ({ outcome, server }) => {
      assert.equal(outcome.failure?.code, "tool_invalid");
      assert.match(
        outcome.failure.message,
        /There is no MCP server “others”: add it to the setting brain\.mcpServers\./,
      );
      assert.equal(server.asked.length, 0);
    }));

  it("that is written wrong does not begin", () =>
    running("serverName: things\napprovalMode: sometimes", [], ({ outcome }) =>
      assert.match(outcome.failure?.message ?? "", /^The tool remote cannot be used\. approvalMode\.kind: /),
    ));

  it("that gives an address of its own is not connected to it before a person has allowed that", () =>
    running(
      "connection: {kind: anonymous, endpoint: 'http://127.0.0.1:9/mcp'}",
      [chatReply(1, { calls: [["remote", {}]] }), chatReply(2, { text: "Not there." })],
      ({ outcome, server }) => {
        assert.deepEqual(offeredIn(server.asked[0] ?? { body: "{}" }), ["remote"]);
        assert.match(
          outcome.toolResults[0]?.content ?? "",
          /The MCP server remote is not there, because it was not allowed/,
        );
      },
    ));

  it("whose server cannot be reached goes on, and the model says so", () =>
    running(
      "serverName: gone",
      [chatReply(1, { calls: [["remote", {}]] }), chatReply(2, { text: "Not there." })],
      ({ outcome }) => {
        assert.equal(outcome.output, "Not there.");
        assert.match(
          outcome.toolResults[0]?.content ?? "",
          /gone is not there, because it cannot be used: “no-such-program”/,
        );
      },
      { mcpServers: { gone: { command: "no-such-program" } } },
    ));
});

describe("an agent that names tools of servers", () => {
  it("has those that its list means", async () => {
    const model = scriptedModel(says("Done."));
    const tools = ["mcp__a__one", "mcp__a__two", "mcp__b__one", "read_file"].map((name) => tool(name));
    await kit({ model, tools, agent: { tools: ["mcp__a__*", "read_file"] } }).run();
    assert.deepEqual(
      model.requests[0]?.tools.map(({ name }) => name),
      ["mcp__a__one", "mcp__a__two", "read_file"],
    );
  });

  it("starts no other server, and none when it names none", () =>
    withServers({ a: things, b: things }, async ({ servers }) => {
      const states = async (): Promise<string[]> => (await servers.list()).map(({ state }) => state.kind);
      assert.deepEqual(await servers.tools(["read_file"]), { tools: [], notices: [] });
      assert.deepEqual(await states(), ["idle", "idle"]);
      await servers.tools(["mcp__b__echo"]);
      assert.deepEqual(await states(), ["idle", "ready"]);
      await servers.tools(["mcp__*"]);
      assert.deepEqual(await states(), ["ready", "ready"]);
    }));

  it("is told in the run what is missing", async () => {
    const { run, events } = kit({
      model: scriptedModel(says("Done.")),
      ports: {
        tools: (_agent, tell) => {
          tell("The MCP server a is not ready yet.");
          return Promise.resolve([]);
        },
      },
    });
    await run();
    assert.ok(
      events.some((event) => event.type === "loop:notice" && event.message === "The MCP server a is not ready yet."),
    );
  });
});
