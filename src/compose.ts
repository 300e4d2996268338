// The one place where rooms meet: from a few options to the engine's ports and what hosts need beside them.
import { randomUUID } from "node:crypto";
import path from "node:path";
import { createAgents } from "./agents/catalog.ts";
import type { Outside } from "./agents/openapiTools.ts";
import type { PromptFile } from "./agents/prompts.ts";
import { createChangedFiles, type ChangedFiles } from "./brain/changes.ts";
import { layoutOf } from "./brain/layout.ts";
import { createMemory } from "./brain/memory.ts";
import { createSessions, type SessionStore } from "./brain/sessions.ts";
import { createSnapshots } from "./brain/snapshots.ts";
import { createUndo, type Undo } from "./brain/undo.ts";
import { choiceFor, type Doors } from "./composeEndpoint.ts";
import { createMcp, type ServerQuestion } from "./composeMcp.ts";
import { chooseModel, type ModelChoice } from "./composeModel.ts";
import { attachIn, hostRules, openScope, ownFilesIn, promptsOf, rulesOf, watchedIn } from "./composeScope.ts";
import { outsideOf } from "./composeOpenapi.ts";
import { agentFolders, declaredTools } from "./composePrompty.ts";
import { mcpToolsOf } from "./composePromptyServers.ts";
import { createTracing, type TraceOptions } from "./composeTracing.ts";
import { bindTools, type Activities } from "./engine/activities.ts";
import { advisorOf, consultAdvisor } from "./engine/handlers.ts";
import type { Approve, ApprovePlan, Choose, Clock, Enter, Policy, Ports, Tool } from "./engine/ports.ts";
import type { Servers } from "./mcp/servers.ts";
import type { AgentDefinition, ScopeRules } from "./protocol/agents.ts";
import { settings } from "./protocol/settings.ts";
import type { SandboxMode } from "./protocol/config.ts";
import type { Params } from "./protocol/messages.ts";
import type { Rule } from "./protocol/rules.ts";
import { startDemo, type Demo } from "./providers/demo/server.ts";
import type { EditorModels } from "./providers/editorModel.ts";
import type { LessonBook } from "./providers/lessons.ts";
import { createPolicy, pathsBy } from "./scope/callPolicy.ts";
import { describeProject } from "./scope/project.ts";
import { createSandbox, sweepSandboxes, type Sandbox } from "./scope/sandbox.ts";
import type { Scope } from "./scope/scope.ts";
import type { OwnContexts } from "./tools/attach.ts";
import { createTools, withShortResults } from "./tools/catalog.ts";
import { commandRecords, recordsFolder } from "./tools/commandRecords.ts";
import { createCommands, type BackgroundCommand, type Commands } from "./tools/commands.ts";
import { cleanEnvironment } from "./tools/environment.ts";
import { validateJson } from "./tools/jsonSchema.ts";
import type { Environment } from "./tools/loginShell.ts";
import { withMaskedResults, type Masking } from "./tools/masked.ts";
import { nodeFiles } from "./tools/nodeFiles.ts";
import { pathsIn } from "./tools/paths.ts";
import { createKnownSecrets, noticing, type KnownSecrets } from "./tools/knownSecrets.ts";
import { createUnmasked, type Unmasked } from "./tools/unmasked.ts";
import type { CommandLimits } from "./tools/runCommand.ts";
import type { Files, FilesInScope } from "./tools/workspace.ts";

