// The one place where rooms meet: from a few options to the engine's ports and what hosts need beside them.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createAgents } from "./agents/catalog.ts";
import { layoutOf } from "./brain/layout.ts";
import { createMemory } from "./brain/memory.ts";
import { createSessions } from "./brain/sessions.ts";
import { createSnapshots } from "./brain/snapshots.ts";
import { createUndo, type Undo } from "./brain/undo.ts";
import type { Watched } from "./brain/watched.ts";
import { bindTools, type Activities } from "./engine/activities.ts";
import { advisorOf, consultAdvisor, handlersOf } from "./engine/handlers.ts";
import { jsonSolutions } from "./engine/jsonSolutions.ts";
import type { Approve, ApprovePlan, Choose, Clock, Model, Ports, Price, Tool } from "./engine/ports.ts";
import type { AgentDefinition } from "./protocol/agents.ts";
import { createModel } from "./providers/catalog.ts";
import { startDemo, type Demo } from "./providers/demo/server.ts";
import { createScope } from "./scope/scope.ts";
import type { ProviderName, ToolCalling } from "./protocol/config.ts";
import { createTools } from "./tools/catalog.ts";
import { cleanEnvironment } from "./tools/environment.ts";
import { validateJson } from "./tools/jsonSchema.ts";
import { nodeFiles } from "./tools/nodeFiles.ts";
import type { Files } from "./tools/workspace.ts";

/** Which model to ask, read anew for every run. */
export interface ModelChoice {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  /** Of `model`; absent: not known. */
  readonly price?: Price;
  /** Absent: `native`. */
  readonly toolCalling?: ToolCalling;
}

export interface ComposeOptions {
  /** The workspace folder. */
  readonly root: string;
  /** The `.brain` folder, or where else sessions are kept when the workspace is not trusted. */
  readonly brainDir: string;
  /** False: reading tools only, and no agents or memory from the folder. */
  readonly trusted: boolean;
  readonly choice: () => Promise<ModelChoice>;
  readonly approve: Approve;
  /** Absent: plans are not asked about. */
  readonly approvePlan?: ApprovePlan;
  /** Absent: nobody is there to choose, and a run that has used up its limits ends. */
  readonly choose?: Choose;
  /** How files are read and written; absent: straight on the disk. */
  readonly files?: Files;
  /** Tools beside the workspace's own. */
  readonly extraTools?: Activities;
  /** Milliseconds a command may take unless its call says otherwise. */
  readonly commandTimeout: () => number;
  /** Megabytes that copies for undo may take; 0: none are made. */
  readonly undoMaxSize: () => number;
  readonly log: (message: string) => void;
}

export interface Composition {
  readonly ports: Ports;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly memory: ReturnType<typeof createMemory>;
  readonly agents: ReturnType<typeof createAgents>;
  readonly undo: Undo;
  /** Ends what was started for it. */
  dispose(): Promise<void>;
}

const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Builds everything a run needs. Nothing is opened or started before the first run asks for it. */
export function compose(options: ComposeOptions): Composition {
  const { root, brainDir, trusted, log } = options;
  const sessions = createSessions({ dir: brainDir, clock: systemClock });
  const memory = createMemory({ dir: brainDir });
  const agents = createAgents({ dir: trusted ? brainDir : null });
  const room = (): number => options.undoMaxSize() * 1_000_000;
  const layout = layoutOf(brainDir);
  const snapshots = createSnapshots({ layout, watched: () => watch(root), room, clock: systemClock, log });
  let demo: Promise<Demo> | null = null;
  const demoUrl = async (): Promise<string> => (await (demo ??= startDemo())).baseUrl;
  const ports: Ports = {
    model: async (agent) => chooseModel(await options.choice(), agent, demoUrl),
    tools: (agent) => makeTools(agent, options, { memory, agents }),
    approve: options.approve,
    ...(options.approvePlan && { approvePlan: options.approvePlan }),
    ...(options.choose && { choose: options.choose }),
    validate: validateJson,
    sessions,
    memory: trusted ? memory : { read: () => Promise.resolve("") },
    agents,
    snapshots,
    clock: systemClock,
    ids: randomUUID,
    project: () => describeProject(root),
    log,
  };
  const undo = createUndo(snapshots, ports);
  return { ports, sessions, memory, agents, undo, dispose: async () => (await demo)?.close() };
}

/** The workspace as undo may see it: what no tool may read is never copied. */
async function watch(root: string): Promise<Watched> {
  const scope = await createScope({ root });
  return {
    root: scope.root,
    mostFiles: 100_000,
    ignoreRules: () => scope.ignoreRules(),
    denied: (relative) => scope.deniedName(relative),
    async target(named) {
      const path = await scope.resolve(named, "write");
      return "denied" in path ? null : path.relative;
    },
  };
}

async function chooseModel(
  choice: ModelChoice,
  agent: AgentDefinition,
  demoUrl: () => Promise<string>,
): Promise<Model> {
  const { price, toolCalling, ...rest } = choice;
  const demo = rest.provider === "demo";
  const name = demo ? "demo" : (agent.model ?? rest.model);
  const known = price && name === rest.model ? { price } : {};
  const served = demo ? { demoUrl: await demoUrl() } : {};
  const model = createModel({ ...rest, ...known, ...served, model: name, clock: systemClock });
  if (demo || toolCalling !== "json") return model;
  return jsonSolutions(model, { ids: randomUUID, handlers: handlersOf(agent.context ?? []) });
}

async function makeTools(
  { context = [] }: AgentDefinition,
  { root, trusted, files, commandTimeout, extraTools = { tools: [] } }: ComposeOptions,
  { memory, agents }: Pick<Composition, "memory" | "agents">,
): Promise<readonly Tool[]> {
  const scope = await createScope({ root });
  const environment = cleanEnvironment(process.env);
  const remember = (note: string): ReturnType<typeof memory.append> => memory.append(note);
  const workspace = { scope, files: files ?? nodeFiles(), remember, environment };
  const usable = (await agents.list()).filter(({ problems }) => problems.length === 0);
  const tools = createTools(workspace, { commandTimeout: commandTimeout(), agents: usable });
  const advisors = consultAdvisor(context.flatMap((message) => advisorOf(message) ?? []));
  const extra = advisors ? { ...extraTools, tools: [...extraTools.tools, advisors] } : extraTools;
  return [...tools, ...bindTools(extra, validateJson)].filter((tool) => trusted || tool.effect === "read");
}

/** How many names of the top level the model is told. */
const topLevelNames = 60;

async function describeProject(root: string): Promise<string> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.name !== ".git" && entry.name !== "node_modules" && entry.name !== ".brain")
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  const shown = names.slice(0, topLevelNames).join(", ");
  const more = names.length > topLevelNames ? ` and ${names.length - topLevelNames} more` : "";
  return `The workspace folder is “${path.basename(root)}”. Its top level: ${shown}${more}.\nThe platform is ${process.platform}.`;
}
