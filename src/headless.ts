// The loop without an editor: what `dist/engine.js` exports, and what the command line runs on.
import path from "node:path";
import { createSessions } from "./brain/sessions.ts";
import { createVirtualClock } from "./brain/virtualClock.ts";
import type { HandlerContext, KindHandler, ToolHandler } from "./agents/promptyDispatch.ts";
import { compose, type Composition } from "./compose.ts";
import type { TraceOptions } from "./composeTracing.ts";
import type { EndpointQuestion } from "./composeEndpoint.ts";
import type { Activities, Activity, ToolDefinition } from "./engine/activities.ts";
import type { Approve, ApprovePlan } from "./engine/ports.ts";
import { createQueue } from "./engine/queue.ts";
import { rerunAll, type Rerun } from "./engine/rerun.ts";
import { startRun, type Outcome, type Run, type RunRequest } from "./engine/run.ts";
import { AgentError, type AgentOutcome, type AgentRun } from "./invoke.ts";
import type { AgentObject, Guardrails, InvokeTool, InvokeTools, LoadedAgent } from "./invokeParts.ts";
import {
  loopDefaults,
  type AgentLoopConfig,
  type ProviderName,
  type SandboxMode,
  type ToolCalling,
} from "./protocol/config.ts";
import type { McpServer } from "./protocol/mcp.ts";
import { settings } from "./protocol/settings.ts";
import { LoopError } from "./protocol/errors.ts";
import type { LoopEvent } from "./protocol/events.ts";
import type { Effort } from "./protocol/replyOptions.ts";
import type { Rule } from "./protocol/rules.ts";
import { invokeAgent, loadAgent, startAgent, type AgentOptions } from "./standalone.ts";
import type { TraceSpan } from "./tracing/span.ts";
import { validateJson } from "./tools/jsonSchema.ts";

export type { Activities, Activity, Approve, ToolDefinition, LoopEvent, Outcome, Rerun, Rule, Run, RunRequest };
export type {
  AgentObject,
  AgentOptions,
  AgentOutcome,
  AgentRun,
  EndpointQuestion,
  Guardrails,
  InvokeTool,
  InvokeTools,
  McpServer,
  TraceOptions,
  TraceSpan,
};
export type { HandlerContext, KindHandler, LoadedAgent, ToolHandler };
export { AgentError, invokeAgent, loadAgent, LoopError, startAgent };

export interface BrainOptions {
  /** The folder to work in. */
  readonly workspace: string;
  /** Default `demo`. */
  readonly provider?: ProviderName;
  /** Default: OpenAI's. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly model?: string;
  /** Origins that the files of agents may name as their endpoint, or as that of a key or document of a tool, each with its key or `""`; default none. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** Default `native`; `json` for models that know no tools; `auto` finds out. */
  readonly toolCalling?: ToolCalling;
  /** How hard the model thinks; default `default`, as it does by itself. */
  readonly effort?: Effort;
  /** Sends requests to the endpoint; default: the global one. */
  readonly fetch?: typeof fetch;
  /** Tokens the model reads at once; default: as many as its maker says, or 128,000. */
  readonly contextWindow?: number;
  /**
   * Who decides about calls that policy wants asked. `policy` (default) and `none` refuse them, because nobody is there;
   * `all` approves them; a function decides each.
   */
  readonly approve?: "policy" | "all" | "none" | Approve;
  /** What runs without asking, asks, or never runs; default none. */
  readonly rules?: readonly Rule[];
  /** Tools beside the workspace's own, with the functions that do their work. */
  readonly tools?: Activities;
  /** Servers of the Model Context Protocol by their names, whose tools the model is offered: as in the setting brain.mcpServers. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** What nothing may touch beside the defaults, in the form of .gitignore. */
  readonly deniedPaths?: readonly string[];
  /** Default `auto`: commands run in a sandbox where the system has one. */
  readonly sandbox?: SandboxMode;
  /** Limits that differ from the specification's defaults. */
  readonly config?: Partial<AgentLoopConfig>;
  /** Where runs are measured to; default: nowhere. */
  readonly trace?: TraceOptions;
  readonly log?: (message: string) => void;
}

