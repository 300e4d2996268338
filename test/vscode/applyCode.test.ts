// Code of an answer applied to files in a real window: what was reviewed is written, nothing else, and the editor can undo it.
import assert from "node:assert/strict";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { applyCode, type ApplyParts } from "../../src/host/applyCode.ts";
import type { ShownCode } from "../../src/host/codeNames.ts";
import { openFiles } from "../../src/host/openFiles.ts";
import { createDrafts } from "../../src/host/reviewDrafts.ts";
import { createReviews } from "../../src/host/reviews.ts";
import { journalIn } from "../../src/host/writeApplied.ts";
import type { ApplyState } from "../../src/protocol/wire.ts";
import { createScope } from "../../src/scope/scope.ts";
import { nodeFiles } from "../../src/tools/nodeFiles.ts";
import type { Files } from "../../src/tools/workspace.ts";
import { exists, folder, inFolder, undoIn, until } from "./flow.ts";

/** Another for each test: VS Code remembers of a file what was selected in it, and how large it was. */
let name = "";
let other = "";
let count = 0;
const text = ["begin", "one", "two", "three", "four", "five", "end", ""].join("\n");
const shown = (given: Partial<ShownCode>): ShownCode => ({ text: "", language: "", info: "", above: "", ...given });
const read = (): Promise<string> => readFile(inFolder(name), "utf8");

/** How far the last code has come. */
const told: ApplyState[] = [];

interface Circumstances {
  readonly trusted?: boolean;
  /** What happens while the person reviews. */
  readonly meanwhile?: () => Promise<void>;
  /** The disk refuses the file of this name. */
  readonly refused?: string;
}

/** Applies code; of what is proposed the hunks with these numbers are accepted. @returns what was proposed, file by file */
async function apply(
  code: ShownCode,
  accepted: readonly number[] = [0],
  { trusted = true, meanwhile = () => Promise.resolve(), refused }: Circumstances = {},
): Promise<readonly string[]> {
  const proposed: string[] = [];
  const propose: ApplyParts["propose"] = (call) =>
    new Promise((resolve) => {
      const drafts = createDrafts({ get: () => [], set: () => undefined });
      const reviews = createReviews({
        drafts,
        tell: () => undefined,
        settle: (_id, answer) => void meanwhile().then(() => resolve(answer)),
      });
      reviews.follow([call]);
      for (const [id, { hunks, proposal }] of reviews.ofCall(call.toolCallId)) {
        proposed.push(proposal.path);
        for (const [index, hunk] of hunks.entries())
          reviews.decide(id, hunk.id, accepted.includes(index) ? "accepted" : "rejected");
      }
    });
  const scope = await createScope({ root: folder() });
  const disk = openFiles(nodeFiles());
  const full = { kind: "failed", message: "The disk is full." } as const;
  const write: Files["write"] = (path, ...rest) =>
    path.relative === refused ? Promise.resolve(full) : disk.write(path, ...rest);
  const ownFiles = () => Promise.resolve({ scope, files: { ...disk, write } });
  const workspace = { open: () => ({ trusted, composition: { ownFiles } }) };
  told.splice(0);
  await applyCode(code, { workspace, propose, journal: journalIn(undefined) }, (state) => told.push(state));
  return proposed;
}

