// Files through live buffers: what an editor holds counts, and text that changed meanwhile is never written over.
import assert from "node:assert/strict";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { openFiles } from "../../src/host/openFiles.ts";
import { setEncodings } from "../../src/host/setEncodings.ts";
import { createScope, type ScopedPath } from "../../src/scope/scope.ts";
import { nodeFiles } from "../../src/tools/nodeFiles.ts";
import { hashText } from "../../src/tools/workspace.ts";
import { folder, inFolder, until } from "./flow.ts";

async function scoped(name: string): Promise<ScopedPath> {
  const path = await (await createScope({ root: folder() })).resolve(name, "write");
  assert.ok(!("denied" in path));
  return path;
}

describe("files with editors open", () => {
  const files = openFiles(nodeFiles());
  const type = async (document: vscode.TextDocument, text: string): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };
  beforeEach(() => writeFile(inFolder("live.txt"), "one\r\ntwo\r\n"));
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await Promise.all(["live.txt", "link.txt", "closed.txt"].map((name) => rm(inFolder(name), { force: true })));
  });
  const open = async (name: string): Promise<vscode.TextDocument> => {
    const document = await vscode.workspace.openTextDocument(inFolder(name));
    await vscode.window.showTextDocument(document);
    // A buffer that VS Code has kept of an earlier test is read anew a moment later.
    await until("the text of the disk", async () => document.getText() === (await readFile(inFolder(name), "utf8")));
    return document;
  };

  it("a buffer changed since it was read is not written", async () => {
    const document = await open("live.txt");
    const path = await scoped("live.txt");
    const read = await files.read(path);
    assert.equal(read?.source, "disk");
    await type(document, "typed ");
    assert.deepEqual(await files.write(path, "three\r\n", read.hash), { kind: "stale" });
    assert.equal(document.getText(), "typed one\r\ntwo\r\n");
    assert.equal(await readFile(inFolder("live.txt"), "utf8"), "one\r\ntwo\r\n");
  });

  it("a file whose editor is closed meanwhile goes to the disk", async () => {
    await writeFile(inFolder("closed.txt"), "one\r\n");
    const path = await scoped("closed.txt");
    const uri = vscode.Uri.file(path.real);
    await vscode.commands.executeCommand("vscode.open", uri);
    const document = vscode.workspace.textDocuments.find((one) => one.uri.fsPath === path.real);
    assert.ok(document);
    const disk = nodeFiles();
    const read: typeof disk.read = async (of) => {
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await until("the closed document", () => document.isClosed);
      return disk.read(of);
    };
    const before = await disk.read(path);
    const outcome = await openFiles({ ...disk, read }).write(path, "three\r\n", before?.hash ?? null);
    assert.deepEqual(outcome, { kind: "written", hash: hashText("three\r\n"), saved: true });
    assert.equal(await readFile(inFolder("closed.txt"), "utf8"), "three\r\n");
  });

  it("what cannot be read is not written, and that is an answer", async () => {
    await open("live.txt");
    const blind = openFiles({ ...nodeFiles(), read: () => Promise.reject(new Error("The disk is gone.")) });
    assert.deepEqual(await blind.write(await scoped("live.txt"), "three\r\n", "another hash"), { kind: "stale" });
  });

  it("a clean buffer is written and saved, its line endings kept", async () => {
    const document = await open("live.txt");
    const path = await scoped("live.txt");
    const read = await files.read(path);
    const written = await files.write(path, "one\r\n2\r\n", read?.hash ?? null);
    assert.ok(written.kind === "written" && written.saved);
    assert.ok(!document.isDirty);
    assert.equal(await readFile(inFolder("live.txt"), "utf8"), "one\r\n2\r\n");
  });

  it("a file reached through a link is the same buffer", async () => {
    await symlink(inFolder("live.txt"), inFolder("link.txt"));
    const document = await open("link.txt");
    await type(document, "typed ");
    const read = await files.read(await scoped("live.txt"));
    assert.equal(read?.text, "typed one\r\ntwo\r\n");
    assert.ok(read.unsaved);
  });

  it("a file that is not open goes to the disk", async () => {
    const path = await scoped("live.txt");
    const read = await files.read(path);
    assert.equal(read?.source, "disk");
    const written = await files.write(path, "x\r\n", read.hash);
    assert.ok(written.kind === "written" && written.saved);
    assert.equal(await readFile(inFolder("live.txt"), "utf8"), "x\r\n");
  });

  it("what the editor finds wrong since is told, and what was wrong before is not", async () => {
    const document = await open("live.txt");
    const problems = vscode.languages.createDiagnosticCollection("test");
    const at = (line: number, message: string): vscode.Diagnostic =>
      new vscode.Diagnostic(new vscode.Range(line, 0, line, 1), message, vscode.DiagnosticSeverity.Error);
    problems.set(document.uri, [at(0, "known")]);
    const checker = vscode.workspace.onDidChangeTextDocument(({ document: changed }) => {
      if (changed === document) problems.set(document.uri, [at(2, "known"), at(1, "not two any more")]);
    });
    try {
      const path = await scoped("live.txt");
      const read = await files.read(path);
      const written = await files.write(path, "one\r\n2\r\n", read?.hash ?? null);
      assert.deepEqual(written.kind === "written" && written.problems, ["line 2: error: not two any more"]);
    } finally {
      checker.dispose();
      problems.dispose();
    }
  });

  it("a buffer keeps the encoding of its file", async () => {
    const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    await writeFile(inFolder("live.txt"), utf16("ä one\r\ntwo\r\n"));
    const document = await vscode.workspace.openTextDocument(inFolder("live.txt"));
    await until("the text of the disk", () => document.getText() === "ä one\r\ntwo\r\n");
    const path = await scoped("live.txt");
    const read = await files.read(path);
    assert.equal(read?.encoding, "utf16le");
    const written = await files.write(path, "ä one\r\n2\r\n", read.hash);
    assert.ok(written.kind === "written" && written.saved);
    assert.deepEqual(await readFile(path.real), utf16("ä one\r\n2\r\n"));
    assert.equal(document.getText(), "ä one\r\n2\r\n");
  });

  it("a file has the encoding that is set, whether an editor shows it or not, and no question mark for what that lacks", async () => {
    const settings = vscode.workspace.getConfiguration("files");
    await settings.update("encoding", "windows1251", vscode.ConfigurationTarget.Global);
    try {
      const set = openFiles(nodeFiles(setEncodings()));
      const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]);
      await writeFile(inFolder("link.txt"), cyrillic);
      const other = await scoped("link.txt");
      const found = await set.read(other);
      assert.deepEqual([found?.text, found?.encoding], ["Привет\n", "windows1251"]);
      assert.equal((await set.write(other, "Приветы\n", found?.hash ?? null)).kind, "written");
      assert.deepEqual(await readFile(other.real), Buffer.concat([cyrillic.subarray(0, 6), Buffer.from([0xfb, 0x0a])]));
      const again = await set.read(other);
      const lacking = await set.write(other, "你\n", again?.hash ?? null);
      assert.ok(lacking.kind === "failed" && lacking.message.includes("windows1251, which has no “你”"));
      const shown = await vscode.workspace.openTextDocument(other.real);
      await until("the text of the disk", () => shown.getText() === "Приветы\n");
      assert.equal((await set.write(other, "你\n", again?.hash ?? null)).kind, "failed");
      assert.equal((await set.write(other, "Привет\n", again?.hash ?? null)).kind, "written");
      assert.deepEqual(await readFile(other.real), cyrillic);
    } finally {
      await settings.update("encoding", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("a notebook with unsaved changes is neither written over nor moved nor deleted", async () => {
    const text = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}';
    await writeFile(inFolder("unsaved.ipynb"), text);
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(inFolder("unsaved.ipynb")));
    try {
      await vscode.window.showNotebookDocument(notebook);
      const path = await scoped("unsaved.ipynb");
      assert.equal(await files.find(path), "file");
      const edit = new vscode.WorkspaceEdit();
      const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, "mine", "python");
      edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
      assert.ok(await vscode.workspace.applyEdit(edit));
      assert.ok(notebook.isDirty);
      assert.equal(await files.find(path), "unsaved");
      const hash = (await files.read(path))?.hash ?? null;
      assert.equal((await files.write(path, "{}", hash)).kind, "failed");
      assert.equal((await files.move(path, await scoped("moved.ipynb"))).kind, "failed");
      assert.equal((await files.removeWhole(path, () => Promise.resolve(true))).kind, "stale");
      assert.equal((await files.remove(path, hash ?? "")).kind, "stale");
      assert.equal(await readFile(path.real, "utf8"), text);
    } finally {
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      await rm(inFolder("unsaved.ipynb"), { force: true });
    }
  });

  it("a formatter that runs on saving is told of: the model reads what is in the file", async () => {
    const document = await open("live.txt");
    const settings = vscode.workspace.getConfiguration("editor");
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: "**/live.txt" },
      { provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(new vscode.Position(0, 0), "formatted ")] },
    );
    await settings.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
    try {
      const path = await scoped("live.txt");
      const read = await files.read(path);
      const written = await files.write(path, "one\r\n2\r\n", read?.hash ?? null);
      assert.equal(written.kind === "written" && written.text, "formatted one\r\n2\r\n");
      assert.equal(await readFile(inFolder("live.txt"), "utf8"), document.getText());
    } finally {
      await settings.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
      formatter.dispose();
    }
  });
});
