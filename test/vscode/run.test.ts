// Runs in a real window: the demo's task, live buffers, stop, memory, failures; decided through the palette's commands.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { commands } from "../../src/protocol/commands.ts";
import { isMessage } from "../../src/protocol/messages.ts";
import { goneWith } from "../support/alive.ts";
import { chatReply, httpError } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { approveNext, approveRest, begin, exists, inFolder, transcript, undoIn, until, withEndpoint } from "./flow.ts";

const cart = (): string => inFolder("src", "cart.js");
const openCart = async (): Promise<vscode.TextDocument> => {
  const document = await vscode.workspace.openTextDocument(cart());
  await vscode.window.showTextDocument(document);
  // A buffer that VS Code has kept of an earlier test is read anew a moment later.
  await until("the text of the disk", async () => document.getText() === (await readFile(cart(), "utf8")));
  return document;
};

describe("a run in the window", () => {
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

  it("registers every command of the table", async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.keys(commands).filter((name) => !registered.has(`brain.${name}`)),
      [],
    );
  });

  it("fixes the example with an approval of its edit, and the transcript says what was decided", async () => {
    const { outcome } = await begin("Fix the failing test");
    await approveNext();
    const { status, output, sessionId } = await approveRest(outcome);
    assert.equal(status, "completed");
    assert.match(output, /pass/i);
    assert.notEqual(await readFile(cart(), "utf8"), original);
    const decided = (await transcript(sessionId)).flatMap((entry) =>
      isMessage(entry) && entry.role === "tool" && entry.name !== "read_file"
        ? [[entry.name, entry.status, entry.verdict?.decision.kind]]
        : [],
    );
    assert.deepEqual(decided, [
      ["edit_file", "succeeded", "approve"],
      ["run_command", "succeeded", "approve"],
    ]);
  });

  it("works on a live buffer: unsaved text is read and edited, and stays unsaved", async () => {
    const document = await openCart();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "// Not saved yet.\n");
    assert.ok(await vscode.workspace.applyEdit(edit));
    const before = document.getText();
    const { outcome } = await begin("Fix the failing test");
    await approveNext();
    await until("the edit in the buffer", () => document.getText() !== before);
    assert.ok(document.getText().startsWith("// Not saved yet.\n"));
    assert.ok(document.isDirty, "the person's unsaved work was saved");
    assert.equal(await readFile(cart(), "utf8"), original, "the disk was written");
    const { sessionId } = await approveRest(outcome);
    const results = (await transcript(sessionId)).flatMap((entry) =>
      isMessage(entry) && entry.role === "tool" ? [entry.content] : [],
    );
    assert.ok(
      results.some((text) => text.includes("// Not saved yet.")),
      "the model read the disk, not the editor",
    );
    await undoIn(document);
    assert.equal(document.getText(), before, "one step did not take the whole edit back");
  });

  it("an open file without unsaved work is written and saved, and one undo takes it back", async () => {
    const document = await openCart();
    const { outcome } = await begin("Fix the failing test");
    await approveNext();
    assert.equal((await approveRest(outcome)).status, "completed");
    assert.ok(!document.isDirty);
    assert.equal(await readFile(cart(), "utf8"), document.getText());
    assert.notEqual(document.getText(), original);
    await undoIn(document);
    assert.equal(document.getText(), original);
  });

  it("BRAIN-EXEC-9: stop ends a command and its children within two seconds, and the transcript is whole", async () => {
    const unlike = `60.${process.pid}`;
    const command = `sleep ${unlike} & echo $! > pid; wait`;
    const server = await startSse(chatReply(1, { calls: [["run_command", { command, timeout_ms: 60_000 }]] }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Sleep.");
        await approveNext();
        await until(
          "the child's id",
          async () => Number(await readFile(inFolder("pid"), "utf8").catch(() => "")) || undefined,
        );
        const stopping = Date.now();
        await vscode.commands.executeCommand("brain.stop");
        const { status, sessionId } = await outcome;
        assert.equal(status, "aborted");
        assert.ok(Date.now() - stopping < 4_000);
        await goneWith(`sleep ${unlike}`);
        const last = (await transcript(sessionId)).slice(-2).map((entry) => entry["status"]);
        assert.deepEqual(last, ["cancelled", "aborted"]);
      });
    } finally {
      await server.close();
    }
  });

  it("keeps a note in MEMORY.md, which the palette opens", async () => {
    const { outcome } = await begin("Remember that we use node --test");
    await approveNext();
    assert.equal((await outcome).status, "completed");
    assert.match(await readFile(inFolder(".brain", "MEMORY.md"), "utf8"), /node --test/);
    await vscode.commands.executeCommand("brain.openMemory");
    assert.ok(vscode.window.activeTextEditor?.document.fileName.endsWith("MEMORY.md"));
    assert.ok(await exists(inFolder(".brain", ".gitignore")));
  });

  it("a broken AGENT.md is an answer with its lines, and nothing is started", async () => {
    await mkdir(inFolder(".brain", "agents", "odd"), { recursive: true });
    await writeFile(inFolder(".brain", "agents", "odd", "AGENT.md"), "---\nid: NOT GOOD\n---\n");
    const { outcome } = await begin("Hello", "odd");
    const { failure } = await outcome;
    assert.equal(failure?.code, "agent_invalid");
    assert.ok(failure.details?.some((line) => line.includes("AGENT.md:2")));
    await vscode.commands.executeCommand("brain.runAgent", { agent: "coder", message: "Hello" });
  });

  it("a wrong key is an answer that says what to do", async () => {
    const server = await startSse(httpError(401, "Incorrect API key"));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Hello");
        const { failure } = await outcome;
        assert.equal(failure?.status, 401);
        assert.equal(failure.action, "setKey");
      });
    } finally {
      await server.close();
    }
  });
});
