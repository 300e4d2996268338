// What a page is told of the selection in the editor: once as long as it stays, and once more when the page was loaded anew.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { followSelection } from "../../src/host/selection.ts";
import { folder, inFolder, until } from "./flow.ts";

describe("the selected lines", () => {
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  it("are told to a page when they change, and to one that takes its place", async () => {
    assert.ok(folder());
    const told: unknown[] = [];
    const place = vscode.window.createWebviewPanel("selection", "Selection", {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
    });
    try {
      const selection = followSelection({ place, post: async (message) => told.push(message) > 0 });
      selection.again();
      assert.deepEqual(told, []);
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(inFolder("README.md")));
      editor.selection = new vscode.Selection(0, 0, 1, 1);
      const selected = { type: "selection", selected: { path: "README.md", from: 1, to: 2 } };
      await until("the selection", () => told.length > 0);
      assert.deepEqual(told, [selected]);
      selection.again();
      assert.deepEqual(told, [selected, selected]);
    } finally {
      place.dispose();
    }
  });
});
