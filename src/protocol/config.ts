// Every number of the loop with its default: the specification's limits, and the choices that settings and agents have.
/** Limits of a run, by the specification's own names. Times in milliseconds, sizes in tokens. */
export interface AgentLoopConfig {
  readonly contextWindow: number;
  readonly reserveFloor: number;
  readonly flushThreshold: number;
  readonly maxToolIterations: number;
  readonly executionTimeout: number;
  readonly toolTimeout: number;
  readonly queueTimeout: number;
  readonly maxQueueDepth: number;
  readonly lockTimeout: number;
  readonly maxRetries: number;
  readonly retryBackoff: number;
  /** Which calls may start while the reply that they are in is still being written (C-05). */
  readonly earlyStart: EarlyStart;
  /** Whether a reply's calls are approved as a whole before any of them starts. */
  readonly plan: PlanMode;
  /** Whether the model is told how calls use each other's results. */
  readonly dataFlow: boolean;
  /** Tokens that one run may use, in and out together; 0: no limit. */
  readonly maxRunTokens: number;
  /** US dollars that one run may cost, where that is known; 0: no limit. */
  readonly maxRunCost: number;
  /** Ask the model once more when calls beside its final output failed (C-02). */
  readonly reconsiderOnError: boolean;
}

export const planModes = ["eager", "lazy"] as const;
export type PlanMode = (typeof planModes)[number];

export const earlyStarts = ["all", "read", "off"] as const;
export type EarlyStart = (typeof earlyStarts)[number];

export const loopDefaults: AgentLoopConfig = {
  contextWindow: 128_000,
  reserveFloor: 4_000,
  flushThreshold: 8_000,
  maxToolIterations: 10,
  executionTimeout: 600_000,
  toolTimeout: 30_000,
  queueTimeout: 30_000,
  maxQueueDepth: 10,
  lockTimeout: 900_000,
  maxRetries: 3,
  retryBackoff: 1_000,
  earlyStart: "all",
  plan: "eager",
  dataFlow: true,
  maxRunTokens: 0,
  maxRunCost: 0,
  reconsiderOnError: false,
};

/** Longest message of a person, in characters (C-37). */
export const maxMessageLength = 100_000;
/** Longest MEMORY.md, in characters. */
export const maxMemoryLength = 50_000;

/** Longest rules of a project that the model is shown, in characters: about 8,000 tokens in every request. */
export const maxRulesLength = 32_000;
/** Silence of the model after which a reply counts as stalled, in milliseconds (C-13). */
export const modelIdleTimeout = 60_000;
/** The same for a model that may be thinking, before its first word and behind a thought. The runtime's fetch gives up after 5 minutes, and knows no reason. */
export const modelThinkTimeout = 270_000;
/** How long a stopped call may take to settle before the run goes on without it, in milliseconds (C-46). */
export const stopGrace = 2_000;
/** How many calls run at the same time (C-04). */
export const maxParallelCalls = 8;

/** How deep runs may be nested by delegating (C-16). */
export const maxDepth = 5;
/** Rounds of the same calls with the same results after which the model is told, and after which the run pauses. */
export const repetitions = { tell: 3, pause: 5 } as const;
/** Replies in a row that are neither calls nor the output that was asked for, before the run counts as stalled (C-01). */
export const maxStalls = 2;

export const providerNames = ["demo", "openai-chat", "openai-responses", "anthropic", "vscode"] as const;
export type ProviderName = (typeof providerNames)[number];

export const toolCallings = ["auto", "native", "json"] as const;
export type ToolCalling = (typeof toolCallings)[number];

export const sandboxModes = ["auto", "off"] as const;
export type SandboxMode = (typeof sandboxModes)[number];
