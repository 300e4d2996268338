// VS Code's quick inputs, at the pace of the machine: nothing is typed before the box is there, nothing chosen before it is what is meant.
import type { Page } from "playwright-core";

const list = ".quick-input-list .monaco-list-row.focused";

async function choose(page: Page, key: string, text: string): Promise<void> {
  const box = page.locator(".quick-input-widget input").first();
  // A key that comes while the focus moves is lost.
  do await page.keyboard.press(key);
  while (
    !(await box.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    ))
  );
  await page.keyboard.type(text);
  await page.locator(list).filter({ hasText: text }).waitFor();
  await page.keyboard.press("Enter");
}

/** Runs a command of the palette by its whole title. */
export async function runFromPalette(page: Page, command: string): Promise<void> {
  await choose(page, "F1", command);
}

/** Opens a file, until its editor has the keys. */
export async function openByName(page: Page, name: string): Promise<void> {
  await choose(page, "Control+P", name);
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  await page.locator(".editor-instance .monaco-editor.focused").first().waitFor();
}
