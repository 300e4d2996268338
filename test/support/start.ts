// `npm start`: the packaged Brain in a real VS Code in the browser, on a copy of the example. `--reset` starts over.
import { rm } from "node:fs/promises";
import path from "node:path";
import { playground } from "./example.ts";
import { root } from "./run.ts";
import { ensureVscode, vscodeUnavailable } from "./vscodeInstall.ts";
import { freePort, installVsix, startServer } from "./vscodeServer.ts";
import type { Settings, VscodeServer } from "./vscodeServer.ts";
import { ensureVsix } from "./vsix.ts";

const profile = path.join(root, ".dev/vscode");

/** What a person wants to see at the first look: the project's own words, files saved, no noise. */
const firstLook: Settings = {
  "files.autoSave": "afterDelay",
  "workbench.startupEditor": "readme",
};

async function choosePort(): Promise<number> {
  const first = Number(process.env["PORT"] ?? 8443);
  for (let port = first; port < first + 20; port++) if ((await freePort(port)) !== undefined) return port;
  throw new Error(`Every port from ${first} to ${first + 19} is taken: set PORT to a free one.`);
}

function tell(server: VscodeServer, workspace: string): void {
  const lines = [
    `Open   ${server.url}`,
    "       and click the Brain icon on the left.",
    "",
    `Brain works on ${path.relative(root, workspace)}, a copy of test/example: break what you like, \`npm start -- --reset\` starts over.`,
    "Stop   Ctrl+C",
  ];
  console.log(`\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`);
}

function stopOnSignal(server: VscodeServer): void {
  let stopping = false;
  // A terminal's Ctrl+C arrives more than once: from the terminal, from npm and from withNode.mjs.
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    console.log("\nStopping VS Code …");
    void server.stop().then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
}

async function main(): Promise<void> {
  const reason = vscodeUnavailable();
  if (reason !== undefined) {
    console.error(reason);
    process.exitCode = 1;
    return;
  }
  const reset = process.argv.includes("--reset");
  const [, vsix] = await Promise.all([ensureVscode(), ensureVsix()]);
  if (reset) await rm(profile, { recursive: true, force: true });
  const workspace = await playground(reset);
  await installVsix(profile, vsix);
  const port = await choosePort();
  const server = await startServer({ dir: profile, workspace, trust: true, settings: firstLook, port });
  stopOnSignal(server);
  tell(server, workspace);
}

await main();
