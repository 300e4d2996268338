// What VS Code in a browser keeps of its window. It writes every few seconds, when it is idle: a reload before that forgets the rest.
import type { Page } from "playwright-core";

/** Each value in the page's databases, as text. */
const readAll = `(async () => {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const all = [];
  for (const { name } of await indexedDB.databases()) {
    const kept = await done(indexedDB.open(name));
    for (const table of kept.objectStoreNames)
      all.push(...(await done(kept.transaction(table).objectStore(table).getAll())));
    kept.close();
  }
  return all.map((value) => JSON.stringify(value));
})()`;

/** Waits until VS Code keeps something of its window that has all of these words in it. */
export async function writtenDown(page: Page, ...words: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const values = await page.evaluate<readonly string[]>(readAll);
    if (values.some((value) => words.every((word) => value.includes(word)))) return;
    if (Date.now() > deadline) throw new Error(`VS Code never wrote down ${words.join(" with ")}`);
    await page.waitForTimeout(250);
  }
}
