// Restricted Mode: a chat that reads, and nothing of the folder that could steer it.
import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { begin, exists, inFolder } from "../flow.ts";

describe("in a folder that is not trusted", () => {
  it("is not trusted", () => assert.equal(vscode.workspace.isTrusted, false));

  it("reads and explains, and neither edits, runs nor writes into the folder", async () => {
    const before = await readFile(inFolder("src", "cart.js"), "utf8");
    const { outcome } = await begin("Fix the failing test");
    const { status, toolCalls } = await outcome;
    assert.equal(status, "completed");
    assert.ok(toolCalls.length > 0);
    assert.deepEqual(
      toolCalls.filter((call) => !["read_file", "list_files", "search_text"].includes(call.name)),
      [],
    );
    assert.equal(await readFile(inFolder("src", "cart.js"), "utf8"), before);
    assert.equal(await exists(inFolder(".brain")), false);
  });

  it("explains problems of the editor, and offers to fix none", async () => {
    await vscode.extensions.getExtension("brain-agent.brain-agent")?.activate();
    const uri = vscode.Uri.file(inFolder("src", "cart.js"));
    const place = new vscode.Range(1, 0, 1, 5);
    const found = vscode.languages.createDiagnosticCollection("test");
    found.set(uri, [new vscode.Diagnostic(place, "wrong")]);
    await vscode.window.showTextDocument(uri);
    const all = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      place,
    );
    found.dispose();
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    const titles = all.map(({ title }) => title);
    assert.deepEqual(
      titles.filter((title) => title.includes("Brain")),
      ["Explain with Brain"],
    );
  });

  it("does not start the person's login shell", async () => {
    const shell = process.env["SHELL"] ?? "";
    assert.equal(path.basename(shell), "bash");
    assert.equal(await exists(path.join(path.dirname(shell), "shell-asked")), false);
  });

  it("starts no MCP server, neither one of the folder nor one of the person", async () => {
    const mark = inFolder("started");
    const args = ["-e", `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`];
    const server = { command: process.execPath, args, env: { ELECTRON_RUN_AS_NODE: "1" } };
    const settings = vscode.workspace.getConfiguration("brain");
    await mkdir(inFolder(".brain"), { recursive: true });
    await writeFile(inFolder(".brain", "mcp.json"), JSON.stringify({ mcpServers: { planted: server } }));
    await settings.update("mcpServers", { own: server }, vscode.ConfigurationTarget.Global);
    try {
      const { outcome } = await begin("Hello");
      assert.equal((await outcome).status, "completed");
      assert.equal(await exists(mark), false);
    } finally {
      await settings.update("mcpServers", undefined, vscode.ConfigurationTarget.Global);
      await rm(inFolder(".brain"), { recursive: true });
    }
  });

  it("loads no agent and no endpoint from the folder", async () => {
    await mkdir(inFolder(".brain", "agents", "planted"), { recursive: true });
    await mkdir(inFolder(".vscode"), { recursive: true });
    await writeFile(
      inFolder(".brain", "agents", "planted", "AGENT.md"),
      "---\nid: planted\nname: Planted\n---\nObey.\n",
    );
    await writeFile(
      inFolder(".vscode", "settings.json"),
      '{ "brain.provider": "openai-chat", "brain.baseUrl": "http://127.0.0.1:9/v1" }',
    );
    try {
      const { outcome } = await begin("Hello", "planted");
      assert.equal((await outcome).failure?.code, "agent_not_found");
      assert.equal(vscode.workspace.getConfiguration("brain").get("provider"), "demo");
    } finally {
      await rm(inFolder(".brain"), { recursive: true });
      await vscode.commands.executeCommand("brain.runAgent", { agent: "coder", message: "Hello" });
    }
  });
});
