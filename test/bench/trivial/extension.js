// The least an extension with a webview can be: one word, so that there is something to paint.
import * as vscode from "vscode";

/** @param {vscode.ExtensionContext} context */
export function activate(context) {
  const provider = {
    /** @param {vscode.WebviewView} view */
    resolveWebviewView(view) {
      view.webview.options = { enableScripts: true };
      view.webview.html = "<!doctype html><html><body>Trivial</body></html>";
    },
  };
  context.subscriptions.push(vscode.window.registerWebviewViewProvider("trivial.view", provider));
}
