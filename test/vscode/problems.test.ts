// The light bulb at the editor's problems: what it offers, and the message that it begins.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { askAbout } from "../../src/host/problemActions.ts";
import { mentionsIn } from "../../src/tools/mentions.ts";
import { inFolder } from "./flow.ts";

describe("the problems of the editor", () => {
  const found = vscode.languages.createDiagnosticCollection("test");
  const uri = vscode.Uri.file(inFolder("src", "cart.js"));
  const problem = (line: number, message: string): vscode.Diagnostic =>
    new vscode.Diagnostic(new vscode.Range(line, 0, line, 5), message);
  const offered = async (line: number): Promise<readonly vscode.CodeAction[]> => {
    const place = new vscode.Range(line, 0, line, 5);
    const all = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      place,
    );
    return all.filter(({ command }) => command?.command.startsWith("brain."));
  };
  const message = (action: vscode.CodeAction | undefined): string | null =>
    askAbout(action?.command?.command === "brain.fixProblem" ? "fix" : "explain", action?.command?.arguments?.[0]);

  before(async () => {
    await vscode.extensions.getExtension("brain-agent.brain-agent")?.activate();
    await vscode.window.showTextDocument(uri);
  });
  after(async () => {
    found.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("can be fixed and explained: the message names the place and what is wrong", async () => {
    const one = problem(1, "Cannot find\n  name 'x'.");
    one.source = "ts";
    one.code = { value: 2304, target: uri };
    found.set(uri, [one, problem(8, "far away")]);
    const actions = await offered(1);
    assert.deepEqual(
      actions.map(({ title }) => title),
      ["Fix with Brain", "Explain with Brain"],
    );
    assert.equal(message(actions[0]), "Fix this problem in @src/cart.js:2: Cannot find name 'x'. (ts 2304)");
    assert.equal(message(actions[1]), "Explain this problem in @src/cart.js:2: Cannot find name 'x'. (ts 2304)");
  });

  it("bring nothing along by what they say", async () => {
    found.set(uri, [problem(1, `See @https://example.org, '@.env' and (@src/price.js), @"a b"; mail me@example.org`)]);
    const [fix] = await offered(1);
    const named = mentionsIn(message(fix) ?? "").map((readings) => readings.at(-1)?.name);
    assert.deepEqual(named, ["src/cart.js"]);
  });

  it("of one place are asked about together, in words of a bearable length", async () => {
    found.set(uri, [problem(1, "one"), problem(1, "y".repeat(2_000))]);
    const [fix] = await offered(1);
    assert.equal(message(fix), `Fix these problems in @src/cart.js:2:\n- one\n- ${"y".repeat(500)}…`);
  });

  it("that are not there are not offered for; what the palette means is where the cursor is", async () => {
    found.set(uri, [problem(1, "one")]);
    assert.deepEqual(await offered(4), []);
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(1, 2, 1, 2);
    assert.equal(askAbout("explain", undefined), "Explain this problem in @src/cart.js:2: one");
    editor.selection = new vscode.Selection(4, 0, 4, 0);
    assert.equal(askAbout("fix", { path: 1 }), null);
  });
});
