// The panel in an editor tab: opened once, in front when it is asked for, and gone with its tab.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { inFolder, until } from "./flow.ts";

const tabs = (): readonly vscode.Tab[] =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith("brain.editor"));
const isInFront = (): boolean => tabs()[0]?.isActive === true;

describe("the panel in an editor tab", () => {
  afterEach(async () => {
    await vscode.window.tabGroups.close(tabs());
  });

  it("is opened once, beside that in the side bar, and comes to the front again", async () => {
    await vscode.commands.executeCommand("brain.focusChat");
    await vscode.commands.executeCommand("brain.openInEditor");
    await until("its tab", isInFront);
    await vscode.window.showTextDocument(vscode.Uri.file(inFolder("README.md")));
    await until("another tab in front", () => !isInFront());
    await vscode.commands.executeCommand("brain.openInEditor");
    await until("its tab again", isInFront);
    assert.equal(tabs().length, 1);
  });

  it("is opened once by two commands that come one right after the other", async () => {
    const open = (): Thenable<unknown> => vscode.commands.executeCommand("brain.openInEditor");
    await Promise.all([open(), open()]);
    await until("its tab", isInFront);
    assert.equal(tabs().length, 1);
  });

  it("is led to by what leads to the chat, while it can be seen", async () => {
    await vscode.commands.executeCommand("workbench.action.closeSidebar");
    await vscode.commands.executeCommand("brain.openInEditor");
    await until("its tab", isInFront);
    await vscode.commands.executeCommand("brain.newSession");
    await until("its tab still", isInFront);
    assert.equal(tabs().length, 1);
  });
});
