// Code of an answer in a real window: put where the cursor is, unsaved and undone like typing, or into an editor of its own.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { insertCode, openCode } from "../../src/host/code.ts";
import { inFolder, undoIn } from "./flow.ts";

describe("code that a person takes over", () => {
  afterEach(async () => {
    while (vscode.window.activeTextEditor)
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("takes the place of what is selected, and one undo takes it back", async () => {
    const document = await vscode.workspace.openTextDocument(inFolder("src", "cart.js"));
    const editor = await vscode.window.showTextDocument(document);
    const before = document.getText();
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    await insertCode({ text: "const taken = 1;\n", language: "js" });
    assert.equal(document.getText(), `const taken = 1;\n${before.slice(3)}`);
    assert.equal(await readFile(inFolder("src", "cart.js"), "utf8"), before);
    await undoIn(document);
    assert.equal(document.getText(), before);
  });

  it("stands in an editor of its own where none is open, or when it is asked for, in its language", async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await insertCode({ text: "print(1)\n", language: "py" });
    const inserted = vscode.window.activeTextEditor?.document;
    assert.deepEqual([inserted?.languageId, inserted?.getText(), inserted?.isUntitled], ["python", "print(1)\n", true]);
    await openCode({ text: "whatever", language: "no such language" });
    assert.deepEqual(vscode.window.activeTextEditor?.document.getText(), "whatever");
  });
});
