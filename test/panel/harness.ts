// What every suite of the panel needs: a browser and a server for all tests, a page for each, and words for what a person does.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { emptyView } from "../../src/protocol/view.ts";
import type { ToHost } from "../../src/protocol/wire.ts";
import { launchBrowser } from "../support/browser.ts";
import { drawn, newPage, openPanel, servePanel } from "./page.ts";
import type { OpenOptions, PanelPage, PanelServer } from "./page.ts";

export const composer = "Message to Brain";

export interface Harness {
  /** The page of this test. */
  readonly panel: () => PanelPage;
  readonly server: () => PanelServer;
  /** Opens a page that has seen these events; the one before it is closed. */
  readonly show: (events: readonly PanelEvent[], options?: OpenOptions) => Promise<void>;
  /** Opens a page that has seen nothing. */
  readonly open: (options?: OpenOptions) => Promise<void>;
  readonly tell: (...events: readonly PanelEvent[]) => Promise<void>;
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** The call, or the name, of what has the focus. */
  readonly focused: () => Promise<string>;
  readonly transcript: () => Promise<string>;
}

/**
 * To be called in a `describe`: the suite is skipped where there is no browser. No page may complain.
 * @param prepare is given the page, once, before it shows the first panel
 */
export function usePanel(prepare?: (page: Page) => Promise<unknown>): Harness {
  let browser: Browser | null = null;
  let server: PanelServer | null = null;
  // A new load costs less than a new page: each test has the first, and only after a failed one there is the second.
  let page: Page | null = null;
  let current: PanelPage | null = null;

  before(async function () {
    try {
      browser = await launchBrowser();
    } catch (error) {
      console.log(`No browser, so the panel is not looked at: ${error instanceof Error ? error.message : ""}`);
      this.skip();
    }
    server = await servePanel();
  });
  after(async () => {
    server?.close();
    await browser?.close();
  });
  afterEach(async function () {
    if (this.currentTest?.isFailed()) {
      await page?.context().close();
      page = null;
    }
    closeCurrent();
  });

  function closeCurrent(): void {
    const closing = current;
    current = null;
    closing?.close();
    assert.deepEqual(closing?.complaints ?? [], []);
  }
  const panel = (): PanelPage => {
    assert.ok(current, "No page is open.");
    return current;
  };
  const made = async (from: Browser): Promise<Page> => {
    const opened = await newPage(from);
    await prepare?.(opened);
    return opened;
  };
  const open = async (options: OpenOptions = {}): Promise<void> => {
    closeCurrent();
    assert.ok(browser && server);
    page ??= await made(browser);
    current = await openPanel(page, server, options);
  };
  return {
    panel,
    open,
    server: () => {
      assert.ok(server);
      return server;
    },
    async show(events, options) {
      await open(options);
      await panel().send({ type: "snapshot", view: emptyView }, { type: "events", events });
      await panel().page.waitForSelector(".markdown.plain", { state: "detached" });
    },
    tell: (...events) => panel().send({ type: "events", events }),
    async press(...keys) {
      for (const key of keys) await panel().page.keyboard.press(key);
      await drawn(panel().page);
    },
    focused: () =>
      panel().page.evaluate(
        "document.activeElement.dataset.call ?? document.activeElement.getAttribute('aria-label') ?? ''",
      ),
    transcript: () => panel().page.locator(".transcript-content").innerText(),
  };
}

export function decide(toolCallId: string, decision: Extract<ToHost, { type: "call:decide" }>["decision"]): ToHost {
  return { type: "call:decide", toolCallId, decision };
}

export function approve(toolCallId: string): ToHost {
  return decide(toolCallId, { kind: "approve" });
}