describe("code that a person applies to a file", () => {
  beforeEach(async () => {
    count++;
    name = `applied-${count}.txt`;
    other = `other-${count}.txt`;
    await writeFile(inFolder(name), text);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("notifications.clearAll");
    while (vscode.window.activeTextEditor)
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await Promise.all([name, other, "fresh.txt", ".env"].map((file) => rm(inFolder(file), { force: true })));
  });

  it("gets what was accepted of it, and one undo of the editor takes that back", async () => {
    const part = "one\n2\nthree\n4\nfive";
    assert.deepEqual(await apply(shown({ text: part, info: `txt ${name}` }), [1]), [name]);
    assert.equal(await read(), text.replace("four", "4"));
    assert.deepEqual(told, ["reviewed", "applied"]);
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document?.uri.fsPath === inFolder(name));
    await undoIn(document);
    assert.equal(document.getText(), text);
  });

  it("is left as it is when nothing was accepted", async () => {
    assert.deepEqual(await apply(shown({ text: "one\n2\nthree", above: `In ${name}:` }), []), [name]);
    assert.equal(await read(), text);
    assert.deepEqual(told, ["reviewed", "left"]);
  });

  it("is the one of the editor in use where none is named, and what is selected there is replaced", async () => {
    await writeFile(inFolder(name), text.replaceAll("\n", "\r\n"));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(inFolder(name)));
    await until("the text of the disk", () => editor.document.eol === vscode.EndOfLine.CRLF);
    editor.selection = new vscode.Selection(1, 0, 3, 0);
    await apply(shown({ text: "1\n2\n2.5" }));
    assert.deepEqual(told, ["reviewed", "applied"]);
    assert.equal(await read(), text.replace("one\ntwo", "1\n2\n2.5").replaceAll("\n", "\r\n"));
  });

  it("is the one of the editor in use, with what is selected there, also where a link leads to it", async () => {
    await symlink(inFolder(name), inFolder(other));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(inFolder(other)));
    editor.selection = new vscode.Selection(1, 0, 3, 0);
    await apply(shown({ text: "1\n2\n2.5" }));
    assert.deepEqual(told, ["reviewed", "applied"]);
    assert.equal(await read(), text.replace("one\ntwo", "1\n2\n2.5"));
  });

  it("gets all of a diff that comes to it twice, as one change", async () => {
    const head = `--- a/${name}\n+++ b/${name}\n`;
    const diff = `${head}@@ -2,2 +2,2 @@\n one\n-two\n+2\n--- a/./${name}\n+++ b/./${name}\n@@ -5 +5 @@\n-four\n+4\n`;
    assert.deepEqual(await apply(shown({ text: diff, language: "diff" }), [0, 1]), [name]);
    assert.equal(await read(), text.replace("two", "2").replace("four", "4"));
  });

  it("gets a diff, and nothing of one that does not fit", async () => {
    const diff = ` one\n-two\n+2\n three`;
    assert.deepEqual(await apply(shown({ text: diff, language: "diff", above: name })), [name]);
    assert.equal(await read(), text.replace("two", "2"));
    const again = `--- a/${name}\n+++ b/${name}\n@@ -1,2 +1,2 @@\n one\n-zwei\n+2\n`;
    assert.deepEqual(await apply(shown({ text: again, language: "diff" })), []);
  });

  const part = (file: string, lines: string): string => `--- a/${file}\n+++ b/${file}\n@@ -1,2 +1,2 @@\n${lines}\n`;
  const diff = (): string => part(name, " begin\n-one\n+1") + part(other, " a\n-b\n+B");

  it("gets back what it had when another file of the diff cannot be written", async () => {
    await writeFile(inFolder(other), "a\nb\n");
    assert.deepEqual(await apply(shown({ text: diff(), language: "diff" }), [0], { refused: other }), [name, other]);
    assert.deepEqual(
      [await read(), await readFile(inFolder(other), "utf8"), told],
      [text, "a\nb\n", ["reviewed", "left"]],
    );
  });

  it("gets back what it had, with all other files of the diff, when the person takes it back", async () => {
    await writeFile(inFolder(other), "a\nb\n");
    await apply(shown({ text: diff(), language: "diff" }));
    assert.deepEqual([await read(), await readFile(inFolder(other), "utf8")], [text.replace("one", "1"), "a\nB\n"]);
    await until("the notification and its Undo", async () => {
      await vscode.commands.executeCommand("notification.acceptPrimaryAction");
      return told.includes("undone");
    });
    assert.deepEqual([await read(), await readFile(inFolder(other), "utf8")], [text, "a\nb\n"]);
  });

  it("gets nothing of a diff when another of its files has changed meanwhile", async () => {
    await writeFile(inFolder(other), "a\nb\n");
    const meanwhile = (): Promise<void> => writeFile(inFolder(other), "quite another\n");
    assert.deepEqual(await apply(shown({ text: diff(), language: "diff" }), [0], { meanwhile }), [name, other]);
    assert.equal(await read(), text);
    assert.equal(await readFile(inFolder(other), "utf8"), "quite another\n");
  });

  it("gets nothing that has no certain place, that is denied, or while the folder is not trusted", async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(inFolder(name)));
    await writeFile(inFolder(".env"), "KEY=1\n");
    for (const code of [
      shown({ text: "something\nelse" }),
      shown({ text: "one\n// ...\nfive" }),
      shown({ text: "KEY=2\n", info: "sh .env" }),
      shown({ text: "x\n", info: "sh ../outside.txt" }),
    ])
      assert.deepEqual([await apply(code), told], [[], ["left"]], code.text);
    assert.deepEqual(await apply(shown({ text: "one\n2\nthree" }), [0], { trusted: false }), []);
    assert.deepEqual([await read(), await readFile(inFolder(".env"), "utf8")], [text, "KEY=1\n"]);
  });

  it("is made where the person says that it is new", async () => {
    const applied = apply(shown({ text: "new\n", info: "txt fresh.txt" }));
    await until("the new file", async () => {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      return exists(inFolder("fresh.txt"));
    });
    assert.deepEqual(await applied, ["fresh.txt"]);
    assert.equal(await readFile(inFolder("fresh.txt"), "utf8"), "new\n");
  });
});
