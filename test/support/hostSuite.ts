// Runs test/vscode inside a real extension host, against the development build: `node test/support/hostSuite.ts trusted|untrusted|all`.
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { add, isGreen, none, parseCounts, sentence } from "./counts.ts";
import type { Counts } from "./counts.ts";
import { copyExample, tempDir } from "./example.ts";
import { buildForHost, countHostFiles, testsEntry } from "./hostBundle.ts";
import { root, sleep } from "./run.ts";
import { vscodeUnavailable } from "./vscodeInstall.ts";
import { quietSettings, startServer } from "./vscodeServer.ts";
import type { Payload, VscodeServer } from "./vscodeServer.ts";

export type HostMode = "trusted" | "untrusted";

/** One run: the files it shares with the extension host, and what the host is told. */
interface HostRun {
  readonly mode: HostMode;
  readonly dir: string;
  readonly workspace: string;
  readonly log: string;
  readonly results: string;
  readonly env: Record<string, string>;
}

/** An extension that brings models, as GitHub Copilot does. */
const fakeModels = path.join(root, "test/support/fakeModels");

const limit = Number(process.env["HOST_TEST_LIMIT_MS"] ?? 900_000);
const usesDesktop = Boolean(process.env["VSCODE_PATH"]) || process.env["VSCODE_DESKTOP"] === "1";

/** Why no extension host can be had on this machine; `undefined` where one can. */
export const hostUnavailable = (): string | undefined => (usesDesktop ? undefined : vscodeUnavailable());

async function prepareRun(mode: HostMode, dir: string): Promise<HostRun> {
  const workspace = path.join(dir, "example");
  const log = path.join(dir, "host.log");
  const results = path.join(dir, "results.json");
  await copyExample(workspace);
  await writeFile(log, "");
  const grep = process.env["HOST_TEST_GREP"];
  const env = {
    HOST_TEST_LOG: log,
    HOST_TEST_RESULTS: results,
    HOST_TEST_TRUST: mode === "trusted" ? "yes" : "no",
    SHELL: await loginShell(dir),
    ...(grep === undefined ? {} : { HOST_TEST_GREP: grep }),
  };
  return { mode, dir, workspace, log, results, env };
}

/** A login shell that sets a variable, and leaves a file beside itself when Brain asks it. */
async function loginShell(dir: string): Promise<string> {
  const file = path.join(dir, "bash");
  const asked = '[ -n "$BRAIN_SHELL_MARK" ] && : > "$(dirname "$0")/shell-asked"';
  await writeFile(file, `#!/bin/sh\n${asked}\nFROM_LOGIN_SHELL=yes exec /bin/bash "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

/** Prints what is added to a file until told to stop. */
function follow(file: string): { stop(): Promise<void> } {
  let printed = 0;
  const print = async (): Promise<void> => {
    const text = await readFile(file, "utf8");
    process.stdout.write(text.slice(printed));
    printed = text.length;
  };
  const stopped = new AbortController();
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      await print();
      await sleep(200);
    }
    await print();
  })();
  return {
    stop() {
      stopped.abort();
      return loop;
    },
  };
}

/** Resolves when VS Code says that the tests have ended, rejects when it never does. */
function verdictOf(page: Page): Promise<unknown> {
  return new Promise((resolve, reject) => {
    page.once("crash", () => reject(new Error("The page of VS Code crashed.")));
    setTimeout(() => reject(new Error(`VS Code gave no verdict within ${limit} ms.`)), limit).unref();
    page.exposeFunction("codeAutomationExit", resolve).catch(reject);
  });
}

/** The same names that a desktop VS Code takes on its command line; the test driver reads them out of the address. */
function payloadOf(server: VscodeServer): Payload {
  const remote = (file: string): string => `vscode-remote://127.0.0.1:${server.port}${file}`;
  return [
    ["extensionDevelopmentPath", remote(root)],
    ["extensionTestsPath", remote(testsEntry)],
  ];
}

async function screenshot(page: Page, mode: HostMode): Promise<void> {
  const file = path.join(root, `.dev/shots/host-${mode}-failed.png`);
  await mkdir(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file }).then(
    () => console.log(`What VS Code showed: ${path.relative(root, file)}`),
    () => undefined,
  );
}

