// The panel alone in a browser: its real bundle behind the host's own policy, with a stand-in for the editor's side of the wire.
import * as esbuild from "esbuild";
import { readFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, ConsoleMessage, Page } from "playwright-core";
import type { ToHost, ToWebview } from "../../src/protocol/wire.ts";
import { panelBundle } from "../../esbuild.panel.mjs";
import { isUsualScript, panelPage } from "../../src/host/panelPage.ts";
import { toldOf, type PageWords } from "../../src/protocol/viewTold.ts";
import { root } from "../support/run.ts";
import { themeCss, themes } from "./themes.ts";
import type { ThemeName } from "./themes.ts";

export interface PanelServer {
  readonly url: string;
  /** Files of scripts that are loaded without a click on something of their own. */
  readonly usualScripts: number;
  /** Bytes of all scripts together, minified. */
  readonly allSize: number;
  /** Bytes of those that are loaded without a click, compressed. */
  readonly usualCompressed: number;
  readonly close: () => void;
}

const nonce = "panel";
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf" };

/** Bundles the panel as the build does and serves it on the loopback address. */
export async function servePanel(): Promise<PanelServer> {
  const files = new Map<string, Uint8Array>();
  const { outputFiles } = await bundle();
  for (const file of outputFiles) files.set(`/${path.basename(file.path)}`, file.contents);
  for (const name of ["codicon.css", "codicon.ttf"]) {
    files.set(`/${name}`, await readFile(path.join(root, "node_modules/@vscode/codicons/dist", name)));
  }
  const names = [...files.keys()].map((name) => name.slice(1));
  const style = Buffer.from(files.get("/main.css") ?? "").toString();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const german = searchParams.get("language") === "de" ? germanWords() : null;
    const theme = themeOf(searchParams.get("theme"));
    if (pathname === "/") answer(response, "text/html", html(names, style, theme, german));
    else answer(response, types[path.extname(pathname)] ?? "text/plain", files.get(pathname));
  });
  const port = await listen(server);
  const scripts = [...files].filter(([name]) => name.endsWith(".js"));
  const usual = scripts.filter(([name]) => isUsualScript(name.slice(1)));
  return {
    url: `http://127.0.0.1:${port}/`,
    usualScripts: usual.length,
    allSize: scripts.reduce((total, [, contents]) => total + contents.length, 0),
    usualCompressed: usual.reduce((total, [, contents]) => total + gzipSync(contents, { level: 9 }).length, 0),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function bundle() {
  return esbuild.build({
    ...panelBundle,
    absWorkingDir: root,
    entryPoints: { main: "webview/main.tsx" },
    outdir: "panel",
    write: false,
    minify: true,
  });
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}

function answer(response: ServerResponse, type: string, body: string | Uint8Array | undefined): void {
  response.writeHead(body === undefined ? 404 : 200, { "content-type": type });
  response.end(body);
}

function themeOf(name: string | null): ThemeName {
  return name === "light" || name === "contrast" ? name : "dark";
}

const standIn = `
  window.posted = [];
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => { window.posted.push(message); },
    getState: () => JSON.parse(sessionStorage.getItem(location.search) ?? "null") ?? undefined,
    setState: (state) => sessionStorage.setItem(location.search, JSON.stringify(state)),
  });`;

/** What the host's page brings along where the editor is German. */
export function germanWords(): PageWords {
  const table = (name: string): Readonly<Record<string, string>> =>
    JSON.parse(readFileSync(path.join(root, `media/l10n/${name}.de.json`), "utf8"));
  return { language: "de", panel: table("panel"), told: toldOf(table("told")) };
}

/** The host's own page, with what an editor puts before it. */
function html(files: readonly string[], style: string, theme: ThemeName, words: PageWords | null): string {
  const page = panelPage({ file: (name) => `/${name}`, source: "'self'", nonce, style, files, words });
  const head = `<head>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${themeCss(theme)}</style>
<script nonce="${nonce}">${standIn}</script>`;
  return page.replace("<head>", () => head).replace("<body>", `<body class="${themes[theme].bodyClass}">`);
}

export interface PanelPage {
  readonly page: Page;
  /** Sends what the host would send, and waits until it is drawn. */
  readonly send: (...messages: readonly ToWebview[]) => Promise<void>;
  /** What the panel has posted so far, but for what it says by itself: that it is ready, and what is half written. */
  readonly posted: () => Promise<readonly ToHost[]>;
  /** Kills the panel and loads it anew, as the editor does, and waits until its scripts run. */
  readonly reload: () => Promise<void>;
  /** Lines the browser complained with: errors of scripts, refused by the policy, failed to load. */
  readonly complaints: readonly string[];
  /** Another theme or another size, as an editor changes them under an open panel. */
  readonly look: (look: Pick<OpenOptions, "theme" | "width">) => Promise<void>;
  /** Listens no more; the page may show another panel. */
  readonly close: () => void;
}

export interface OpenOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** English where it is absent. */
  readonly language?: "de";
  /** Typed into what is painted before the script. */
  readonly early?: string;
}

