// The one place where rooms meet: from a few options to the engine's ports and what hosts need beside them.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createAgents } from "./agents/catalog.ts";
import { createMemory } from "./brain/memory.ts";
import { createSessions } from "./brain/sessions.ts";
import type { Approve, Clock, Model, Ports, Tool } from "./engine/ports.ts";
import type { AgentDefinition } from "./protocol/agents.ts";
import { createModel } from "./providers/catalog.ts";
import { startDemo, type Demo } from "./providers/demo/server.ts";
import { createScope } from "./scope/scope.ts";
import type { ProviderName } from "./protocol/config.ts";
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
  /** How files are read and written; absent: straight on the disk. */
  readonly files?: Files;
  /** Milliseconds a command may take unless its call says otherwise. */
  readonly commandTimeout: () => number;
  readonly log: (message: string) => void;
}

export interface Composition {
  readonly ports: Ports;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly memory: ReturnType<typeof createMemory>;
  readonly agents: ReturnType<typeof createAgents>;
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
  let demo: Promise<Demo> | null = null;
  const demoUrl = async (): Promise<string> => (await (demo ??= startDemo())).baseUrl;
  const ports: Ports = {
    model: async (agent) => chooseModel(await options.choice(), agent, demoUrl),
    tools: () => makeTools(options, (note) => memory.append(note)),
    approve: options.approve,
    validate: validateJson,
    sessions,
    memory: trusted ? memory : { read: () => Promise.resolve("") },
    agents,
    clock: systemClock,
    ids: randomUUID,
    project: () => describeProject(root),
    log,
  };
  return { ports, sessions, memory, agents, dispose: async () => (await demo)?.close() };
}

async function chooseModel(
  choice: ModelChoice,
  agent: AgentDefinition,
  demoUrl: () => Promise<string>,
): Promise<Model> {
  const demo = choice.provider === "demo";
  const model = demo ? "demo" : (agent.model ?? choice.model);
  return createModel({ ...choice, model, clock: systemClock, ...(demo && { demoUrl: await demoUrl() }) });
}

async function makeTools(
  { root, trusted, files, commandTimeout }: ComposeOptions,
  remember: (note: string) => Promise<{ status: "succeeded" | "failed"; content: string }>,
): Promise<readonly Tool[]> {
  const scope = await createScope({ root });
  const environment = cleanEnvironment(process.env);
  const workspace = { scope, files: files ?? nodeFiles(), remember, environment };
  const tools = createTools(workspace, { commandTimeout: commandTimeout() });
  return tools.filter((tool) => trusted || tool.effect === "read");
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
