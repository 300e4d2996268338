// Puts the host together: chat, panel, approvals and commands. Loaded when a person first uses Brain, not when the window opens.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { systemClock as clock } from "../compose.ts";
import type { CommandName } from "../protocol/commands.ts";
import { toFailure } from "../protocol/errors.ts";
import { createAgentApi } from "./agentApi.ts";
import { createPreviews, type GivenInputs } from "./agentRuns.ts";
import { createAsking } from "./asking.ts";
import { createBridge, type Bridge } from "./bridge.ts";
import { createChat, type Chat, type Remembered } from "./chat.ts";
import { createCommands } from "./commands.ts";
import { createEndpoints } from "./endpoints.ts";
import { createFold, type Fold } from "./fold.ts";
import { createIntentions } from "./intentions.ts";
import type { Panel } from "./panelView.ts";
import { createQueues, type QueueStore } from "./queues.ts";
import type { RuleMemory } from "./rules.ts";
import { createKeys } from "./secrets.ts";
import { readLimits, readRules } from "./settings.ts";
import { createTerminals } from "./terminal.ts";
import { createWorkspaceAccess, type WorkspaceAccess } from "./workspace.ts";

export interface Host {
  /** Connects a panel that has been opened. */
  showPanel(panel: Panel): void;
  runCommand(name: CommandName, argument: unknown): Promise<unknown>;
  readonly startAgent: ReturnType<typeof createAgentApi>;
  dispose(): Promise<void>;
}

/** About two frames: what happens within is drawn together. */
const pauseBetweenBatches = 32;

export function createHost(context: vscode.ExtensionContext): Host {
  const output = vscode.window.createOutputChannel("Brain", { log: true });
  const log = (message: string): void => output.warn(message);
  const keys = createKeys(context.secrets);
  const fold: Fold = createFold((event) => [bridge, terminals].forEach((told) => told.event(event)), log);
  const terminals = createTerminals(fold.view);
  const asking = createAsking({
    fold,
    settings: readRules,
    memory: keepRules(context.workspaceState),
    policyUnder: (only) => workspace.open().composition.policyUnder(only),
    log,
  });
  const given: GivenInputs = new Map();
  const previews = createPreviews(given);
  const workspace = createWorkspaceAccess({
    agentInputs: (path) => given.get(path) ?? {},
    keys,
    approvals: { ...asking.approvals, approve: asking.approve },
    rules: asking.rules.forRun,
    confirmEndpoint: createEndpoints(keys),
    backgroundChanged: (commands) => fold.event({ type: "commands:changed", commands }),
    privateDir: context.storageUri,
    log,
  });
  const queues = createQueues(keepIn(context.workspaceState), log);
  const remembered = rememberIn(context.workspaceState);
  const chat = createChat({ fold, workspace, remembered, queues, limits: readLimits, ids: randomUUID, clock, log });
  const shared = { ...asking, chat, workspace, terminals, fold, given, previews };
  const bridge: Bridge = createBridge({
    view: fold.view,
    handlers: createIntentions({ ...shared, ask: (message) => bridge.ask(message) }),
    log,
    pause: () => new Promise((resolve) => void setTimeout(resolve, pauseBetweenBatches)),
  });
  const showLog = (): void => output.show();
  const commands = createCommands({ ...shared, keys, showLog, ask: bridge.ask });
  const trusted = (): Promise<void> => whenTrusted(chat, workspace);
  context.subscriptions.push(output, asking, terminals, previews, ...followWorkspace(chat.refresh, trusted));
  const restored = chat.restore();
  // Without a folder there is nothing to empty.
  void restored.then(() => workspace.open().composition.sessions.emptyTrash()).catch(() => undefined);
  return {
    showPanel(panel) {
      asking.showIn(panel.view);
      connect(panel, bridge, restored);
    },
    runCommand: async (name, argument) => {
      await restored;
      return told(name, () => commands[name](argument), log);
    },
    startAgent: createAgentApi(workspace, log),
    async dispose() {
      await chat.stop();
      chat.end();
      await workspace.reset();
      await queues.saved();
    },
  };
}

async function whenTrusted(chat: Chat, workspace: Pick<WorkspaceAccess, "reset">): Promise<void> {
  // A session of the restricted chat stays where it is; what follows belongs into the folder.
  await chat.newSession();
  await workspace.reset();
  await chat.refresh();
}

function connect(panel: Panel, bridge: Bridge, restored: Promise<void>): void {
  bridge.attach(panel);
  panel.view.onDidDispose(() => bridge.detach(panel));
  // Only then: the first thing a panel asks for is the snapshot.
  void restored.then(() => panel.listen((raw) => void bridge.receive(raw)));
}

/** Runs a command; what it throws becomes a message in the editor. */
async function told(name: CommandName, work: () => unknown, log: (message: string) => void): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    const { message, next } = toFailure(error);
    log(`${name}: ${message}`);
    void vscode.window.showErrorMessage(`${message} ${next}`);
    return undefined;
  }
}

/** Settings change what the panel says; trust and folders change what there is to work with. */
function followWorkspace(refresh: () => Promise<void>, trusted: () => Promise<void>): vscode.Disposable[] {
  return [
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("brain")) void refresh();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void trusted()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void refresh()),
  ];
}

function rememberIn(state: vscode.Memento): Remembered {
  return {
    get: (key) => state.get<string>(`brain.${key}`),
    set: (key, value) => void state.update(`brain.${key}`, value),
  };
}

function keepRules(state: vscode.Memento): RuleMemory {
  return {
    get: () => state.get("brain.rules"),
    set: (rules) => void state.update("brain.rules", rules),
  };
}

/** Under a key for each session, so that windows with different sessions do not write over each other. */
function keepIn(state: vscode.Memento): QueueStore {
  return {
    get: (sessionId) => state.get(`brain.queue.${sessionId}`),
    set: (sessionId, waiting) => state.update(`brain.queue.${sessionId}`, waiting),
  };
}
