// The Model Context Protocol servers as a person sees them: confirming those of a folder, and “Brain: MCP Servers”.
import path from "node:path";
import * as vscode from "vscode";
import type { ServerQuestion } from "../composeMcp.ts";
import type { Configured } from "../mcp/link.ts";
import type { ServerState } from "../mcp/server.ts";
import type { ServerAllowances } from "./serverAllowances.ts";
import { readSetting, writeSetting } from "./settings.ts";
import type { OpenWorkspace, WorkspaceAccess } from "./workspace.ts";

/** Shows exactly what would be started or reached. */
export async function askAboutServer(question: ServerQuestion): Promise<boolean> {
  const { name, file, kind, what, details, variables, confined } = question;
  const allow = { title: "Allow" };
  const message =
    kind === "program"
      ? `${file} of this folder asks to start the MCP server ${name}: ${what}`
      : `${file} of this folder asks to use the MCP server ${name} at ${what}`;
  const given = details.length > 0 ? `It is given:\n${details.join("\n")}` : "";
  const read =
    variables.length > 0 ? `It reads these variables of yours, and gets their values: ${variables.join(", ")}.` : "";
  const held = confined
    ? "It runs in the sandbox: it writes in the workspace only, and reaches the hosts that your rules allow."
    : kind === "program"
      ? "Nothing confines it: it can do whatever you can."
      : "What the agent passes to its tools goes there.";
  const after = `Each call of its tools asks you, unless a rule of yours names it (mcp__${name}__…). The answer counts until the file says something else.`;
  const detail = [given, read, held, after].filter(Boolean).join("\n\n");
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, allow)) === allow;
}

export interface ServerCommandParts {
  readonly workspace: WorkspaceAccess;
  readonly allowances: ServerAllowances;
  readonly showLog: () => void;
}

interface Action extends vscode.QuickPickItem {
  readonly act: () => unknown;
}

/** “Brain: MCP Servers”: what there is, how it is, and what can be done about it. */
export async function showServers(parts: ServerCommandParts): Promise<void> {
  const open = parts.workspace.open();
  const listed = await open.composition.servers.list();
  const servers = listed.map(({ configured, state }): Action => ({
    label: `$(${icons[state.kind]}) ${configured.name}`,
    description: stateInWords(state),
    detail: `${addressOf(configured)} · ${configured.file ?? "your settings"}`,
    act: () => showServer(configured, state, { ...parts, open }),
  }));
  const placeHolder = servers.length === 0 ? "No MCP server is set up." : "Pick a server.";
  await pick([...servers, ...placesOf(open, parts)], "MCP Servers", placeHolder);
}

const icons = {
  ready: "check",
  starting: "loading",
  idle: "circle-outline",
  failed: "error",
  disabled: "circle-slash",
  unconfirmed: "shield",
} as const satisfies Record<ServerState["kind"], string>;

function stateInWords(state: ServerState): string {
  switch (state.kind) {
    case "ready":
      return state.tools.length === 1 ? "1 tool" : `${state.tools.length} tools`;
    case "starting":
      return "is being started";
    case "idle":
      return "is started when it is needed";
    case "failed":
      return `cannot be used: ${state.why}`;
    case "disabled":
      return "is switched off";
    case "unconfirmed":
      return "waits for you to allow it";
  }
}

function addressOf({ server }: Configured): string {
  return "url" in server ? server.url : [server.command, ...(server.args ?? [])].join(" ");
}

function placesOf(
  { brainDir, trusted, composition }: OpenWorkspace,
  { allowances, showLog }: ServerCommandParts,
): readonly Action[] {
  const file = vscode.Uri.file(path.join(brainDir, "mcp.json"));
  return [
    {
      label: "$(gear) Open Your Servers",
      detail: "The setting brain.mcpServers.",
      act: openSetting,
    },
    ...(trusted
      ? [
          { label: "$(file) Open Servers of This Folder", detail: ".brain/mcp.json", act: () => openFile(file) },
          {
            label: "$(shield) Ask Again About Servers of This Folder",
            detail: "Takes back what you have allowed.",
            act: async () => {
              allowances.forget();
              await composition.servers.forget();
            },
          },
        ]
      : []),
    { label: "$(output) Show Log", detail: "What servers have said, and why they failed.", act: showLog },
  ];
}

interface Shown extends ServerCommandParts {
  readonly open: OpenWorkspace;
}

async function showServer(configured: Configured, state: ServerState, parts: Shown): Promise<void> {
  const { name, server, file } = configured;
  const off = server.disabled === true;
  const start: Action = {
    label: state.kind === "idle" || state.kind === "unconfirmed" ? "$(play) Start" : "$(refresh) Restart",
    act: () => restart(name, parts),
  };
  const settle: Action = {
    label: off ? "$(play) Switch On" : "$(circle-slash) Switch Off",
    act: () => switchServer(name, !off),
  };
  const place: Action =
    file === null
      ? { label: "$(gear) Open Settings", act: openSetting }
      : {
          label: `$(file) Open ${file}`,
          act: () => openFile(vscode.Uri.file(path.join(parts.open.brainDir, "mcp.json"))),
        };
  const tools =
    state.kind === "ready"
      ? state.tools.map((tool): Action => ({ label: `$(tools) ${tool}`, act: () => undefined }))
      : [];
  const log: Action = { label: "$(output) Show Log", act: parts.showLog };
  const actions = [...(off ? [] : [start]), ...(file === null ? [settle] : []), place, log, ...tools];
  await pick(actions, `MCP Server ${name}`, stateInWords(state));
}

async function pick(actions: readonly Action[], title: string, placeHolder: string): Promise<void> {
  const picked = await vscode.window.showQuickPick([...actions], { title, placeHolder, matchOnDetail: true });
  await picked?.act();
}

async function restart(name: string, { open, showLog }: Shown): Promise<void> {
  const server = await open.composition.servers.find(name);
  if (!server) return;
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title: `Starting the MCP server ${name}…` }, () => server.restart());
  const state = server.state();
  const words = `The MCP server ${name}: ${stateInWords(state)}.`;
  if (state.kind !== "failed") return void vscode.window.showInformationMessage(words);
  const log = "Show Log";
  if ((await vscode.window.showErrorMessage(words, log)) === log) showLog();
}

async function switchServer(name: string, disabled: boolean): Promise<void> {
  const all = readSetting("mcpServers");
  const server = all[name];
  if (typeof server === "object" && server !== null)
    await writeSetting("mcpServers", { ...all, [name]: { ...server, disabled } });
}

function openSetting(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", "brain.mcpServers");
}

/** An example to begin with, where there is no file yet. */
const example = '{\n  "mcpServers": {}\n}\n';

async function openFile(file: vscode.Uri): Promise<void> {
  const exists = await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (!exists) await vscode.workspace.fs.writeFile(file, Buffer.from(example));
  await vscode.window.showTextDocument(file);
}
