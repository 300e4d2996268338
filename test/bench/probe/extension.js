// Answers over HTTP on 127.0.0.1 what only the extension host knows: its memory, and what VS Code says of activations.
import * as fs from "node:fs";
import * as http from "node:http";
import * as v8 from "node:v8";
import * as vm from "node:vm";
import * as vscode from "vscode";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Memory when everything that can go has gone. */
async function memory() {
  for (let round = 0; round < 4; round++) {
    collect();
    await pause(100);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapUsed, external, rss };
}

/** "Developer: Startup Performance" is a text; its table of activations is what VS Code measured itself. */
async function performanceText() {
  await vscode.commands.executeCommand("perfview.show");
  for (let tries = 0; tries < 100; tries++) {
    const found = vscode.workspace.textDocuments.find((document) =>
      document.getText().includes("Extension Activation Stats"),
    );
    if (found !== undefined) return found.getText();
    await pause(100);
  }
  throw new Error("VS Code showed no startup performance");
}

const answers = { "/memory": memory, "/performance": performanceText };

/** @param {vscode.ExtensionContext} context */
export function activate(context) {
  const provider = {
    resolveWebviewView(view) {
      view.webview.html = "<!doctype html><html><body>Probe</body></html>";
    },
  };
  const server = http.createServer((request, response) => {
    const answer = answers[request.url];
    Promise.resolve(answer?.()).then(
      (value) => response.end(JSON.stringify(value ?? null)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1", () => fs.writeFileSync(process.env.BENCH_PROBE_PORT, String(server.address().port)));
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider("probe.view", provider),
    new vscode.Disposable(() => server.close()),
  );
}
