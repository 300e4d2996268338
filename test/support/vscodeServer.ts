// Starts the real VS Code server on 127.0.0.1, with everything that it writes inside one folder.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { onExit } from "./onExit.ts";
import { cleanEnv, run, sleep } from "./run.ts";
import { ensureVscode } from "./vscodeInstall.ts";
import type { VscodePaths } from "./vscodeInstall.ts";

export type Settings = Readonly<Record<string, unknown>>;
/** What VS Code in the browser takes from the address: pairs of name and value. */
export type Payload = readonly (readonly [name: string, value: string])[];

export interface ServerOptions {
  /** Profile, extensions, logs: all of it is written here, nothing elsewhere. */
  readonly dir: string;
  /** The folder that the bare address opens. */
  readonly workspace?: string;
  /** `true` turns workspace trust off: every folder is trusted. */
  readonly trust: boolean;
  /** Laid over the quiet ones; read when the profile is made. */
  readonly settings?: Settings;
  readonly port?: number;
  readonly env?: Record<string, string>;
  /** Lets an address with a payload load an extension under development and its tests. */
  readonly testDriver?: boolean;
}

export interface VscodeServer {
  readonly url: string;
  readonly port: number;
  folderUrl(folder: string, payload?: Payload): string;
  stop(): Promise<void>;
}

/** No welcome pages, no network, no questions: what a test looks at is Brain. */
export const quietSettings: Settings = {
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  // In a browser VS Code saves by itself; on the desktop, where most people are, it does not.
  "files.autoSave": "off",
  "git.autofetch": false,
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.colorTheme": "Dark Modern",
  // Settings and Running Extensions open in a modal overlay otherwise.
  "workbench.editor.useModal": "off",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(wanted = 0): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(wanted, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === "object" ? address.port : undefined));
    });
  });
}

const dirArgs = (dir: string): string[] => [
  `--user-data-dir=${path.join(dir, "user-data")}`,
  `--extensions-dir=${path.join(dir, "extensions")}`,
  `--config=${path.join(dir, "config.yaml")}`,
];

function serverEnv(dir: string, extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.fromEntries(
    ["config", "data", "cache", "state"].map((kind) => [`XDG_${kind.toUpperCase()}_HOME`, path.join(dir, "xdg", kind)]),
  );
  // No extension gallery: a test asks nothing of the network.
  return cleanEnv({ SHELL: "/bin/bash", EXTENSIONS_GALLERY: "{}", ...own, ...extra });
}

async function prepare(dir: string, settings: Settings): Promise<void> {
  await mkdir(path.join(dir, "user-data/User"), { recursive: true });
  await mkdir(path.join(dir, "extensions"), { recursive: true });
  await writeFile(path.join(dir, "config.yaml"), "auth: none\ncert: false\n");
  await mkdir(path.join(dir, "user-data/Machine"), { recursive: true });
  // Settings of the machine's scope are read from the second: to VS Code this server is a remote machine.
  for (const place of ["User", "Machine"]) {
    const file = path.join(dir, "user-data", place, "settings.json");
    // A profile that is there already keeps what its person changed in it.
    if (!existsSync(file)) await writeFile(file, JSON.stringify(settings, undefined, 2));
  }
}

/** Installs an extension into the profile at `dir`; a version already there is replaced. */
export async function installVsix(dir: string, vsix: string): Promise<void> {
  const vscode = await ensureVscode();
  await mkdir(path.join(dir, "extensions"), { recursive: true });
  await writeFile(path.join(dir, "config.yaml"), "auth: none\ncert: false\n");
  const args = [vscode.entry, ...dirArgs(dir), "--install-extension", vsix, "--force"];
  await run(vscode.node, args, { env: serverEnv(dir) });
}

function serverArgs(vscode: VscodePaths, options: ServerOptions, port: number): string[] {
  return [
    vscode.entry,
    ...dirArgs(options.dir),
    "--auth=none",
    `--bind-addr=127.0.0.1:${port}`,
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    "--ignore-last-opened",
    ...(options.trust ? ["--disable-workspace-trust"] : []),
    ...(options.testDriver ? ["--vscode-option=enable-smoke-test-driver"] : []),
    ...(options.workspace === undefined ? [] : [options.workspace]),
  ];
}

const statusOf = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const request = http.get(url, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once("error", () => resolve(0));
  });

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** The server forks extension hosts and terminals: only its process group has them all. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

async function stopGroup(child: ChildProcess): Promise<void> {
  signalGroup(child, "SIGTERM");
  for (let waited = 0; waited < 50 && !hasEnded(child); waited++) await sleep(100);
  signalGroup(child, "SIGKILL");
}

async function waitUntilUp(child: ChildProcess, url: string, log: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await statusOf(`${url}healthz`)) !== 200) {
    if (!hasEnded(child) && Date.now() < deadline) {
      await sleep(100);
      continue;
    }
    await stopGroup(child);
    const tail = (await readFile(log, "utf8")).split("\n").slice(-20).join("\n");
    throw new Error(`The VS Code server did not start:\n${tail}`);
  }
}

/** Starts the server and resolves when it answers. */
export async function startServer(options: ServerOptions): Promise<VscodeServer> {
  const vscode = await ensureVscode();
  await prepare(options.dir, { ...quietSettings, ...options.settings });
  const port = options.port ?? (await freePort());
  if (port === undefined) throw new Error("No free port on 127.0.0.1.");
  const log = path.join(options.dir, "server.log");
  const output = openSync(log, "a");
  const child = spawn(vscode.node, serverArgs(vscode, options, port), {
    env: serverEnv(options.dir, options.env),
    stdio: ["ignore", output, output],
    detached: true,
  });
  closeSync(output);
  const forget = onExit(() => signalGroup(child, "SIGKILL"));
  const url = `http://127.0.0.1:${port}/`;
  await waitUntilUp(child, url, log);
  return {
    url,
    port,
    folderUrl(folder, payload) {
      const query = new URLSearchParams({ folder });
      if (payload !== undefined) query.set("payload", JSON.stringify(payload));
      return `${url}?${query.toString()}`;
    },
    async stop() {
      await stopGroup(child);
      forget();
    },
  };
}
