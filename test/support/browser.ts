// Opens the Chromium that the tests look through.
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { ensureChromium } from "./chromium.ts";

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A headless browser of this machine; whoever opens it closes it. */
export async function launchBrowser(): Promise<Browser> {
  // Signals are onExit.ts's: listeners of the browser's own would keep a signalled process alive.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ executablePath: await ensureChromium(), args, ...signals });
}