export interface ComposeOptions {
  /** The workspace folder. */
  readonly root: string;
  /** Further folders of the workspace, read anew for every run. */
  readonly others?: () => readonly string[];
  /** What narrows the scope of every agent, read anew for every run. */
  readonly scopeRules?: () => readonly ScopeRules[];
  /** The `.brain` folder, or where else sessions are kept when the workspace is not trusted. */
  readonly brainDir: string;
  /** Absolute paths of folders with agents of the person, read anew each time: those of the workspace count before them. */
  readonly agentFolders?: () => readonly string[];
  /** What a person has given for the inputs of the .prompty at a real path, read anew for every run; absent: defaults. */
  readonly agentInputs?: (path: string) => Params;
  /** False: reading tools only, and no agents, rules or memory from the folder. */
  readonly trusted: boolean;
  readonly choice: () => Promise<ModelChoice>;
  /** Asked before an agent whose file names an endpoint is answered from there; absent: it is not. */
  readonly confirmEndpoint?: Doors["confirm"];
  /** The key for such an endpoint; absent: it has none. */
  readonly keyFor?: (address: string) => Promise<string>;
  /** The models of the editor; absent: there is no editor. */
  readonly editorModels?: EditorModels;
  /** A person's rules that count for a run, or for all (null), read anew for each call; absent: none. */
  readonly rules?: (runId: string | null) => readonly Rule[];
  readonly approve: Approve;
  /** Absent: plans are not asked about. */
  readonly approvePlan?: ApprovePlan;
  /** Absent: nobody is there to choose, and a run that has used up its limits ends. */
  readonly choose?: Choose;
  /** Absent: nobody is there to type anything into a command. */
  readonly enter?: Enter;
  /** Told which commands run in the background whenever that has changed. */
  readonly backgroundChanged?: (commands: readonly BackgroundCommand[]) => void;
  /** What `@` can name in a message beside files and folders. */
  readonly ownContexts?: OwnContexts;
  /** What commands find, secrets and all, asked before each; absent: what this process has. */
  readonly environment?: () => Promise<Environment>;
  /** How files are read and written; absent: straight on the disk. */
  readonly files?: Files;
  /** Tools beside the workspace's own. */
  readonly extraTools?: Activities;
  /** A person's own MCP servers by their names, as they are written down, read anew for every run; absent: none. */
  readonly mcpServers?: () => unknown;
  /** Asked before a server that a file of the folder names is used; absent: it is not. */
  readonly confirmServer?: (question: ServerQuestion) => Promise<boolean>;
  /** Milliseconds that a run waits for servers at most; absent: 5,000. */
  readonly serverPatience?: number;
  /** Milliseconds a command may take unless its call says otherwise. */
  readonly commandTimeout: () => number;
  /** Milliseconds a command may be silent and idle unless its call says otherwise; absent: the default of the setting. */
  readonly idleTimeout?: () => number;
  /** Absent: `auto`. */
  readonly sandbox?: () => SandboxMode;
  /** Hosts that commands in the sandbox may reach without asking, as rules name them; absent: none. */
  readonly allowedHosts?: () => readonly string[];
  /** Whether the model is kept from secrets in results; absent: it is. */
  readonly maskSecrets?: () => boolean;
  /** Megabytes that copies for undo may take; 0 or absent: none are made. */
  readonly undoMaxSize?: () => number;
  /** Where runs are measured to, read anew for every run; absent: nowhere. */
  readonly trace?: () => TraceOptions;
  readonly log: (message: string) => void;
}

