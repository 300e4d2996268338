// The review of changes to files of every kind: many at once, in split editors, with unsaved work, with other line endings.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { approveRest, begin, inFolder, lensesOf, press, undoIn, until, withEndpoint } from "./flow.ts";

const text = (ending = "\n"): string => ["one", "two", "three", "four", "five", ""].join(ending);
const edits = [
  { old_text: "one", new_text: "eins" },
  { old_text: "five", new_text: "fünf" },
];

/** Has a model propose the same two hunks for each file, opens them, and lets the test decide. */
async function proposed(
  names: readonly string[],
  decide: (uris: readonly vscode.Uri[]) => Promise<void>,
): Promise<void> {
  const calls = names.map((path) => ["edit_file", { path, edits }] as const);
  const server = await startSse(chatReply(1, { calls }), chatReply(2, { text: "Done." }));
  try {
    await withEndpoint(server.baseUrl, async () => {
      const { outcome } = await begin("Change them.");
      const uris = names.map((name) => vscode.Uri.file(inFolder(name)));
      for (const uri of uris) {
        await vscode.workspace.openTextDocument(uri);
        await until("lenses in the file", async () => (await lensesOf(uri)).length > 0);
      }
      await decide(uris);
      assert.equal((await approveRest(outcome)).status, "completed");
    });
  } finally {
    await server.close();
  }
}

describe("the review of changes", () => {
  const names = Array.from({ length: 10 }, (_, index) => `many-${index}.txt`);
  const read = (name: string): Promise<string> => readFile(inFolder(name), "utf8");
  beforeEach(() => Promise.all(names.map((name) => writeFile(inFolder(name), text()))));
  afterEach(async () => {
    await vscode.commands.executeCommand("brain.stop");
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.commands.executeCommand("workbench.action.joinAllGroups");
    await Promise.all(names.map((name) => rm(inFolder(name), { force: true })));
  });

  it("to ten files at once: each gets the hunk that was accepted in it, and none of the others", async () => {
    await proposed(names, async (uris) => {
      for (const [index, uri] of uris.entries()) {
        await press(uri, index % 2 === 0 ? "Accept" : "Reject", 1);
        await press(uri, index % 2 === 0 ? "Reject" : "Accept", 1);
      }
    });
    const written = await Promise.all(names.map(read));
    const [even, odd] = [text().replace("one", "eins"), text().replace("five", "fünf")];
    assert.deepEqual(
      written,
      names.map((_, index) => (index % 2 === 0 ? even : odd)),
    );
  });

  it("in split editors: both show it at once, and one step takes it back", async () => {
    const name = "many-0.txt";
    const document = await vscode.workspace.openTextDocument(inFolder(name));
    await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Two);
    await until("the text of the disk", () => document.getText() === text());
    await proposed([name], async ([uri]) => {
      assert.ok(uri);
      await press(uri, "Accept", 1);
      assert.equal(document.getText(), text(), "it was written before the last hunk was decided");
      await press(uri, "Accept", 1);
    });
    const after = text().replace("one", "eins").replace("five", "fünf");
    const shown = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
    assert.deepEqual(
      shown.map((editor) => editor.document.getText()),
      [after, after],
    );
    await undoIn(document);
    assert.equal(document.getText(), text());
  });

  it("to a file with unsaved work: that stays, unsaved, and one step takes the change alone back", async () => {
    const name = "many-1.txt";
    const document = await vscode.workspace.openTextDocument(inFolder(name));
    const editor = await vscode.window.showTextDocument(document);
    await until("the text of the disk", () => document.getText() === text());
    assert.ok(await editor.edit((edit) => edit.insert(new vscode.Position(2, 0), "mine\n")));
    const mine = document.getText();
    await proposed([name], async ([uri]) => {
      assert.ok(uri);
      await press(uri, "Reject", 1);
      await press(uri, "Accept", 1);
    });
    assert.equal(document.getText(), mine.replace("five", "fünf"));
    assert.ok(document.isDirty);
    assert.equal(await read(name), text());
    await undoIn(document);
    assert.equal(document.getText(), mine);
  });

  it("to a file with CRLF: its endings stay, in what was taken and in the rest, open or not", async () => {
    const name = "many-2.txt";
    await writeFile(inFolder(name), text("\r\n"));
    await proposed([name], async ([uri]) => {
      assert.ok(uri);
      await press(uri, "Accept", 1);
      await press(uri, "Reject", 1);
    });
    assert.equal(await read(name), text("\r\n").replace("one", "eins"));
  });
});
