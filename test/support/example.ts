// Copies of test/example, the small project that tests and `npm start` let Brain work on.
import { existsSync, rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onExit } from "./onExit.ts";
import { cleanEnv, root, runToEnd } from "./run.ts";

const example = path.join(root, "test/example");

const fallback: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "example", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  "README.md": "# Example\n\nA place to try Brain.\n",
  "add.js": "export const add = (a, b) => a + b;\n",
};

async function writeFallback(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(fallback)) await writeFile(path.join(folder, name), text);
}

/** Makes it a repository of its own, so that git shows what Brain changed and does not look further up. */
async function initGit(folder: string): Promise<void> {
  const env = cleanEnv({ GIT_CONFIG_GLOBAL: os.devNull, GIT_CONFIG_SYSTEM: os.devNull });
  const who = ["-c", "user.name=Example", "-c", "user.email=example@localhost"];
  const steps = [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    [...who, "commit", "--quiet", "--message=The example as it came"],
  ];
  for (const args of steps) if ((await runToEnd("git", args, { cwd: folder, env })).code !== 0) return;
}

/** Copies the example (or any folder) to `to`, as a git repository. */
export async function copyExample(to: string, from: string = example): Promise<void> {
  await mkdir(to, { recursive: true });
  if (existsSync(path.join(from, "package.json")) || from !== example) await cp(from, to, { recursive: true });
  else await writeFallback(to);
  await initGit(to);
}

/** The copy that a person plays with: it stays as it was left, or starts over. */
export async function playground(reset: boolean): Promise<string> {
  const folder = path.join(root, ".dev/workspace");
  if (reset) await rm(folder, { recursive: true, force: true });
  if (!existsSync(folder)) await copyExample(folder);
  return folder;
}

/** A new folder under the system's temporary one, and the way to be rid of it; it goes with this process at the latest. */
export async function tempDir(name: string): Promise<{ readonly dir: string; readonly remove: () => Promise<void> }> {
  // The real path: where the temporary folder is a link, VS Code would report files under another name.
  const dir = await mkdtemp(path.join(await realpath(os.tmpdir()), `brain-${name}-`));
  // A server that is ending may still write into it.
  const how = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 };
  const forget = onExit(() => rmSync(dir, how));
  return {
    dir,
    async remove() {
      await rm(dir, how);
      forget();
    },
  };
}