/** A page of its own for `openPanel`; whoever opens it closes its context. */
export async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC" });
  return context.newPage();
}

/** Leaves what the page has shown, and takes back what was asked of it. */
async function leave(page: Page): Promise<void> {
  await page.goto("about:blank");
  await page.unrouteAll();
  await page.emulateMedia({ reducedMotion: "no-preference", forcedColors: "none" });
  // Nothing lies under the pointer.
  await page.mouse.move(-1, -1);
}

const isReady = "document.querySelector('.conversation') !== null";

let lives = 0;

/** Opens the panel as a person would see it in a side bar of that size; of a panel that the page showed before nothing is left. */
export async function openPanel(page: Page, server: PanelServer, options: OpenOptions = {}): Promise<PanelPage> {
  const { theme = "dark", width = 380, height = 800, language = "en", early } = options;
  await leave(page);
  await page.setViewportSize({ width, height });
  const complaints: string[] = [];
  const onError = (error: Error): void => void complaints.push(error.message);
  const onLine = (line: ConsoleMessage): void => {
    if (line.type() === "error") complaints.push(line.text());
  };
  page.on("pageerror", onError).on("console", onLine);
  const { release } = early === undefined ? { release: null } : await hold(page, "**/main.js");
  // What the panel keeps is kept under its address: another one knows nothing of it.
  lives += 1;
  const address = `${server.url}?theme=${theme}&language=${language}&life=${lives}`;
  await page.goto(address, { waitUntil: release ? "commit" : "load" });
  if (early !== undefined) {
    await page.locator("textarea").click();
    await page.keyboard.type(early);
  }
  release?.();
  await until(page, isReady);
  return {
    page,
    send: async (...messages) => {
      await page.evaluate(`for (const message of ${JSON.stringify(messages)}) window.postMessage(message)`);
      await drawn(page);
    },
    posted: () => page.evaluate("window.posted.filter(({ type }) => type !== 'panel:ready' && type !== 'panel:draft')"),
    reload: async () => {
      await page.reload();
      await until(page, isReady);
    },
    complaints,
    look: async ({ theme: next = theme, width: wide = width }) => {
      await page.setViewportSize({ width: wide, height });
      const [css, bodyClass] = [themeCss(next), themes[next].bodyClass].map((text) => JSON.stringify(text));
      await page.evaluate(
        `document.querySelector("style").textContent = ${css}; document.body.className = ${bodyClass}`,
      );
      await drawn(page);
    },
    close: () => void page.off("pageerror", onError).off("console", onLine),
  };
}

/** Keeps a script of the panel back until it is released. */
export async function hold(page: Page, script: string): Promise<{ readonly release: () => void }> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => void (release = resolve));
  await page.route(script, async (route) => {
    await held;
    await route.continue();
  });
  return { release };
}

/**
 * Waits until an expression is true in the page.
 * Not `waitForFunction`: when it looks again it needs what the policy forbids.
 */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await drawn(page);
}

/** Waits for two frames: messages arrive before the first, and are on the screen after it. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve))))",
  );
}
