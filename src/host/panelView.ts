// A webview, in the side bar or in an editor tab, and its life time. Nothing else lives here.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import * as vscode from "vscode";
import type { ToWebview } from "../protocol/wire.ts";
import { panelPage } from "./panelPage.ts";
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
  /** Resolves with its first message: its page is there, and needs the host. */
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

function page(webview: vscode.Webview, root: vscode.Uri): string {
  return panelPage({
    file: (name) => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString(),
    source: webview.cspSource,
    nonce: randomBytes(16).toString("base64url"),
    style: readFileSync(vscode.Uri.joinPath(root, "main.css").fsPath, "utf8"),
    files: readdirSync(root.fsPath),
    words: pageWords(),
  });
}
