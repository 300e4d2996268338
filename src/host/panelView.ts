// The webview in the side bar: its page, its content security policy, its life time. Nothing else lives here.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Bridge, PanelEnd } from "./bridge.ts";

/** Fills a webview view and connects it to the bridge until it is disposed. */
export function showPanel(view: vscode.WebviewView, extension: vscode.Uri, bridge: Bridge): void {
  const { webview } = view;
  const root = vscode.Uri.joinPath(extension, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [root] };
  const panel: PanelEnd = { post: (message) => webview.postMessage(message) };
  bridge.attach(panel);
  const listening = webview.onDidReceiveMessage((raw: unknown) => void bridge.receive(raw));
  view.onDidDispose(() => {
    listening.dispose();
    bridge.detach(panel);
  });
  webview.html = page(webview, root);
}

function page(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64url");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${file("main.css")}">
<link rel="stylesheet" href="${file("codicon.css")}">
<title>Brain</title>
</head>
<body>
<div id="root"></div>
<script type="module" nonce="${nonce}" src="${file("main.js")}"></script>
</body>
</html>`;
}
