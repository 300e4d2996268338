// One browser for all tests of a mocha process: it runs VS Code's scripts sooner once it has run them. A window's state is its context's.
import type { Browser } from "playwright-core";
import { launchBrowser } from "./browser.ts";

let launched: Promise<Browser> | undefined;

/** The browser, started when it is first asked for, and anew when it has ended. It ends with the process. */
export async function oneBrowser(): Promise<Browser> {
  const before = await launched?.catch(() => undefined);
  const now = before?.isConnected() ? before : launchBrowser();
  launched = Promise.resolve(now);
  return now;
}
