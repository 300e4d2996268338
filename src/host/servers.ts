// The Model Context Protocol servers as a person sees them: confirming those of a folder, and “Brain: MCP Servers”.
import path from "node:path";
import * as vscode from "vscode";
import type { ServerQuestion } from "../composeMcp.ts";
import type { Configured } from "../mcp/link.ts";
import type { ServerState } from "../mcp/server.ts";
import type { ServerAllowances } from "./serverAllowances.ts";
import { readSetting, writeSetting } from "./settings.ts";
import { told } from "./words.ts";
import type { OpenWorkspace, WorkspaceAccess } from "./workspace.ts";

/** Shows exactly what would be started or reached. */
export async function askAboutServer(question: ServerQuestion): Promise<boolean> {
  const { name, file, kind, what, details, variables, confined } = question;
  const allow = { title: vscode.l10n.t("Allow") };
  const message =
    kind === "program"
      ? vscode.l10n.t("{0} of this folder asks to start the MCP server {1}: {2}", file, name, what)
      : vscode.l10n.t("{0} of this folder asks to use the MCP server {1} at {2}", file, name, what);
  const given = details.length > 0 ? vscode.l10n.t("It is given:\n{0}", details.join("\n")) : "";
  const read =
    variables.length > 0
      ? vscode.l10n.t("It reads these variables of yours, and gets their values: {0}.", variables.join(", "))
      : "";
  const held = confined
    ? vscode.l10n.t(
        "It runs in the sandbox: it writes in the workspace only, and reaches the hosts that your rules allow.",
      )
    : kind === "program"
      ? vscode.l10n.t("Nothing confines it: it can do whatever you can.")
      : vscode.l10n.t("What the agent passes to its tools goes there.");
  const after = vscode.l10n.t(
    "Each call of its tools asks you, unless a rule of yours names it (mcp__{0}__…). The answer counts until the file says something else.",
    name,
  );
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
    detail: `${addressOf(configured)} · ${configured.file ?? vscode.l10n.t("your settings")}`,
    act: () => showServer(configured, state, { ...parts, open }),
  }));
  const placeHolder =
    servers.length === 0 ? vscode.l10n.t("No MCP server is set up.") : vscode.l10n.t("Pick a server.");
  await pick([...servers, ...placesOf(open, parts)], vscode.l10n.t("MCP Servers"), placeHolder);
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
      return state.tools.length === 1 ? vscode.l10n.t("1 tool") : vscode.l10n.t("{0} tools", state.tools.length);
    case "starting":
      return vscode.l10n.t("is being started");
    case "idle":
      return vscode.l10n.t("is started when it is needed");
    case "failed":
      return vscode.l10n.t("cannot be used: {0}", told(state.why));
    case "disabled":
      return vscode.l10n.t("is switched off");
    case "unconfirmed":
      return vscode.l10n.t("waits for you to allow it");
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
      label: vscode.l10n.t("$(gear) Open Your Servers"),
      detail: vscode.l10n.t("The setting brain.mcpServers."),
      act: openSetting,
    },
    ...(trusted
      ? [
          {
            label: vscode.l10n.t("$(file) Open Servers of This Folder"),
            detail: ".brain/mcp.json",
            act: () => openFile(file),
          },
          {
            label: vscode.l10n.t("$(shield) Ask Again About Servers of This Folder"),
            detail: vscode.l10n.t("Takes back what you have allowed."),
            act: async () => {
              allowances.forget();
              await composition.servers.forget();
            },
          },
        ]
      : []),
    {
      label: vscode.l10n.t("$(output) Show Log"),
      detail: vscode.l10n.t("What servers have said, and why they failed."),
      act: showLog,
    },
  ];
}

interface Shown extends ServerCommandParts {
  readonly open: OpenWorkspace;
}

async function showServer(configured: Configured, state: ServerState, parts: Shown): Promise<void> {
  const { name, server, file } = configured;
  const off = server.disabled === true;
  const start: Action = {
    label:
      state.kind === "idle" || state.kind === "unconfirmed"
        ? vscode.l10n.t("$(play) Start")
        : vscode.l10n.t("$(refresh) Restart"),
    act: () => restart(name, parts),
  };
  const settle: Action = {
    label: off ? vscode.l10n.t("$(play) Switch On") : vscode.l10n.t("$(circle-slash) Switch Off"),
    act: () => switchServer(name, !off),
  };
  const place: Action =
    file === null
      ? { label: vscode.l10n.t("$(gear) Open Settings"), act: openSetting }
      : {
          label: vscode.l10n.t("$(file) Open {0}", file),
          act: () => openFile(vscode.Uri.file(path.join(parts.open.brainDir, "mcp.json"))),
        };
  const tools =
    state.kind === "ready"
      ? state.tools.map((tool): Action => ({ label: `$(tools) ${tool}`, act: () => undefined }))
      : [];
  const log: Action = { label: vscode.l10n.t("$(output) Show Log"), act: parts.showLog };
  const actions = [...(off ? [] : [start]), ...(file === null ? [settle] : []), place, log, ...tools];
  await pick(actions, vscode.l10n.t("MCP Server {0}", name), stateInWords(state));
}

async function pick(actions: readonly Action[], title: string, placeHolder: string): Promise<void> {
  const picked = await vscode.window.showQuickPick([...actions], { title, placeHolder, matchOnDetail: true });
  await picked?.act();
}

async function restart(name: string, { open, showLog }: Shown): Promise<void> {
  const server = await open.composition.servers.find(name);
  if (!server) return;
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title: vscode.l10n.t("Starting the MCP server {0}…", name) }, () =>
    server.restart(),
  );
  const state = server.state();
  const words = vscode.l10n.t("The MCP server {0}: {1}.", name, stateInWords(state));
  if (state.kind !== "failed") return void vscode.window.showInformationMessage(words);
  const log = vscode.l10n.t("Show Log");
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