export interface Brain {
  /**
   * Starts a run. Returns at once; iterate it for its events, await its `result` for the outcome. Runs of one session are
   * done one after the other, as the request's `whenBusy` says.
   */
  run(request: RunRequest): Run;
  readonly sessions: Composition["sessions"];
  /** Lets go of what runs have started. */
  dispose(): Promise<void>;
}

export interface Replay {
  readonly runs: readonly Rerun[];
  /** Sentences about lines that could not be read. */
  readonly repairs: readonly string[];
}

/**
 * Runs what a session records once more, without network, tools or files: its model, tools and people give what is
 * recorded (C-09). Each run says where what the loop writes now differs from the record.
 * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
 */
export async function replay({ workspace, sessionId }: { workspace: string; sessionId: string }): Promise<Replay> {
  const clock = createVirtualClock(0);
  const sessions = createSessions({ dir: path.join(path.resolve(workspace), ".brain"), clock });
  const { lines, repairs } = await sessions.lines(sessionId);
  return { runs: await rerunAll(lines, { clockAt: createVirtualClock, validate: validateJson }), repairs };
}

/** Makes a Brain for one workspace folder. Throws nothing: what is wrong with the options ends the first run. */
export function createBrain(options: BrainOptions): Brain {
  const root = path.resolve(options.workspace);
  const config = { ...loopDefaults, ...options.config };
  const composition = compose({
    root,
    brainDir: path.join(root, ".brain"),
    trusted: true,
    choice: () =>
      Promise.resolve({
        provider: options.provider ?? "demo",
        baseUrl: options.baseUrl ?? "https://api.openai.com/v1",
        apiKey: options.apiKey ?? "",
        model: options.model ?? "",
        contextWindow: options.contextWindow ?? options.config?.contextWindow ?? 0,
        toolCalling: options.toolCalling ?? "native",
        reply: { effort: options.effort ?? "default" },
        ...(options.fetch && { fetch: options.fetch }),
      }),
    confirmEndpoint: ({ origin }) => Promise.resolve(Object.hasOwn(options.endpoints ?? {}, origin)),
    keyFor: (address) => Promise.resolve(options.endpoints?.[new URL(address).origin] ?? ""),
    ...(options.rules && { rules: () => options.rules ?? [] }),
    approve: approver(options.approve ?? "policy"),
    approvePlan: planApprover(options.approve ?? "policy"),
    ...(options.tools && { extraTools: options.tools }),
    ...(options.mcpServers && { mcpServers: () => options.mcpServers }),
    // There may be no later run.
    serverPatience: 60_000,
    scopeRules: () => [{ deny: [...(options.deniedPaths ?? [])] }],
    commandTimeout: () => config.toolTimeout,
    sandbox: () => options.sandbox ?? "auto",
    undoMaxSize: () => settings.undoMaxSize.default,
    ...(options.trace && { trace: () => options.trace ?? {} }),
    log: options.log ?? (() => undefined),
  });
  const { sessions } = composition;
  const ports = { ...composition.ports, queue: createQueue(composition.ports.clock) };
  return {
    run: (request) => startRun(request, ports, config),
    sessions,
    dispose: () => composition.dispose(),
  };
}

/** A function decides each call: the plan that they are in may begin. */
function planApprover(approve: NonNullable<BrainOptions["approve"]>): ApprovePlan {
  const refuse = approve === "none" || approve === "policy";
  const decision = refuse ? ({ kind: "reject", reason: nobody } as const) : ({ kind: "approve" } as const);
  return () => Promise.resolve({ decision, by: "policy" });
}

const nobody = "Nobody is here to approve this. Say what you would have done instead.";

function approver(approve: NonNullable<BrainOptions["approve"]>): Approve {
  if (typeof approve === "function") return approve;
  const decision = approve === "all" ? ({ kind: "approve" } as const) : ({ kind: "reject", reason: nobody } as const);
  return () => Promise.resolve({ decision, by: "policy" });
}
