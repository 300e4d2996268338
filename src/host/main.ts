// Puts the host together: chat, panel, approvals and commands. Loaded when a person first uses Brain, not when the window opens.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { systemClock as clock } from "../compose.ts";
import type { CommandName } from "../protocol/commands.ts";
import { toFailure } from "../protocol/errors.ts";
import type { PanelEvent } from "../protocol/events.ts";
import { createAgentApi } from "./agentApi.ts";
import { createPreviews, type GivenInputs } from "./agentRuns.ts";
import { createAsking } from "./asking.ts";
import { createBridge, type Bridge, type Handlers } from "./bridge.ts";
import { createChanging } from "./changing.ts";
import { createChat, type Chat, type Remembered } from "./chat.ts";
import { createCommands } from "./commands.ts";
import { createEndpoints } from "./endpoints.ts";
import { createFold, type Fold } from "./fold.ts";
import { createIntentions } from "./intentions.ts";
import { discoverModel } from "../providers/discover.ts";
import { createFacts, type FactStore } from "./modelFacts.ts";
import { createModels, type ModelParts } from "./models.ts";
import { createPanelPlaces } from "./panelPlaces.ts";
import { createPanels, type Panels } from "./panels.ts";
import type { Panel } from "./panelView.ts";
import { createOwnContexts } from "./ownContexts.ts";
import type { DraftStore } from "./reviewDrafts.ts";
import { createQueues, type QueueStore } from "./queues.ts";
import { createRevealing } from "./revealing.ts";
import type { RuleMemory } from "./rules.ts";
import { createLeftDrafts, type FollowedDraft } from "./leftDrafts.ts";
import { createKeys } from "./secrets.ts";
import { createServerAllowances, type AllowanceMemory } from "./serverAllowances.ts";
import { askAboutServer } from "./servers.ts";
import { followSelection } from "./selection.ts";
import { createSessionsPage, type SessionsPage } from "./sessionsPage.ts";
import { readLimits, readRules, readSetting } from "./settings.ts";
import { createTerminals } from "./terminal.ts";
import { createWorkspaceAccess, type WorkspaceAccess } from "./workspace.ts";
import type { Journal } from "../tools/writeTogether.ts";
import { createWatchdog } from "./watchdog.ts";
import { told as inLanguage } from "./words.ts";
import { journalIn, tellTorn } from "./writeApplied.ts";

export interface Host {
  /** Connects a panel that has been opened. */
  showPanel(panel: Panel): void;
  runCommand(name: CommandName, given: readonly unknown[]): Promise<unknown>;
  readonly startAgent: ReturnType<typeof createAgentApi>;
  dispose(): Promise<void>;
}

/** About two frames: what happens within is drawn together. */
const pauseBetweenBatches = 32;

export function createHost(context: vscode.ExtensionContext): Host {
  const output = vscode.window.createOutputChannel("Brain", { log: true });
  const log = (message: string): void => output.warn(message);
  const panels = createPanels<Panel>();
  const drafts = createLeftDrafts({
    get: () => context.workspaceState.get("brain.leftDraft"),
    set: (draft) => void context.workspaceState.update("brain.leftDraft", draft),
  });
  const { shared, queues, models, disposables } = createParts(context, log, panels.event);
  const { asking, chat, workspace, fold } = shared;
  const pageOf = (panel: Panel, ask: Bridge["ask"]): SessionsPage =>
    createSessionsPage({
      sessions: () => workspace.open().composition.sessions,
      view: fold.view,
      clock,
      tell: (found) => ask({ type: "sessions:rows", ...found }),
      seen: panel.visible,
      failed: fold.fail,
    });
  const showPanel = (panel: Panel): void => {
    // Closed before there was a host: nobody would ever hear of that again.
    if (panel.gone()) return;
    const served = (ask: Bridge["ask"]): Served => {
      const page = pageOf(panel, ask);
      const selection = followSelection(panel);
      const draft = drafts.of({ visible: panel.visible, ask });
      return { page, draft, handlers: createIntentions({ ...asking, ...shared, page, draft, selection, ask }) };
    };
    connect(panel, { panels, fold, served, restored, log });
    if ("badge" in panel.place) asking.showIn(panel.place);
  };
  const places = createPanelPlaces(panels, context.extensionUri, showPanel);
  const showLog = (): void => output.show();
  const commands = createCommands({ ...asking, ...shared, models, places, showLog, ask: panels.ask });
  context.subscriptions.push(output, ...disposables, ...followWorkspace(chat, workspace));
  const restored = chat.restore();
  emptyTrash(workspace, restored);
  finishApplying(workspace, restored, shared.journal);
  return {
    showPanel,
    runCommand: async (name, [argument, ...more]) => {
      await restored;
      return told(name, () => commands[name](argument, ...more), log);
    },
    startAgent: createAgentApi(workspace, log),
    dispose: () => endAll({ asking, chat, workspace, queues }),
  };
}

