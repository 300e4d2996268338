// `@` in a message, in a real window: what the editor holds is attached, what the scope keeps back is not.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { begin, inFolder, transcript, withEndpoint } from "./flow.ts";

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
});
