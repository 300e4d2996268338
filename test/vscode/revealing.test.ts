// A masked result in a real window: a person can see it as it was, in a document of its own.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { chatReply } from "../support/chatWire.ts";
import { secretSamples } from "../support/secretSamples.ts";
import { startSse } from "../support/sse.ts";
import { begin, inFolder, transcript, until, withEndpoint } from "./flow.ts";

describe("a masked result in the window", () => {
  it("is shown as it was when a person asks, and is nowhere else", async () => {
    const [, , sample] = secretSamples(Date.now());
    assert.ok(sample);
    const [secret = ""] = sample.hidden;
    await writeFile(inFolder("masked-notes.txt"), `${sample.text}\n`);
    const server = await startSse(
      chatReply(1, { calls: [["read_file", { path: "masked-notes.txt" }]] }),
      chatReply(2, { text: "Done." }),
    );
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { sessionId } = await (await begin("Read.")).outcome;
        assert.match(JSON.stringify(await transcript(sessionId)), /\[masked: GitHub token\]/);
        await vscode.commands.executeCommand("brain.revealMasked");
        const editor = await until("its document", () => {
          const { activeTextEditor } = vscode.window;
          return activeTextEditor?.document.uri.scheme === "brain-unmasked" ? activeTextEditor : null;
        });
        assert.ok(editor.document.getText().includes(sample.text));
        const file = inFolder(".brain", "sessions", sessionId, "transcript.jsonl");
        assert.ok(!(await readFile(file, "utf8")).includes(secret));
        assert.ok(server.asked.every(({ body }) => !body.includes(secret)));
        await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
      });
      await vscode.commands.executeCommand("brain.newSession");
      await vscode.commands.executeCommand("brain.revealMasked");
      assert.notEqual(vscode.window.activeTextEditor?.document.uri.scheme, "brain-unmasked");
    } finally {
      await server.close();
      await rm(inFolder("masked-notes.txt"), { force: true });
    }
  });
});