export interface Composition {
  readonly ports: Ports;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly memory: ReturnType<typeof createMemory>;
  readonly agents: ReturnType<typeof createAgents>;
  readonly commands: Commands;
  /** The policy of the workspace, if only these rules counted. */
  readonly policyUnder: (rules: readonly Rule[]) => Policy;
  /** Servers of the Model Context Protocol. */
  readonly servers: Servers;
  readonly undo: Undo;
  /** What a message can name by `@`. */
  readonly paths: (signal: AbortSignal) => Promise<readonly string[]>;
  /** The prompt files of the folder; none while it is not trusted. */
  readonly prompts: () => Promise<readonly PromptFile[]>;
  /** For what a person writes by way of Brain. */
  readonly ownFiles: () => Promise<FilesInScope>;
  /** What was masked, for a person. */
  readonly unmasked: Unmasked;
  readonly changes: ChangedFiles;
  /** The way of openapi tools to their servers where no run asks about calls. */
  readonly outside: Outside;
  /** Ends what was started for it. */
  dispose(): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Builds everything a run needs. Nothing is opened or started before the first run asks for it. */
export function compose(options: ComposeOptions): Composition {
  const { brainDir, trusted, log } = options;
  const sessions = createSessions({ dir: brainDir, clock: systemClock });
  const memory = createMemory({ dir: brainDir });
  const layout = layoutOf(brainDir);
  const commands = commandsOf(options, layout);
  const agents = agentsOf(options);
  const sandbox = createSandbox({ mode: options.sandbox ?? (() => "auto") });
  const servers = createMcp(options, sandbox, systemClock);
  const room = (): number => (options.undoMaxSize?.() ?? 0) * 1_000_000;
  const unmasked = createUnmasked();
  const masking = { enabled: options.maskSecrets ?? (() => true), keep: unmasked.keep, known: createKnownSecrets() };
  const snapshots = createSnapshots({ layout, watched: () => watchedIn(options), room, clock: systemClock, log });
  const tracing = createTracing(options.trace ?? (() => ({})), { clock: systemClock, log });
  let demo: Promise<Demo> | null = null;
  const demoUrl = async (): Promise<string> => (await (demo ??= startDemo())).baseUrl;
  const policy = policiesIn(options);
  const ports: Ports = {
    model: modelsOf(options, demoUrl),
    tools: (agent, tell) => makeTools(agent, options, { memory, agents, commands, sandbox, masking, servers, tell }),
    policy: policy((runId) => [...(options.rules?.(runId) ?? []), ...hostRules(options)]),
    ...peopleIn(options),
    validate: validateJson,
    sessions,
    attach: attachIn(options, masking),
    memory: trusted ? memory : { read: () => Promise.resolve("") },
    agents,
    snapshots,
    clock: systemClock,
    ids: randomUUID,
    project: async () => describeProject((await openScope(options, {})).policy.roots),
    ...(trusted && { rules: (maxLength: number) => rulesOf(options, maxLength) }),
    tracer: tracing.tracer,
    log,
  };
  return {
    ports,
    servers,
    undo: createUndo(snapshots, ports),
    paths: async (signal) => pathsIn(await openScope(options, {}), signal),
    prompts: () => (trusted ? promptsOf(options) : Promise.resolve([])),
    ownFiles: () => ownFilesIn(options),
    unmasked,
    changes: createChangedFiles(snapshots),
    outside: wayOut(options, "alone"),
    policyUnder: (rules) => policy(() => rules),
    sessions: { ...sessions, delete: (id) => deleteSession(id, sessions, commands) },
    memory,
    agents,
    commands,
    dispose: async () => {
      const started = [commands.dispose(), servers.dispose(), demo?.then((server) => server.close())];
      await Promise.all([...started, tracing.close()]);
      await sandbox.dispose();
    },
  };
}

/** What one run has learnt of a model, the next one knows. */
function modelsOf(options: ComposeOptions, demoUrl: () => Promise<string>): Ports["model"] {
  const lessons: LessonBook = new Map();
  return async (agent) => {
    const choice = await choiceFor(agent, await options.choice(), doorsOf(options));
    return chooseModel(choice, agent, { ...options, clock: systemClock, demoUrl, lessons });
  };
}

/** With what runs in its background; a session that runs stays, and so does that. */
async function deleteSession(
  id: string,
  sessions: SessionStore,
  commands: Commands,
): ReturnType<SessionStore["delete"]> {
  if ((await sessions.owner(id)) === null) await commands.endSession(id);
  return sessions.delete(id);
}

function policiesIn(options: ComposeOptions): (rules: (runId: string) => readonly Rule[]) => Policy {
  let opened: Promise<Scope> | null = null;
  const scope = (): Promise<Scope> => (opened ??= openScope(options, {}));
  return (rules) => createPolicy({ scope, rules, platform: process.platform });
}

function wayOut(options: ComposeOptions, calls: "inRun" | "alone"): Outside {
  return outsideOf(doorsOf(options), () => [...(options.rules?.(null) ?? []), ...hostRules(options)], calls);
}

function peopleIn({
  approve,
  approvePlan,
  choose,
  enter,
}: ComposeOptions): Pick<Ports, "approve" | "approvePlan" | "choose" | "enter"> {
  return { approve, ...(approvePlan && { approvePlan }), ...(choose && { choose }), ...(enter && { enter }) };
}

function agentsOf(options: ComposeOptions): ReturnType<typeof createAgents> {
  const { brainDir, trusted, agentInputs: inputs = () => ({}) } = options;
  return createAgents({ dir: trusted ? brainDir : null, others: () => agentFolders(options), inputs });
}

function doorsOf({ confirmEndpoint: confirm, keyFor }: ComposeOptions): Doors {
  return { ...(confirm && { confirm }), keyFor: (_connection, address) => keyFor?.(address) ?? Promise.resolve("") };
}

/** What an earlier window left running when it crashed is ended at once. */
function commandsOf(
  { trusted, backgroundChanged, maskSecrets: masks = () => true, log }: ComposeOptions,
  layout: ReturnType<typeof layoutOf>,
): Commands {
  const records = commandRecords(recordsFolder());
  if (trusted)
    void records.sweep().then(async (count) => {
      if (count > 0) log(`Ended ${count} command(s) that an earlier window had left running.`);
      // Only then: what still ran would have lost its temporary folder.
      await sweepSandboxes();
    });
  const logFile = (sessionId: string, id: string): string => path.join(layout.session(sessionId).output, `${id}.log`);
  return createCommands({ logFile, records, masks, ...(backgroundChanged && { changed: backgroundChanged }) });
}

/** An agent's own limits for its commands, in place of the general ones. */
function commandLimits(
  { toolTimeout, idleTimeout }: NonNullable<AgentDefinition["limits"]>,
  general: ComposeOptions,
): CommandLimits {
  const { idleTimeout: usual = () => settings.commandIdleTimeout.default } = general;
  return { commandTimeout: toolTimeout ?? general.commandTimeout(), idleTimeout: idleTimeout ?? usual() };
}

interface ToolParts extends Pick<Composition, "memory" | "agents" | "commands" | "servers"> {
  readonly sandbox: Sandbox;
  readonly masking: Masking & { readonly known: KnownSecrets };
  readonly tell: (notice: string) => void;
}

async function makeTools(
  { context = [], limits = {}, approvals = [], scope: ofAgent = {}, prompt, tools: wanted }: AgentDefinition,
  options: ComposeOptions,
  { memory, agents, commands, sandbox, masking, servers, tell }: ToolParts,
): Promise<readonly Tool[]> {
  const { trusted, files, rules = () => [], extraTools = { tools: [] } } = options;
  const scope = await openScope(options, ofAgent, pathsBy(rules(null), approvals));
  const environment = async (): Promise<Record<string, string>> =>
    cleanEnvironment(await (options.environment?.() ?? process.env));
  const remember = (note: string): ReturnType<typeof memory.append> => memory.append(note);
  const workspace = {
    scope,
    files: noticing(files ?? nodeFiles(), masking.known),
    sandbox,
    commands,
    remember,
    environment,
  };
  const usable = (await agents.list()).filter(({ problems }) => problems.length === 0);
  const tools = createTools(workspace, { ...commandLimits(limits, options), agents: usable });
  const advisors = consultAdvisor(context.flatMap((message) => advisorOf(message) ?? []));
  const extra = advisors ? { ...extraTools, tools: [...extraTools.tools, advisors] } : extraTools;
  const finished = (tool: Tool): Tool => withMaskedResults(tool, masking);
  const all = [...tools, ...bindTools(extra, validateJson)]
    .filter((tool) => trusted || tool.effect === "read")
    .map(finished);
  const ofServer = (tool: Tool): Tool => finished(withShortResults(tool));
  if (prompt !== undefined) {
    const outside = wayOut(options, "inRun");
    const mcp = trusted ? mcpToolsOf(servers, withShortResults) : undefined;
    return declaredTools(prompt, all, options, { outside, mcp, finished });
  }
  const { tools: more, notices } = await servers.tools(wanted);
  for (const notice of notices) tell(notice);
  // A tool of Brain's own counts before one of a server.
  return [...more.map(ofServer), ...all];
}
