// What Brain gives to other extensions, in the real extension host: an agent with tools of theirs, on the model that the person has chosen.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { BrainApi } from "../../src/host/agentApi.ts";

async function brain(): Promise<BrainApi> {
  const extension = vscode.extensions.getExtension<BrainApi>("brain-agent.brain-agent");
  assert.ok(extension, "VS Code does not know the extension");
  return extension.activate();
}

describe("agents for other extensions", () => {
  it("an agent answers with the person's model; its events and its outcome are there to see", async () => {
    const run = await (
      await brain()
    ).startAgent({ name: "helper", instructions: "user:\n{{ said }}" }, { said: "Hello." });
    const types = new Set<string>();
    for await (const event of run) types.add(event.type);
    const { status, iterations } = await run.outcome;
    assert.deepEqual([status, iterations], ["completed", 1]);
    assert.equal(typeof (await run.result), "string");
    assert.ok(types.has("stream:delta"));
  });

  it("a file's own path is held to the workspace, and what is wrong is an error", async () => {
    const { invokeAgent } = await brain();
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder.uri, `agent-${randomUUID()}.prompty`);
    const tools = "tools: [{name: ask, kind: prompty, path: ../../elsewhere.prompty}]";
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(`---\n${tools}\n---\nHello.`));
    try {
      await assert.rejects(invokeAgent(file.fsPath), /“\.\.\/\.\.\/elsewhere\.prompty” is outside of the folder/);
    } finally {
      await vscode.workspace.fs.delete(file);
    }
  });
});
