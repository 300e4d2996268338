// Opens Brain as a person would: the packaged extension in a real VS Code, on a copy of the example, looked at through Chromium.
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { BrowserContext, FrameLocator, Page } from "playwright-core";
import { copyExample, tempDir } from "./example.ts";
import { oneBrowser } from "./oneBrowser.ts";
import { root } from "./run.ts";
import { installVsix, startServer } from "./vscodeServer.ts";
import type { Settings, VscodeServer } from "./vscodeServer.ts";
import { vscodeUnavailable } from "./vscodeInstall.ts";
import { ensureVsix } from "./vsix.ts";

const themes = {
  dark: "Dark Modern",
  light: "Light Modern",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
} as const;

export interface OpenOptions {
  /** A folder to copy instead of test/example. */
  readonly workspaceFrom?: string;
  readonly settings?: Settings;
  /** `false` opens the folder in Restricted Mode. Trusted by default. */
  readonly trust?: boolean;
  readonly theme?: keyof typeof themes;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Added to the environment of the server and so of the extension host. */
  readonly env?: Record<string, string>;
  /** VS Code's display language, such as `de`; its own words stay English, as only the language pack has others. */
  readonly language?: string;
}

export interface OpenedBrain {
  readonly page: Page;
  /** The document inside Brain's webview. */
  readonly panel: FrameLocator;
  /** The copy that Brain works on. */
  readonly workspace: string;
  /** Writes .dev/shots/NAME.png and gives its path. */
  screenshot(name: string): Promise<string>;
  /** Loads the window anew, as after "Reload Window", and opens the view again. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Why the browser tests cannot run on this machine; `undefined` where they can. */
export const e2eUnavailable = vscodeUnavailable;

/** Brain's frame, not that of a preview or of another extension. */
const frame = 'iframe.webview.ready[src*="extensionId=brain-agent.brain-agent"]';

export const panelOf = (page: Page): FrameLocator => page.frameLocator(frame).frameLocator("#active-frame");

// Installing takes a VS Code process of its own: once per test process, and every profile starts as a copy of it.
let installed: Promise<string> | undefined;

async function installOnce(): Promise<string> {
  const vsix = await ensureVsix();
  const temp = await tempDir("e2e-extensions");
  await installVsix(temp.dir, vsix);
  return path.join(temp.dir, "extensions");
}

/** Brings Brain's view to the front; the tab is there as soon as VS Code knows the extension. */
export async function showBrain(page: Page): Promise<void> {
  const tab = page.locator(".activitybar").getByRole("tab", { name: "Brain" });
  await tab.waitFor({ timeout: 60_000 });
  const view = page.locator(frame).waitFor({ state: "attached", timeout: 60_000 });
  const isThere = view.then(() => true);
  do {
    // A click on the tab of the open view would close it; and one on the tab of a view that is about to open again.
    if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
    // Away from the tab, whose tooltip would lie over the panel.
    await page.mouse.move(640, 10);
  } while (!(await Promise.race([isThere, page.waitForTimeout(5_000).then(() => false)])));
  // Only then the host has answered, and Enter sends.
  await panelOf(page).locator(".composer .picker").first().waitFor({ timeout: 60_000 });
}

/** What installing a language pack and choosing it leave behind: without one VS Code falls back to English. */
async function addLanguage(dir: string, language: string): Promise<void> {
  const data = path.join(dir, "user-data");
  const words = path.join(data, "words.json");
  await mkdir(path.join(data, "User"), { recursive: true });
  await writeFile(path.join(data, "User/argv.json"), JSON.stringify({ locale: language }));
  await writeFile(words, JSON.stringify({ contents: {} }));
  const from = { extensionIdentifier: { id: `brain-agent.${language}` }, version: "1.0.0" };
  const pack = { hash: "words", extensions: [from], translations: { vscode: words }, label: language };
  await writeFile(path.join(data, "languagepacks.json"), JSON.stringify({ [language]: pack }));
}

async function startIn(dir: string, workspace: string, options: OpenOptions): Promise<VscodeServer> {
  installed ??= installOnce();
  await cp(await installed, path.join(dir, "extensions"), { recursive: true });
  if (options.language !== undefined) await addLanguage(dir, options.language);
  await copyExample(workspace, options.workspaceFrom);
  return startServer({
    dir,
    trust: options.trust ?? true,
    settings: { "workbench.colorTheme": themes[options.theme ?? "dark"], ...options.settings },
    ...(options.env === undefined ? {} : { env: options.env }),
  });
}

async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  await showBrain(page);
  return page;
}

async function screenshot(page: Page, name: string): Promise<string> {
  const file = path.join(root, ".dev/shots", `${name}.png`);
  await mkdir(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  return file;
}

/** Opens everything and shows Brain's view; whoever opens it closes it. */
export async function openBrain(options: OpenOptions = {}): Promise<OpenedBrain> {
  const temp = await tempDir("e2e");
  const workspace = path.join(temp.dir, "example");
  const opened: { server?: VscodeServer; context?: BrowserContext } = {};
  const close = async (): Promise<void> => {
    await opened.context?.close();
    await opened.server?.stop();
    await temp.remove();
  };
  try {
    opened.server = await startIn(temp.dir, workspace, options);
    const browser = await oneBrowser();
    opened.context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 } });
    const page = await openPage(opened.context, opened.server.folderUrl(workspace));
    return {
      page,
      panel: panelOf(page),
      workspace,
      screenshot: (name) => screenshot(page, name),
      async reload() {
        await page.reload();
        await showBrain(page);
      },
      close,
    };
  } catch (error) {
    const page = opened.context?.pages()[0];
    if (page !== undefined) console.log(`What VS Code showed: ${await screenshot(page, "open-failed")}`);
    await close();
    throw error;
  }
}
