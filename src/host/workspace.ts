// The folder Brain works in, whether it is trusted, and the composition made for it.
import path from "node:path";
import * as vscode from "vscode";
import { compose, type Composition } from "../compose.ts";
import type { EndpointQuestion } from "../composeEndpoint.ts";
import type { ServerQuestion } from "../composeMcp.ts";
import type { ModelChoice } from "../composeModel.ts";
import { efforts } from "../protocol/replyOptions.ts";
import { providerNames, sandboxModes, toolCallings, type ProviderName } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { BackgroundInfo, Setup } from "../protocol/events.ts";
import type { OwnContexts } from "../tools/attach.ts";
import { personEnvironment, type PersonEnvironment } from "../tools/loginShell.ts";
import type { Params } from "../protocol/messages.ts";
import { nodeFiles } from "../tools/nodeFiles.ts";
import type { Approvals } from "./approvals.ts";
import { editorModels } from "./editorModels.ts";
import type { KeptFacts } from "./modelFacts.ts";
import { openFiles } from "./openFiles.ts";
import { setEncodings } from "./setEncodings.ts";
import type { Rules } from "./rules.ts";
import type { Keys } from "./secrets.ts";
import { originOf } from "./secrets.ts";
import { readAgentFolders, readDeniedPaths, readEndpoint, readSetting, readWord } from "./settings.ts";

export interface WorkspaceOptions {
  readonly keys: Keys;
  readonly facts: KeptFacts;
  readonly approvals: Pick<Approvals, "approve" | "approvePlan" | "choose" | "enter">;
  /** Told which commands run in the background whenever that has changed. */
  readonly backgroundChanged: (commands: readonly BackgroundInfo[]) => void;
  readonly rules: Rules["forRun"];
  readonly confirmEndpoint: (question: EndpointQuestion) => Promise<boolean>;
  readonly confirmServer: (question: ServerQuestion) => Promise<boolean>;
  /** Where sessions go while the folder is not trusted; undefined without a folder. */
  readonly privateDir: vscode.Uri | undefined;
  readonly ownContexts: OwnContexts;
  /** What was given for the inputs of the .prompty at a real path. */
  readonly agentInputs: (path: string) => Params;
  readonly log: (message: string) => void;
}

export interface OpenWorkspace {
  readonly folder: vscode.Uri;
  readonly brainDir: string;
  readonly trusted: boolean;
  readonly composition: Composition;
}

export interface WorkspaceAccess {
  /** The open folder with its composition, made when first asked for. Throws LoopError `no_workspace`. */
  open(): OpenWorkspace;
  /** The model's choice as the settings and keys have it now. */
  choice(): Promise<ModelChoice>;
  describe(agent: string): Promise<Setup>;
  /** Lets go of the composition, so that the next one is made for what the workspace is then. */
  reset(): Promise<void>;
  /** The same, for good. */
  dispose(): Promise<void>;
}

/** Milliseconds that a person's shell may take to say what its environment is. */
const shellPatience = 10_000;

export function createWorkspaceAccess(options: WorkspaceOptions): WorkspaceAccess {
  let opened: OpenWorkspace | null = null;
  const environment = personEnvironment({
    env: process.env,
    wanted: () => vscode.workspace.isTrusted && readSetting("loginShell"),
    patience: shellPatience,
    log: options.log,
  });
  const choice = (): Promise<ModelChoice> => readChoice(options);
  const reset = async (): Promise<void> => {
    const old = opened;
    opened = null;
    await old?.composition.dispose();
  };
  return {
    open() {
      opened ??= openWorkspace({ ...options, environment }, choice);
      return opened;
    },
    choice,
    describe: async (agent) => describe(agent, await choice()),
    reset,
    async dispose() {
      environment.dispose();
      await reset();
    },
  };
}

interface OpeningOptions extends WorkspaceOptions {
  readonly environment: PersonEnvironment;
}

