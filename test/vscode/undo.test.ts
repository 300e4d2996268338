// Undo in a real window: the files come back on the disk, and unsaved work in an editor is never touched.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage, type UndoEntry } from "../../src/protocol/messages.ts";
import { approveRest, begin, inFolder, transcript, until } from "./flow.ts";

const cart = (): string => inFolder("src", "cart.js");

/** Has the demo fix its test. @returns the session */
async function fixed(): Promise<string> {
  const { outcome } = await begin("Fix the failing test");
  const { status, sessionId } = await approveRest(outcome);
  assert.equal(status, "completed");
  return sessionId;
}

async function undosIn(sessionId: string): Promise<readonly UndoEntry[]> {
  const entries = await transcript(sessionId);
  return entries.filter((entry): entry is UndoEntry => !isMessage(entry) && entry.type === "undo");
}

describe("undo in the window", () => {
  let original = "";
  before(async () => {
    original = await readFile(cart(), "utf8");
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await writeFile(cart(), original);
  });

  it("takes back what the last run changed, also in the editor that shows it, and writes it down", async () => {
    const document = await vscode.workspace.openTextDocument(cart());
    await vscode.window.showTextDocument(document);
    const sessionId = await fixed();
    assert.notEqual(await readFile(cart(), "utf8"), original);
    await vscode.commands.executeCommand("brain.undoRun", { over: false });
    assert.equal(await readFile(cart(), "utf8"), original);
    await until("the editor to follow", () => document.getText() === original);
    const [entry] = await undosIn(sessionId);
    assert.deepEqual(entry?.changes.files, [{ path: "src/cart.js", kind: "changed" }]);
    assert.deepEqual(entry.left, []);
  });

  it("leaves a file with unsaved changes as it is, whatever is said", async () => {
    const sessionId = await fixed();
    const after = await readFile(cart(), "utf8");
    const document = await vscode.workspace.openTextDocument(cart());
    await vscode.window.showTextDocument(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "// Mine.\n");
    assert.ok(await vscode.workspace.applyEdit(edit));
    await vscode.commands.executeCommand("brain.undoRun", { over: true });
    assert.equal(await readFile(cart(), "utf8"), after);
    assert.ok(document.isDirty);
    assert.ok(document.getText().startsWith("// Mine.\n"));
    assert.deepEqual((await undosIn(sessionId))[0]?.left, ["src/cart.js"]);
  });
});