async function watch(page: Page, url: string, mode: HostMode): Promise<void> {
  if (process.env["VERBOSE"]) page.on("console", (message) => console.log("[page]", message.text().slice(0, 300)));
  const verdict = verdictOf(page);
  try {
    await page.goto(url);
    if ((await verdict) !== 0) await screenshot(page, mode);
  } catch (error) {
    await screenshot(page, mode);
    throw error;
  }
}

async function runInServer(run: HostRun): Promise<void> {
  // As if it were installed: only one extension can be under development in a browser.
  await cp(fakeModels, path.join(run.dir, "extensions/brain-tests.fake-models-0.0.1"), { recursive: true });
  const server = await startServer({ dir: run.dir, trust: run.mode === "trusted", env: run.env, testDriver: true });
  try {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await watch(page, server.folderUrl(run.workspace, payloadOf(server)), run.mode);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

async function runInDesktop(run: HostRun): Promise<void> {
  const { runTests } = await import("@vscode/test-electron");
  const profile = path.join(run.dir, "profile");
  await mkdir(path.join(profile, "User"), { recursive: true });
  await writeFile(path.join(profile, "User/settings.json"), JSON.stringify(quietSettings));
  const executable = process.env["VSCODE_PATH"];
  const trust = run.mode === "trusted" ? ["--disable-workspace-trust"] : [];
  await runTests({
    ...(executable ? { vscodeExecutablePath: executable } : {}),
    extensionDevelopmentPath: [root, fakeModels],
    extensionTestsPath: testsEntry,
    extensionTestsEnv: run.env,
    launchArgs: [run.workspace, `--user-data-dir=${profile}`, "--disable-extensions", "--no-sandbox", ...trust],
  }).catch((error: unknown) => console.log(String(error)));
}

async function readCounts(run: HostRun): Promise<Counts> {
  if (existsSync(run.results)) return parseCounts(await readFile(run.results, "utf8"));
  console.log("The extension host wrote no results.");
  return { ...none, failed: 1 };
}

async function runMode(mode: HostMode): Promise<Counts> {
  console.log(`\nIn the extension host, ${mode} workspace`);
  const temp = await tempDir(`host-${mode}`);
  try {
    const prepared = await prepareRun(mode, temp.dir);
    const printing = follow(prepared.log);
    try {
      await (usesDesktop ? runInDesktop(prepared) : runInServer(prepared));
    } catch (error) {
      console.log(error);
    } finally {
      await printing.stop();
    }
    return await readCounts(prepared);
  } finally {
    await temp.remove();
  }
}

/** Builds, then runs the suites asked for; each prints its tests and its counts. */
async function runHostSuite(modes: readonly HostMode[]): Promise<Counts> {
  const files = await countHostFiles();
  let total = none;
  await buildForHost();
  for (const mode of modes) {
    if (files[mode] === 0) {
      console.log(`\nThere are no tests for the ${mode} workspace.`);
      continue;
    }
    const counts = await runMode(mode);
    console.log(sentence(counts));
    total = add(total, counts);
  }
  return total;
}

async function main(): Promise<void> {
  const asked = process.argv[2] ?? "all";
  const modes = (["trusted", "untrusted"] as const).filter((mode) => asked === "all" || asked === mode);
  if (modes.length === 0) throw new Error("Usage: hostSuite.ts trusted|untrusted|all");
  const reason = hostUnavailable();
  if (reason !== undefined) return console.log(`Skipped: ${reason}`);
  const total = await runHostSuite(modes);
  const file = process.env["BRAIN_COUNTS"];
  if (file !== undefined) await writeFile(file, JSON.stringify(total));
  process.exitCode = isGreen(total) ? 0 : 1;
}

if (import.meta.main) await main();
