// A webview, in the side bar or in an editor tab: its page, its content security policy, its life time. Nothing else lives here.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import type { PageWords } from "../protocol/viewTold.ts";
import type { ToWebview } from "../protocol/wire.ts";
import { pageWords } from "./words.ts";

/** A panel that draws itself already, while the rest of the host is still being loaded. */
export interface Panel {
  readonly place: vscode.WebviewView | vscode.WebviewPanel;
  readonly visible: () => boolean;
  /** It was closed: nothing of it may be asked for any more. */
  readonly gone: () => boolean;
  /** Told when it comes into sight, its page loaded anew, and when it goes; and in between, too. */
  readonly onTurn: (listener: () => void) => void;
  /** Resolves when the message was delivered. */
  readonly post: (message: ToWebview) => PromiseLike<boolean>;
  /** Resolves with its first message: it has drawn itself. */
  readonly drawn: Promise<void>;
  /** Passes every message on, those first that came before anybody listened. */
  readonly listen: (listener: (raw: unknown) => void) => void;
  /** Loads the page anew. */
  readonly reload: () => void;
}

/** Fills a webview. Quick: the panel's first paint waits for it. */
export function openPanel(place: Panel["place"], extension: vscode.Uri): Panel {
  const { webview } = place;
  const root = vscode.Uri.joinPath(extension, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [root] };
  const early: unknown[] = [];
  let hear = (raw: unknown): void => void early.push(raw);
  const drawn = new Promise<void>((resolve) => {
    const first = webview.onDidReceiveMessage(() => {
      first.dispose();
      resolve();
    });
  });
  const listening = webview.onDidReceiveMessage((raw: unknown) => hear(raw));
  let gone = false;
  place.onDidDispose(() => {
    gone = true;
    listening.dispose();
  });
  const reload = (): void => void (webview.html = page(webview, root));
  reload();
  return {
    place,
    visible: () => !gone && place.visible,
    gone: () => gone,
    onTurn: (listener) =>
      void ("onDidChangeVisibility" in place
        ? place.onDidChangeVisibility(listener)
        : place.onDidChangeViewState(listener)),
    reload,
    drawn,
    post: (message) => webview.postMessage(message),
    listen(listener) {
      hear = listener;
      for (const raw of early.splice(0)) listener(raw);
    },
  };
}

/** What is painted before any script has come: the frame that the panel draws first, so that nothing jumps. */
function frame(words: PageWords | null): string {
  const name = words?.panel["Message to Brain"] ?? "Message to Brain";
  const hint = "Ask Brain, @ for context, / for commands";
  return `<div class="bottom"><div class="composer"><div class="composer-box">
<textarea rows="1" aria-label="${name}" placeholder="${words?.panel[hint] ?? hint}"></textarea>
</div></div></div>`;
}

function page(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64url");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  // VS Code shows a page once it has loaded: what has to be fetched for that would hold back the first paint.
  const style = readFileSync(vscode.Uri.joinPath(root, "main.css").fsPath, "utf8");
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  const words = pageWords();
  return `<!DOCTYPE html>
<html lang="${words?.language ?? "en"}">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Brain</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<div id="root">${frame(words)}</div>
<script type="module" nonce="${nonce}">
${words ? `globalThis.brainWords = ${JSON.stringify(words).replaceAll("<", "\\u003c")};\n` : ""}import("${file("main.js")}");
addEventListener("load", () => {
  const icons = document.createElement("link");
  icons.rel = "stylesheet";
  icons.href = "${file("codicon.css")}";
  document.head.append(icons);
});
</script>
</body>
</html>`;
}
