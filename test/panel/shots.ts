// Takes pictures of every state of the panel in three themes, for people to look at: .dev/shots/panel/.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { launchBrowser } from "../support/browser.ts";
import { root } from "../support/run.ts";
import { inGerman } from "./inGerman.ts";
import { newPage, openPanel, servePanel } from "./page.ts";
import type { OpenOptions } from "./page.ts";
import { enter, states } from "./states.ts";
import type { State } from "./states.ts";
import type { ThemeName } from "./themes.ts";

interface Variant extends OpenOptions {
  readonly file: string;
  readonly shot: State;
}

function variants(shot: State): readonly Variant[] {
  const looks: readonly (OpenOptions & { readonly suffix: string; readonly theme: ThemeName })[] = [
    { theme: "dark", suffix: "" },
    { theme: "light", suffix: "" },
    { theme: "contrast", suffix: "" },
    { theme: "dark", suffix: "-narrow", width: 260 },
    { theme: "light", suffix: "-200", width: 200 },
    { theme: "dark", suffix: "-wide", width: 900 },
    { theme: "dark", suffix: "-german", width: 300, language: "de" },
  ];
  return looks.map(({ suffix, ...look }) => ({
    ...shot,
    ...look,
    shot,
    file: `${shot.name}-${look.theme}${suffix}.png`,
  }));
}

/** @param wanted parts of file names; none: all */
async function main(wanted: readonly string[]): Promise<void> {
  const folder = path.join(root, ".dev/shots/panel");
  await mkdir(folder, { recursive: true });
  const server = await servePanel();
  const browser = await launchBrowser();
  const page = await newPage(browser);
  console.log(`Scripts: ${server.allSize} bytes`);
  for (const { file, shot, ...look } of states.flatMap(variants)) {
    if (wanted.length > 0 && !wanted.some((part) => file.includes(part))) continue;
    const panel = await openPanel(page, server, look);
    await enter(look.language === "de" ? { ...panel, page: inGerman(panel.page) } : panel, shot);
    await panel.page.screenshot({ path: path.join(folder, file) });
    for (const line of panel.complaints) console.log(`${file}: ${line}`);
    panel.close();
  }
  await browser.close();
  server.close();
}

await main(process.argv.slice(2));
