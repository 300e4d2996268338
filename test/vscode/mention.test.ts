// `@` in a message, in a real window: what the editor holds is attached, what the scope keeps back is not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { begin, inFolder, transcript, withEndpoint } from "./flow.ts";

const identity = {
  ...process.env,
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

async function openRepository(folder: string): Promise<void> {
  type Git = { getAPI(version: 1): { openRepository(root: vscode.Uri): Promise<unknown> } };
  const git = await vscode.extensions.getExtension<Git>("vscode.git")?.activate();
  assert.ok(await git?.getAPI(1).openRepository(vscode.Uri.file(folder)), "git does not know the folder");
}

describe("a message that names files", () => {
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("brings unsaved text and the editor's problems with it, and no secret file", async () => {
    await writeFile(inFolder(".env"), "TOKEN=hidden");
    const document = await vscode.workspace.openTextDocument(inFolder("src", "cart.js"));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((change) => change.insert(new vscode.Position(0, 0), "// not saved\n"));
    const found = vscode.languages.createDiagnosticCollection("mention-test");
    const range = new vscode.Range(0, 0, 0, 2);
    found.set(document.uri, [new vscode.Diagnostic(range, "is odd", vscode.DiagnosticSeverity.Warning)]);
    const server = await startSse(chatReply(1, { text: "Seen." }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Look at @src/cart.js:1-1, @problems and @.env");
        const { status, sessionId } = await outcome;
        assert.equal(status, "completed");
        const sent = server.asked[0]?.body ?? "";
        assert.ok(sent.includes("// not saved") && sent.includes("unsaved changes in the editor"), sent);
        assert.ok(sent.includes("src/cart.js:1: warning: is odd"), sent);
        assert.ok(!sent.includes("hidden"));
        const [said] = (await transcript(sessionId)).filter((entry) => isMessage(entry) && entry.role === "user");
        assert.ok(said);
        assert.deepEqual(
          said.attachments?.map(({ kind, label }) => [kind, label]),
          [
            ["file", "src/cart.js:1-1"],
            ["problems", "problems"],
          ],
        );
      });
    } finally {
      await server.close();
      found.dispose();
      await vscode.workspace.fs.delete(vscode.Uri.file(inFolder(".env")));
    }
  });

  it("brings a commit with what it changed, but for files that no tool may read", async () => {
    const folder = inFolder("kept");
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", ["-C", folder, ...args], { env: identity });
    await mkdir(folder);
    try {
      git("init", "-q");
      await writeFile(inFolder("kept", "a.txt"), "one\n");
      await writeFile(inFolder("kept", ".env"), "TOKEN=hidden");
      git("add", "-f", ".");
      git("commit", "-qm", "First of all");
      await writeFile(inFolder("kept", "a.txt"), "two\n");
      await writeFile(inFolder("kept", ".env"), "TOKEN=hidden too");
      git("commit", "-qam", "Then another");
      await openRepository(folder);
      const server = await startSse(chatReply(1, { text: "Seen." }));
      try {
        await withEndpoint(server.baseUrl, async () => {
          const { outcome } = await begin("What did @commit:HEAD do, after @commit:HEAD~1?");
          assert.equal((await outcome).status, "completed");
          const sent = server.asked[0]?.body ?? "";
          const said = ["First of all", "the first commit", "Then another", "-one\\n+two"];
          assert.deepEqual(
            said.filter((words) => !sent.includes(words)),
            [],
          );
          assert.ok(!sent.includes("hidden"));
        });
      } finally {
        await server.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
