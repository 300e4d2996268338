// Rules in a real window: what is always allowed in a session does not ask again, and what is denied never asks.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { ToolEntry } from "../../src/protocol/messages.ts";
import { isMessage } from "../../src/protocol/messages.ts";
import { createSandbox } from "../../src/scope/sandbox.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { begin, inFolder, transcript, until, withEndpoint } from "./flow.ts";

async function results(sessionId: string): Promise<readonly ToolEntry[]> {
  return (await transcript(sessionId)).filter((entry): entry is ToolEntry => isMessage(entry) && entry.role === "tool");
}

const running = (turn: number, command: string) => chatReply(turn, { calls: [["run_command", { command }]] });

describe("rules in the window", () => {
  // Without a sandbox every command asks, wherever this runs.
  const sandbox = (mode: "off" | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration("brain").update("sandbox", mode, vscode.ConfigurationTarget.Global);
  beforeEach(() => sandbox("off"));
  afterEach(async () => {
    await vscode.commands.executeCommand("brain.stop");
    await sandbox(undefined);
    await vscode.workspace.getConfiguration("brain").update("rules", undefined, vscode.ConfigurationTarget.Global);
  });

  it("after “always allow in this session” the same command does not ask again, and another session asks", async () => {
    const server = await startSse(
      running(1, "node --version"),
      running(2, "node --version && echo again"),
      chatReply(3, { text: "Done." }),
      running(4, "node --version"),
      chatReply(5, { text: "Done." }),
    );
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Twice.");
        await until("a waiting call", () =>
          vscode.commands.executeCommand<boolean | undefined>("brain.allowCall", { scope: "session" }),
        );
        const { status, sessionId } = await outcome;
        assert.equal(status, "completed");
        const verdicts = (await results(sessionId)).map(({ verdict }) => [verdict?.by, verdict?.rule]);
        assert.deepEqual(verdicts, [
          ["person", undefined],
          ["policy", "allow run_command: node --version"],
        ]);
        const other = await begin("Once more.");
        await until("a call that asks", () => vscode.commands.executeCommand<boolean | undefined>("brain.approveCall"));
        assert.equal((await results((await other.outcome).sessionId))[0]?.verdict?.by, "person");
      });
    } finally {
      await server.close();
    }
  });

  it("a host that a command in the sandbox wants to reach is asked about, and after “always” not again", async function () {
    await sandbox(undefined);
    const walls = createSandbox({ mode: () => "auto" });
    const { kind } = await walls.state();
    await walls.dispose();
    if (kind === "off") this.skip();
    const command = "curl -sS --max-time 50 http://registry.example.invalid/";
    const server = await startSse(running(1, command), running(2, command), chatReply(3, { text: "Done." }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Fetch it.");
        await until("a host that waits", () =>
          vscode.commands.executeCommand<boolean | undefined>("brain.allowCall", { scope: "session" }),
        );
        const { status, sessionId } = await outcome;
        assert.equal(status, "completed");
        const told = (await results(sessionId)).map(({ name, verdict, label }) => [name, verdict?.by, label?.subject]);
        assert.deepEqual(told, [
          ["reach_host", "person", "registry.example.invalid:80"],
          ["run_command", "policy", command],
          ["run_command", "policy", command],
        ]);
      });
    } finally {
      await server.close();
    }
  });

  it("what the settings deny is a result, however it is written, and a folder cannot allow", async () => {
    const settings = vscode.workspace.getConfiguration("brain");
    await settings.update("rules", [{ decision: "deny", command: "node *" }], vscode.ConfigurationTarget.Global);
    await assert.rejects(
      Promise.resolve(settings.update("rules", [{ decision: "allow" }], vscode.ConfigurationTarget.Workspace)),
    );
    const server = await startSse(running(1, "echo a; env n'od'e --version"), chatReply(2, { text: "Done." }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Try.");
        const { sessionId } = await outcome;
        const [result] = await results(sessionId);
        assert.equal(result?.status, "denied");
        assert.match(result.content, /Denied by the rule “deny: node \*”/);
      });
    } finally {
      await server.close();
    }
  });

  it("are exported to a file, and imported from one when a person has seen them", async () => {
    const file = inFolder("brain-rules.json");
    const settings = vscode.workspace.getConfiguration("brain");
    const set = { decision: "deny", command: "node *" };
    await settings.update("rules", [set], vscode.ConfigurationTarget.Global);
    const rulesNow = async (): Promise<unknown> => {
      await vscode.commands.executeCommand("brain.exportRules", { file });
      return JSON.parse(await readFile(file, "utf8"));
    };
    try {
      assert.deepEqual(await rulesNow(), [set]);
      const further = { decision: "ask", path: "nothing-of-this-name/**" };
      await writeFile(file, JSON.stringify([further, set]));
      const importing = async (key: string): Promise<void> => {
        let done = false;
        const imported = vscode.commands.executeCommand("brain.importRules", { file });
        imported.then(
          () => (done = true),
          () => (done = true),
        );
        await until("the end of the import", async () => {
          if (!done) await vscode.commands.executeCommand(key);
          return done;
        });
      };
      await importing("workbench.action.closeQuickOpen");
      assert.deepEqual(await rulesNow(), [set]);
      await writeFile(file, JSON.stringify([further, set]));
      await importing("workbench.action.acceptSelectedQuickOpenItem");
      assert.deepEqual(await rulesNow(), [set, further]);
    } finally {
      await rm(file, { force: true });
    }
  });
});