/** What the panel and the commands work on. @param hear gets every event that the panel is shown */
function createParts(
  context: vscode.ExtensionContext,
  log: (message: string) => void,
  hear: (event: PanelEvent) => void,
) {
  const kept = keptOfModels(context);
  const fold = createFold((event) => {
    hear(event);
    for (const told of [terminals, changing]) told.event(event);
  }, log);
  const terminals = createTerminals(fold.view);
  const asking = createAsking({
    fold,
    settings: readRules,
    memory: keepRules(context.workspaceState),
    drafts: keepDrafts(context.workspaceState),
    policyUnder: (only) => workspace.open().composition.policyUnder(only),
    log,
  });
  const own = createOwnContexts();
  const given: GivenInputs = new Map();
  const previews = createPreviews(given);
  const allowances = createServerAllowances(askAboutServer, keepServers(context.workspaceState));
  const workspace = createWorkspaceAccess({
    ...kept,
    agentInputs: (path) => given.get(path) ?? {},
    approvals: { ...asking.approvals, approve: asking.approve },
    rules: asking.rules.forRun,
    confirmEndpoint: createEndpoints(kept.keys),
    confirmServer: (question) => allowances.confirm(question),
    backgroundChanged: (commands) => fold.event({ type: "commands:changed", commands }),
    ownContexts: own.contexts,
    privateDir: context.storageUri,
    log,
  });
  const queues = createQueues(keepIn(context.workspaceState), log);
  const remembered = rememberIn(context.workspaceState);
  const chat = createChat({ fold, workspace, remembered, queues, limits: readLimits, ids: randomUUID, clock, log });
  const revealing = createRevealing({ fold, workspace });
  const changing = createChanging({ chat, fold, workspace, state: context.workspaceState, log });
  const changes = changing.commands;
  const journal = journalIn(context.storageUri);
  return {
    shared: { asking, changes, chat, workspace, terminals, fold, revealing, given, previews, allowances, journal },
    queues,
    models: createModels(kept),
    disposables: [asking, terminals, own, revealing, changing, previews],
  };
}

/** Without a folder there is nothing to empty. */
function emptyTrash(workspace: WorkspaceAccess, restored: Promise<void>): void {
  void restored.then(() => workspace.open().composition.sessions.emptyTrash()).catch(() => undefined);
}

function finishApplying(workspace: WorkspaceAccess, restored: Promise<void>, journal: Journal): void {
  void restored
    .then(async () => {
      const { trusted, composition } = workspace.open();
      if (trusted) await tellTorn(await composition.ownFiles(), journal);
    })
    .catch(() => undefined);
}

interface Ending {
  readonly asking: { readonly freeze: () => void };
  readonly chat: Chat;
  readonly workspace: Pick<WorkspaceAccess, "dispose">;
  readonly queues: { readonly saved: () => Promise<void> };
}

async function endAll({ asking, chat, workspace, queues }: Ending): Promise<void> {
  asking.freeze();
  await chat.stop();
  chat.end();
  await workspace.dispose();
  await queues.saved();
}

interface Served {
  readonly handlers: Handlers;
  readonly page: SessionsPage;
  readonly draft: FollowedDraft;
}

interface Connection {
  readonly panels: Panels<Panel>;
  readonly fold: Fold;
  /** What a panel may ask for, and its page of sessions; answers go to that panel. */
  readonly served: (ask: Bridge["ask"]) => Served;
  readonly restored: Promise<void>;
  readonly log: (message: string) => void;
}

