// The review of proposed changes in a real editor: lenses, keys, typing, and what is on the disk afterwards.
import assert from "node:assert/strict";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import type { Outcome } from "../../src/engine/run.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { approveRest, begin, inFolder, lensesOf, press, transcript, until, withEndpoint } from "./flow.ts";

const cart = (): string => inFolder("src", "cart.js");

/** The editor of the proposed side, once a review shows one. */
function proposed(): Promise<vscode.TextEditor> {
  return until("the review's editor", () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const shown = input instanceof vscode.TabInputTextDiff ? input.modified.toString() : null;
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === shown);
  });
}

/** The result of the edit, as the model reads it. */
async function resultOf(outcome: Promise<Outcome>): Promise<string> {
  const { sessionId } = await outcome;
  const entries = await transcript(sessionId);
  const edit = entries.find((entry) => isMessage(entry) && entry.role === "tool" && entry.name === "edit_file");
  assert.ok(edit && isMessage(edit));
  return edit.content;
}

describe("the review of a proposed change", () => {
  let original = "";
  before(async () => {
    original = await readFile(cart(), "utf8");
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("brain.stop");
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await writeFile(cart(), original);
  });
  const propose = async (): Promise<{ outcome: Promise<Outcome>; editor: vscode.TextEditor }> => {
    const { outcome } = await begin("Fix the failing test");
    await until("a change to review", async () => {
      await vscode.commands.executeCommand("brain.reviewAll");
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff;
    });
    return { outcome, editor: await proposed() };
  };

  it("writes the hunk that was accepted and not the one that was rejected, and the model reads both", async () => {
    const { outcome, editor } = await propose();
    const { uri } = editor.document;
    assert.equal(await readFile(cart(), "utf8"), original, "the disk was written before anybody decided");
    await press(uri, "Accept", 1);
    await press(uri, "Reject", 2);
    const result = await resultOf(approveRest(outcome));
    const now = await readFile(cart(), "utf8");
    assert.equal(now.split("/ 100").length - original.split("/ 100").length, 1);
    assert.match(result, /The person decided what is written/);
    await until("the review to be closed", () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .every(({ input }) => !(input instanceof vscode.TabInputTextDiff)),
    );
  });

  it("writes what the person has typed into the proposal", async () => {
    const { outcome, editor } = await propose();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// By hand.\n"));
    await until("a third hunk", async () => {
      const lenses = await lensesOf(editor.document.uri);
      return lenses.some(({ title }) => title.includes("of 3"));
    });
    await vscode.commands.executeCommand("brain.acceptFile");
    assert.match(await resultOf(approveRest(outcome)), /\+\/\/ By hand\./);
    assert.ok((await readFile(cart(), "utf8")).startsWith("// By hand.\n"));
  });

  it("loses no letter that was typed just before it was accepted", async () => {
    const { outcome, editor } = await propose();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// At the last moment.\n"));
    await vscode.commands.executeCommand("brain.acceptFile");
    await approveRest(outcome);
    assert.ok((await readFile(cart(), "utf8")).startsWith("// At the last moment.\n"));
  });

  it("works in the file itself, and by the commands that keys are bound to", async () => {
    const document = await vscode.workspace.openTextDocument(cart());
    await vscode.window.showTextDocument(document);
    const { outcome } = await begin("Fix the failing test");
    await until("lenses in the file", async () => (await lensesOf(document.uri)).length > 0);
    const editor = await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("brain.nextHunk");
    const first = editor.selection.active.line;
    await vscode.commands.executeCommand("brain.acceptHunk");
    assert.notEqual(editor.selection.active.line, first, "the cursor did not move on to the next hunk");
    assert.equal(document.getText(), original, "the file was changed before the last hunk was decided");
    await vscode.commands.executeCommand("brain.rejectHunk");
    await approveRest(outcome);
    assert.equal((await readFile(cart(), "utf8")).split("/ 100").length - original.split("/ 100").length, 1);
    assert.deepEqual(await lensesOf(document.uri), []);
  });

  it("works in the file itself where a link leads to it, as in a folder that was opened through one", async () => {
    await symlink(inFolder("src"), inFolder("linked"));
    try {
      const document = await vscode.workspace.openTextDocument(inFolder("linked", "cart.js"));
      await vscode.window.showTextDocument(document);
      const { outcome } = await begin("Fix the failing test");
      await until("lenses in the file", async () => (await lensesOf(document.uri)).length > 0);
      await vscode.commands.executeCommand("brain.acceptFile");
      await approveRest(outcome);
      assert.equal((await readFile(cart(), "utf8")).split("/ 100").length - original.split("/ 100").length, 2);
    } finally {
      await rm(inFolder("linked"));
    }
  });

  it("keeps what the person types into the file meanwhile, and writes its change beside it", async () => {
    const document = await vscode.workspace.openTextDocument(cart());
    await vscode.window.showTextDocument(document);
    const { outcome } = await begin("Fix the failing test");
    await until("lenses in the file", async () => (await lensesOf(document.uri)).length > 0);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "// Mine.\n");
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(await resultOf(approveRest(outcome)), /together with what the file has become meanwhile/);
    assert.ok(document.getText().startsWith("// Mine.\n"));
    assert.match(document.getText(), /\/ 100/);
    assert.ok(document.isDirty, "the person's unsaved work was saved");
    assert.equal(await readFile(cart(), "utf8"), original);
  });

  it("takes a patch of several files apart: one is written, one is refused, and the model reads both", async () => {
    const patch = [
      "*** Begin Patch",
      "*** Update File: src/cart.js",
      "@@",
      `-${original.split("\n")[0]}`,
      "+// Patched.",
      "*** Add File: patched.txt",
      "+new",
      "*** End Patch",
    ].join("\n");
    const server = await startSse(
      chatReply(1, { calls: [["apply_patch", { patch }]] }),
      chatReply(2, { text: "Done." }),
    );
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Patch two files.");
        const document = await vscode.workspace.openTextDocument(cart());
        await until("lenses in the file", async () => (await lensesOf(document.uri)).length > 0);
        await press(document.uri, "Reject", 1);
        await vscode.commands.executeCommand("brain.reviewAll");
        await vscode.commands.executeCommand("brain.approveAll");
        const { sessionId } = await outcome;
        const entries = await transcript(sessionId);
        const result = entries.find((entry) => isMessage(entry) && entry.role === "tool");
        assert.ok(result && isMessage(result));
        assert.match(result.content, /Created patched\.txt .*The person refused the change of src\/cart\.js/s);
        assert.equal(await readFile(cart(), "utf8"), original);
        assert.equal(await readFile(inFolder("patched.txt"), "utf8"), "new\n");
      });
    } finally {
      await server.close();
    }
  });

  it("shows changes of several files in one editor, and rejects a file as a whole", async () => {
    const files = ["one.txt", "two.txt"];
    const server = await startSse(
      chatReply(1, { calls: files.map((path) => ["write_file", { path, content: `${path}\n` }]) }),
      chatReply(2, { text: "Done." }),
    );
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Write two files.");
        await until("both to wait", async () => {
          await vscode.commands.executeCommand("brain.reviewAll");
          return vscode.window.tabGroups.activeTabGroup.activeTab?.label.includes("proposed by Brain");
        });
        await vscode.commands.executeCommand("brain.approveAll");
        await outcome;
        assert.deepEqual(await Promise.all(files.map((file) => readFile(inFolder(file), "utf8"))), [
          "one.txt\n",
          "two.txt\n",
        ]);
      });
    } finally {
      await server.close();
    }
  });
});
