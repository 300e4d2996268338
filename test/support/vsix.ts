// Packages dist/brain.vsix when the sources are newer than it.
import { glob, stat } from "node:fs/promises";
import path from "node:path";
import { withLock } from "./lock.ts";
import { npm, root } from "./run.ts";

const vsix = path.join(root, "dist/brain.vsix");
const sources = [
  "{src,webview,media}{,/**}",
  "{package.json,package.nls*.json,package-lock.json,esbuild*.mjs,.vscodeignore}",
  "{README,CHANGELOG}.md",
];

async function changedAt(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.mtimeMs,
    () => 0,
  );
}

async function isCurrent(): Promise<boolean> {
  const built = await changedAt(vsix);
  // Folders count too: their time tells of a file that went away.
  for await (const file of glob(sources, { cwd: root }))
    if ((await changedAt(path.join(root, file))) > built) return false;
  return built > 0;
}

/** The path of a VSIX made of the sources as they are now. */
export async function ensureVsix(): Promise<string> {
  await withLock(path.join(root, ".dev/vsix.lock"), async () => {
    if (await isCurrent()) return;
    console.log("Brain: building and packaging dist/brain.vsix …");
    const { code, output } = await npm(["run", "package"]);
    if (code !== 0) throw new Error(`Packaging failed:\n${output}`);
  });
  return vsix;
}