/** Makes a panel one of those that show the conversation, until it is closed; it is loaded again when it does not answer. */
function connect(panel: Panel, { panels, fold, served, restored, log }: Connection): void {
  const { handlers, page, draft } = served((message) => bridge.ask(message));
  const bridge: Bridge = createBridge({
    view: fold.view,
    handlers,
    log,
    failed: fold.fail,
    alive: () => watchdog.alive(),
    pause: () => new Promise((resolve) => void setTimeout(resolve, pauseBetweenBatches)),
  });
  const watchdog = createWatchdog({
    clock,
    ping: () => panel.visible() && bridge.ping(),
    stuck: () => loadAgain(panel, bridge, log),
  });
  const event: Bridge["event"] = (one) => {
    bridge.event(one);
    page.shown();
  };
  panels.add(panel, { ...bridge, event });
  let seen = panel.visible();
  panel.onTurn(() => {
    const came = panel.visible() && !seen;
    seen = panel.visible();
    if (came) panels.used(panel);
    // Its page has gone, and hears nothing until there is another.
    if (!seen) bridge.attach(panel);
  });
  panel.place.onDidDispose(() => {
    panels.remove(panel);
    page.close();
    // What the side bar's had in it VS Code keeps.
    draft.end("reveal" in panel.place);
    watchdog.end();
  });
  const receive = (raw: unknown): void => {
    if (!isReport(raw)) panels.used(panel);
    void bridge.receive(raw);
  };
  // Only then: the first thing a panel asks for is the snapshot.
  void restored.then(() => panel.listen(receive));
}

/** What a panel says by itself. */
function isReport(raw: unknown): boolean {
  return typeof raw === "object" && raw !== null && "type" in raw && String(raw.type).startsWith("panel:");
}

/** In the place of a page that does not answer; the drafts were written down as they were typed. */
function loadAgain(panel: Panel, bridge: Bridge, log: (message: string) => void): void {
  const message = vscode.l10n.t(
    "Brain's panel had stopped answering and was loaded again. The run goes on and nothing was lost.",
  );
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
    void vscode.window.showErrorMessage(`${inLanguage(message)} ${inLanguage(next)}`);
    return undefined;
  }
}

/** Settings change what the panel says; trust and folders change what there is to work with. */
function followWorkspace(chat: Chat, workspace: WorkspaceAccess): vscode.Disposable[] {
  const trusted = async (): Promise<void> => {
    // A session of the restricted chat stays where it is; what follows belongs into the folder.
    await chat.newSession();
    await workspace.reset();
    await chat.refresh();
  };
  return [
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("brain")) void chat.refresh();
      if (change.affectsConfiguration("brain.mcpServers")) void forgetServers(workspace).catch(() => undefined);
    }),
    vscode.lm.onDidChangeChatModels(() => void chat.refresh()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void trusted()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void chat.refresh()),
  ];
}

/** Those that are not set up any more end at once. Without a folder there are none. */
async function forgetServers(workspace: WorkspaceAccess): Promise<void> {
  await workspace.open().composition.servers.list();
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

function keepServers(state: vscode.Memento): AllowanceMemory {
  return {
    get: () => state.get("brain.servers"),
    set: (digests) => void state.update("brain.servers", digests),
  };
}

function keepDrafts(state: vscode.Memento): DraftStore {
  return {
    get: () => state.get("brain.drafts"),
    set: (drafts) => void state.update("brain.drafts", drafts),
  };
}

/** What is kept of endpoints, for all windows: their keys, and what they have said of their models. */
function keptOfModels({ secrets, globalState }: vscode.ExtensionContext): ModelParts {
  const useEnvironment = (): boolean => readSetting("keysFromEnvironment");
  const store: FactStore = {
    get: () => globalState.get("brain.models"),
    set: (said) => void globalState.update("brain.models", said),
  };
  const facts = createFacts({ store, now: Date.now, discover: discoverModel });
  return { keys: createKeys(secrets, { useEnvironment, environment: process.env }), facts };
}

/** Under a key for each session, so that windows with different sessions do not write over each other. */
function keepIn(state: vscode.Memento): QueueStore {
  return {
    get: (sessionId) => state.get(`brain.queue.${sessionId}`),
    set: (sessionId, waiting) => state.update(`brain.queue.${sessionId}`, waiting),
  };
}
