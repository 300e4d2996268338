// Puts the host together: chat, panel, approvals and commands. Loaded when a person first uses Brain, not when the window opens.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { systemClock as clock } from "../compose.ts";
import type { CommandName } from "../protocol/commands.ts";
import { toFailure } from "../protocol/errors.ts";
import { createAsking } from "./asking.ts";
import { createBridge, type Bridge } from "./bridge.ts";
import { createChat, type Remembered } from "./chat.ts";
import { createCommands } from "./commands.ts";
import { createFold } from "./fold.ts";
import { createIntentions } from "./intentions.ts";
import type { Panel } from "./panelView.ts";
import { createQueues, type QueueStore } from "./queues.ts";
import type { RuleMemory } from "./rules.ts";
import { createKeys } from "./secrets.ts";
import { readLimits, readRules } from "./settings.ts";
import { createTerminals } from "./terminal.ts";
import { createWatchdog } from "./watchdog.ts";
import { createWorkspaceAccess } from "./workspace.ts";

export interface Host {
  /** Connects a panel that has been opened. */
  showPanel(panel: Panel): void;
  runCommand(name: CommandName, argument: unknown): Promise<unknown>;
  dispose(): Promise<void>;
}

/** About two frames: what happens within is drawn together. */
const pauseBetweenBatches = 32;

export function createHost(context: vscode.ExtensionContext): Host {
  const output = vscode.window.createOutputChannel("Brain", { log: true });
  const log = (message: string): void => output.warn(message);
  const keys = createKeys(context.secrets);
  const fold = createFold((event) => [bridge, terminals].forEach((told) => told.event(event)), log);
  const terminals = createTerminals(fold.view);
  const asking = createAsking({
    fold,
    settings: readRules,
    memory: keepRules(context.workspaceState),
    policyUnder: (only) => workspace.open().composition.policyUnder(only),
    log,
  });
  const workspace = createWorkspaceAccess({
    keys,
    approvals: { ...asking.approvals, approve: asking.approve },
    rules: asking.rules.forRun,
    backgroundChanged: (commands) => fold.event({ type: "commands:changed", commands }),
    privateDir: context.storageUri,
    log,
  });
  const queues = createQueues(keepIn(context.workspaceState), log);
  const remembered = rememberIn(context.workspaceState);
  const chat = createChat({ fold, workspace, remembered, queues, limits: readLimits, ids: randomUUID, clock, log });
  const shared = { ...asking, chat, workspace, terminals, fold };
  const bridge: Bridge = createBridge({
    view: fold.view,
    handlers: createIntentions({ ...shared, ask: (message) => bridge.ask(message) }),
    log,
    alive: () => watched.alive(),
    pause: () => new Promise((resolve) => void setTimeout(resolve, pauseBetweenBatches)),
  });
  const watched = watchPanels(bridge, log);
  const commands = createCommands({ ...shared, keys, showLog: () => output.show(), ask: bridge.ask });
  const trusted = async (): Promise<void> => {
    // A session of the restricted chat stays where it is; what follows belongs into the folder.
    await chat.newSession();
    await workspace.reset();
    await chat.refresh();
  };
  context.subscriptions.push(output, asking, terminals, ...followWorkspace(chat.refresh, trusted));
  const restored = chat.restore();
  // Without a folder there is nothing to empty.
  void restored.then(() => workspace.open().composition.sessions.emptyTrash()).catch(() => undefined);
  return {
    showPanel(panel) {
      asking.showIn(panel.view);
      watched.show(panel, restored);
    },
    runCommand: async (name, argument) => {
      await restored;
      return told(name, () => commands[name](argument), log);
    },
    async dispose() {
      await chat.stop();
      chat.end();
      watched.end();
      await workspace.reset();
      await queues.saved();
    },
  };
}

function connect(panel: Panel, bridge: Bridge, restored: Promise<void>): void {
  bridge.attach(panel);
  panel.view.onDidDispose(() => bridge.detach(panel));
  // Only then: the first thing a panel asks for is the snapshot.
  void restored.then(() => panel.listen((raw) => void bridge.receive(raw)));
}

/** Loads the panel that is shown again when it does not answer. */
function watchPanels(bridge: Bridge, log: (message: string) => void) {
  let shown: Panel | null = null;
  const watchdog = createWatchdog({
    clock,
    ping: () => shown?.view.visible === true && bridge.ping(),
    stuck: () => shown && loadAgain(shown, bridge, log),
  });
  return {
    ...watchdog,
    show(panel: Panel, restored: Promise<void>): void {
      connect(panel, bridge, restored);
      shown = panel;
      panel.view.onDidDispose(() => void (shown = shown === panel ? null : shown));
    },
  };
}

/** In the place of a page that does not answer; the drafts were written down as they were typed. */
function loadAgain(panel: Panel, bridge: Bridge, log: (message: string) => void): void {
  const message = "Brain's panel had stopped answering and was loaded again. The run goes on and nothing was lost.";
  log(message);
  bridge.attach(panel);
  panel.reload();
  void vscode.window.showInformationMessage(message);
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
