// A server that is set up in the settings: its tool is offered in a real window, asks, runs, and nothing of it stays when it is taken out.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import { gone } from "../support/alive.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { begin, transcript, until, withEndpoint } from "./flow.ts";

/** Plain, because whatever runs the editor runs it; its one tool says which process it is. */
const program = `
const say = (id, answer) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [{ name: "who", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
  "tools/call": { content: [{ type: "text", text: "I am " + process.pid }] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) say(id, method in answers ? { result: answers[method] } : { error: { code: -32601, message: "no" } });
});
`;

describe("an MCP server in the window", () => {
  const set = (servers: object | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration("brain").update("mcpServers", servers, vscode.ConfigurationTarget.Global);
  afterEach(async () => {
    await vscode.commands.executeCommand("brain.stop");
    await set(undefined);
  });

  it("offers its tool, which asks whatever it says of itself, and ends when the setting is gone", async () => {
    const env = { ELECTRON_RUN_AS_NODE: "1" };
    await set({ person: { command: process.execPath, args: ["-e", program], env } });
    const waiting = await startSse(chatReply(1, { text: "Hello." }));
    const calling = await startSse(
      chatReply(1, { calls: [["mcp__person__who", {}]] }),
      chatReply(2, { text: "Done." }),
    );
    const greet = async (): Promise<string> => {
      await (
        await begin("Hello.")
      ).outcome;
      return waiting.asked.at(-1)?.body ?? "";
    };
    try {
      // A run does not wait for a server for long: the tool is there as soon as the server is.
      await withEndpoint(waiting.baseUrl, () =>
        until("the server's tool", async () => (await greet()).includes("mcp__person__who"), 60_000),
      );
      const pid = await withEndpoint(calling.baseUrl, async () => {
        const { outcome } = await begin("Who are you?");
        await until("a waiting call", () => vscode.commands.executeCommand<boolean | undefined>("brain.approveCall"));
        const { status, sessionId } = await outcome;
        assert.equal(status, "completed");
        const results = (await transcript(sessionId)).filter(isMessage).filter((entry) => entry.role === "tool");
        assert.equal(results[0]?.verdict?.by, "person");
        return Number(/^I am (\d+)$/.exec(results[0].content)?.[1]);
      });
      await set(undefined);
      await withEndpoint(waiting.baseUrl, async () => assert.ok(!(await greet()).includes("mcp__person__who")));
      await gone(pid);
    } finally {
      await Promise.all([waiting.close(), calling.close()]);
    }
  });

  it("is in the list that “Brain: MCP Servers” shows", async () => {
    await set({ person: { command: process.execPath, disabled: true } });
    let done = false;
    const shown = Promise.resolve(vscode.commands.executeCommand("brain.mcpServers"));
    shown.then(
      () => (done = true),
      () => (done = true),
    );
    await until("the end of the list", async () => {
      if (!done) await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
      return done;
    });
    await shown;
  });
});
