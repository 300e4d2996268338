// A command at work in a real window: mirrored in a terminal on request, without taking the focus.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { goneWith } from "../support/alive.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { approveNext, approveRest, begin, exists, inFolder, transcript, until, withEndpoint } from "./flow.ts";

describe("a command in the window", () => {
  it("finds what the person's login shell sets", async () => {
    const server = await startSse(
      chatReply(1, { calls: [["run_command", { command: 'echo "it says $FROM_LOGIN_SHELL"' }]] }),
      chatReply(2, { text: "Done." }),
    );
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Say.");
        const { sessionId } = await approveRest(outcome);
        assert.match(JSON.stringify(await transcript(sessionId)), /it says yes/);
      });
    } finally {
      await server.close();
    }
  });

  it("is mirrored in a terminal that is no shell and takes no focus", async () => {
    const command = "echo $$ > shell-pid; while :; do echo tick; sleep 0.1; done";
    const server = await startSse(chatReply(1, { calls: [["run_command", { command, timeout_ms: 60_000 }]] }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Tick.");
        await approveNext();
        await until("the shell to run", () => exists(inFolder("shell-pid")));
        await vscode.commands.executeCommand("brain.showInTerminal");
        const named = (): vscode.Terminal[] =>
          vscode.window.terminals.filter(({ name }) => name.startsWith("Brain: echo"));
        await until("its terminal", () => named().length === 1);
        await vscode.commands.executeCommand("brain.showInTerminal");
        assert.equal(named().length, 1, "one terminal for one command");
        assert.ok(
          named().every(({ creationOptions }) => "pty" in creationOptions),
          "no shell that could be typed into",
        );
        await vscode.commands.executeCommand("brain.stop");
        assert.equal((await outcome).status, "aborted");
        await goneWith("echo $$ > shell-pid");
      });
    } finally {
      await server.close();
      for (const terminal of vscode.window.terminals) terminal.dispose();
    }
  });
});
