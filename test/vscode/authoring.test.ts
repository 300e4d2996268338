// Writing an agent in the real editor: its language, what is offered and told, and its prompt beside it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";

const text = `---
name: guide
modle: m
inputs:
  - {name: city, kind: string, default: Rome}

---
user:
To {{ city }} and {{ town }}.
`;

/** Once something holds; the suite's own limit ends the wait. */
async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("writing an agent", () => {
  let document: vscode.TextDocument;

  before(async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder.uri, `agent-${randomUUID()}.prompty`);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
    document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
  });

  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.workspace.fs.delete(document.uri);
  });

  it("has its language, and its problems at their places, with a fix for a key that is nearly one", async () => {
    assert.equal(document.languageId, "prompty");
    const found = await until(() => {
      const shown = vscode.languages.getDiagnostics(document.uri);
      return shown.length > 0 ? shown : undefined;
    });
    const places = found.map(({ range, code }) => [document.getText(range), code]);
    assert.deepEqual(places, [
      ["town", undefined],
      ["modle", "misspelled"],
    ]);
    const range = found[1]?.range;
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      range,
    );
    assert.ok(actions.some(({ title }) => title === "Change to “model”"));
  });

  it("offers keys, says what they are for, and what the file can do", async () => {
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      document.uri,
      new vscode.Position(5, 0),
    );
    assert.ok(list.items.some(({ label }) => label === "template"));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      document.uri,
      new vscode.Position(3, 2),
    );
    assert.equal(hovers.length, 1);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      document.uri,
      2,
    );
    assert.deepEqual(
      lenses.map(({ command }) => command?.command),
      ["brain.runThisAgent", "brain.previewAgent"],
    );
  });

  it("shows the prompt beside it, anew as it is written", async () => {
    await vscode.commands.executeCommand("brain.previewAgent", document.uri);
    const shown = await until(() => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "brain-prompt"));
    assert.equal(shown.getText(), "user:\nTo Rome and .\n");
    const edit = new vscode.WorkspaceEdit();
    const at = text.slice(0, text.indexOf("Rome")).split("\n");
    edit.replace(
      document.uri,
      new vscode.Range(at.length - 1, at.at(-1)?.length ?? 0, at.length - 1, (at.at(-1)?.length ?? 0) + 4),
      "Oslo",
    );
    await vscode.workspace.applyEdit(edit);
    await until(() => (shown.getText() === "user:\nTo Oslo and .\n" ? true : undefined));
    await document.save();
  });
});
