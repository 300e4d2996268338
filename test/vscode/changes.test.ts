// What calls have changed, in a real window: listed, kept and undone by hunk, by file and all at once, beside a person's own lines.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { approveRest, begin, exists, inFolder, transcript, undoIn, until, withEndpoint } from "./flow.ts";

const lines = (count: number, ending = "\n"): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}${ending}`).join("");
const edits = [
  { old_text: "line 2", new_text: "zwei" },
  { old_text: "line 8", new_text: "acht" },
];
const changed = (ending = "\n"): string => lines(9, ending).replace("line 2", "zwei").replace("line 8", "acht");

/** Has a model make these calls. @returns the session */
async function done(...calls: readonly (readonly [string, Record<string, unknown>])[]): Promise<string> {
  const server = await startSse(chatReply(1, { calls }), chatReply(2, { text: "Done." }));
  try {
    return await withEndpoint(server.baseUrl, async () => {
      const { outcome } = await begin("Change it.");
      const { status, sessionId } = await approveRest(outcome);
      assert.equal(status, "completed");
      return sessionId;
    });
  } finally {
    await server.close();
  }
}

type Shown = readonly { readonly label: string; readonly paths: readonly string[] }[];
const shown = (): Thenable<Shown> => vscode.commands.executeCommand<Shown>("brain.showChanges");
const run = (name: string, ...given: unknown[]): Thenable<unknown> =>
  vscode.commands.executeCommand(`brain.${name}`, ...given);
const text = (name: string): Promise<string> => readFile(inFolder(name), "utf8");

async function opened(name: string, line = 0): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(inFolder(name));
  await until("the text of the disk", async () => document.isDirty || document.getText() === (await text(name)));
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  editor.selection = new vscode.Selection(line, 0, line, 0);
  return editor;
}

async function type(editor: vscode.TextEditor, line: number, what: string): Promise<void> {
  assert.ok(await editor.edit((edit) => edit.insert(new vscode.Position(line, 0), what)));
}

describe("what calls have changed", () => {
  const names = ["nine.txt", "crlf.txt", "new.txt", "gone.txt"];
  beforeEach(async () => {
    await writeFile(inFolder("nine.txt"), lines(9));
    await writeFile(inFolder("gone.txt"), "gone\n");
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await run("newSession");
    await Promise.all(names.map((name) => rm(inFolder(name), { force: true })));
  });
  const edit = ["edit_file", { path: "nine.txt", edits }] as const;

  it("is listed by run, and gone when it is kept", async () => {
    await done(edit, ["write_file", { path: "new.txt", content: "new\n" }]);
    assert.deepEqual(await shown(), [{ label: "This run", paths: ["new.txt", "nine.txt"] }]);
    await run("keepFile", vscode.Uri.file(inFolder("new.txt")));
    assert.deepEqual(await shown(), [{ label: "This run", paths: ["nine.txt"] }]);
    await run("keepAllChanges");
    assert.deepEqual(await shown(), []);
    assert.deepEqual([await text("new.txt"), await text("nine.txt")], ["new\n", changed()]);
  });

  it("goes back hunk by hunk, each one step of the editor, and comes back with it; the agent is told", async () => {
    const sessionId = await done(edit);
    const editor = await opened("nine.txt", 1);
    await run("undoHunk");
    assert.equal(await text("nine.txt"), changed().replace("zwei", "line 2"));
    assert.equal(editor.selection.active.line, 7, "the cursor did not move on to the next hunk");
    await undoIn(editor.document);
    assert.equal(editor.document.getText(), changed());
    await editor.document.save();
    await run("undoHunk");
    await run("undoHunk");
    assert.equal(await text("nine.txt"), lines(9));
    assert.deepEqual(await shown(), []);
    const told = (await transcript(sessionId)).flatMap((entry) =>
      !isMessage(entry) && entry.type === "undo" ? entry.what : [],
    );
    const place = "what was changed in a place of nine.txt";
    assert.deepEqual(told, [place, place, place]);
  });

  it("is kept hunk by hunk: what is undone later is only the rest", async () => {
    await done(edit);
    await opened("nine.txt", 1);
    await run("keepHunk");
    assert.deepEqual(await shown(), [{ label: "This run", paths: ["nine.txt"] }]);
    await run("undoFile", vscode.Uri.file(inFolder("nine.txt")));
    assert.equal(await text("nine.txt"), lines(9).replace("line 2", "zwei"));
    assert.deepEqual(await shown(), []);
  });

  it("is undone beside what a person has typed since, which stays as it is and unsaved", async () => {
    await done(edit);
    const editor = await opened("nine.txt");
    await type(editor, 4, "mine\n");
    await run("undoFile", { over: false });
    assert.equal(editor.document.getText(), lines(9).replace("line 5", "mine\nline 5"));
    assert.ok(editor.document.isDirty);
    assert.equal(await text("nine.txt"), changed(), "a person's unsaved work was saved");
    await undoIn(editor.document);
    assert.equal(editor.document.getText(), changed().replace("line 5", "mine\nline 5"), "one step was not enough");
  });

  it("is left where a person has changed the same lines, unless they say so", async () => {
    await done(edit);
    const editor = await opened("nine.txt", 1);
    await type(editor, 1, "mine ");
    await run("undoHunk", { over: false });
    assert.match(editor.document.getText(), /mine zwei/);
    await run("undoFile", { over: false });
    assert.equal(editor.document.getText(), lines(9).replace("line 2", "mine zwei"));
    await run("undoFile", { over: true });
    assert.equal(editor.document.getText(), lines(9));
  });

  it("comes and goes as a whole where files were made, moved or deleted, and the agent is told", async () => {
    const sessionId = await done(
      ["write_file", { path: "new.txt", content: "new\n" }],
      ["delete_file", { path: "gone.txt" }],
      edit,
    );
    await run("undoAllChanges", { over: false });
    assert.deepEqual(
      [await exists(inFolder("new.txt")), await text("gone.txt"), await text("nine.txt")],
      [false, "gone\n", lines(9)],
    );
    const undos = (await transcript(sessionId)).filter((entry) => !isMessage(entry) && entry.type === "undo");
    assert.equal(undos.length, 1);
    assert.deepEqual(await shown(), []);
  });

  it("keeps a file's own line endings", async () => {
    const original = lines(9, "\r\n");
    await writeFile(inFolder("crlf.txt"), original);
    await done(["edit_file", { path: "crlf.txt", edits }]);
    assert.equal(await text("crlf.txt"), changed("\r\n"));
    await opened("crlf.txt", 7);
    await run("undoHunk");
    assert.equal(await text("crlf.txt"), original.replace("line 2", "zwei"));
    await run("undoHunk");
    assert.equal(await text("crlf.txt"), original);
  });

  it("takes an editor's own view of a place: the menu of the inline difference", async () => {
    await done(edit);
    const editor = await opened("nine.txt", 0);
    const change = (line: number) => ({
      originalStartLineNumber: line,
      originalEndLineNumber: line,
      modifiedStartLineNumber: line,
      modifiedEndLineNumber: line,
    });
    await run("keepHunk", editor.document.uri, [change(2), change(8)], 0);
    await run("undoHunk", editor.document.uri, [change(8)], 0);
    assert.equal(editor.document.getText(), lines(9).replace("line 2", "zwei"));
    assert.deepEqual(await shown(), []);
  });

  it("adds up over runs until it is decided, and stays decided", async () => {
    await done(["edit_file", { path: "nine.txt", edits: edits.slice(0, 1) }]);
    await run("keepFile", vscode.Uri.file(inFolder("nine.txt")));
    const editor = await opened("nine.txt");
    await type(editor, 0, "mine\n");
    await editor.document.save();
    assert.deepEqual(await shown(), [], "a person's own edit was taken for a call's");
  });
});
