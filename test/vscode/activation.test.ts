// The extension is found by the real VS Code and activates.
import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("activation", () => {
  it("activates in the extension host", async () => {
    const extension = vscode.extensions.getExtension("brain-agent.brain-agent");
    assert.ok(extension, "VS Code does not know the extension");
    await extension.activate();
    assert.equal(extension.isActive, true);
    assert.ok((await vscode.commands.getCommands(true)).includes("brain.newSession"));
  });
});