function openWorkspace(options: OpeningOptions, choice: () => Promise<ModelChoice>): OpenWorkspace {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (!folder) throw new LoopError("no_workspace", "No folder is open.");
  const trusted = vscode.workspace.isTrusted;
  const root = folder.fsPath;
  const brainDir = trusted ? path.join(root, ".brain") : (options.privateDir?.fsPath ?? path.join(root, ".brain"));
  const { approve, approvePlan, choose, enter } = options.approvals;
  const composition = compose({
    root,
    brainDir,
    trusted,
    choice,
    editorModels,
    rules: options.rules,
    confirmEndpoint: options.confirmEndpoint,
    mcpServers: () => readSetting("mcpServers"),
    confirmServer: options.confirmServer,
    keyFor: (address) => options.keys.get(address),
    approve,
    approvePlan,
    choose,
    others: otherFolders,
    agentFolders: readAgentFolders,
    agentInputs: options.agentInputs,
    scopeRules: () => readDeniedPaths(folder),
    enter,
    backgroundChanged: options.backgroundChanged,
    environment: options.environment.get,
    files: openFiles(nodeFiles(setEncodings())),
    ownContexts: options.ownContexts,
    commandTimeout: () => readSetting("commandTimeout"),
    idleTimeout: () => readSetting("commandIdleTimeout"),
    sandbox: () => readWord("sandbox", sandboxModes),
    allowedHosts: () =>
      readSetting("allowedHosts")
        .split(/[\s,]+/)
        .filter(Boolean),
    maskSecrets: () => readSetting("maskSecrets"),
    undoMaxSize: () => readSetting("undoMaxSize"),
    trace: () => ({ endpoint: readSetting("tracing.endpoint"), contents: readSetting("tracing.contents") }),
    log: options.log,
  });
  // The first command need not wait for it; it says what is wrong with the setting.
  if (trusted) void options.environment.get().catch(() => undefined);
  return { folder, brainDir, trusted, composition };
}

/** Those after the first that are on this machine's disk. */
function otherFolders(): readonly string[] {
  const [, ...others] = vscode.workspace.workspaceFolders ?? [];
  return others.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

async function readChoice({ keys, facts }: WorkspaceOptions): Promise<ModelChoice> {
  const provider = readWord("provider", providerNames);
  const baseUrl = readEndpoint();
  const apiKey = usesKey(provider) ? await keys.get(baseUrl) : "";
  const contextWindow = readSetting("contextWindow");
  // Only servers with OpenAI's forms have places where they say what they know.
  const asks = provider.startsWith("openai") && contextWindow === 0;
  return {
    provider,
    baseUrl,
    apiKey,
    toolCalling: readWord("toolCalling", toolCallings),
    model: readSetting("model"),
    contextWindow,
    reply: { effort: readWord("effort", efforts) },
    discovered: (model) => (asks ? facts.learn({ baseUrl, apiKey, model }) : facts.of(baseUrl, model)),
    ...priceFor(provider),
  };
}

function usesKey(provider: ProviderName): boolean {
  return provider !== "demo" && provider !== "vscode";
}

/** Without one, what a run cost is known only where the model's price is, or its endpoint says it; the scripted model has none. */
function priceFor(provider: ProviderName): Pick<ModelChoice, "price"> {
  const price = { input: readSetting("inputPrice"), output: readSetting("outputPrice") };
  return provider !== "demo" && (price.input > 0 || price.output > 0) ? { price } : {};
}

/** Endpoints that are known to answer nobody without a key. */
const needKeys: ReadonlySet<string> = new Set(["https://api.openai.com", "https://api.anthropic.com"]);

function describe(agent: string, choice: ModelChoice): Setup {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const scripted = choice.provider === "demo";
  return {
    workspace: folder ? (vscode.workspace.isTrusted ? "trusted" : "untrusted") : "none",
    workspaceName: folder?.name ?? "",
    agent,
    provider: choice.provider,
    model: scripted ? "demo" : choice.model,
    scripted,
    keyMissing: usesKey(choice.provider) && choice.apiKey === "" && needKeys.has(originOf(choice.baseUrl)),
  };
}
