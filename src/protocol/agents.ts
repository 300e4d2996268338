// What an agent is: the front matter of AGENT.md and its text.
import * as z from "zod";
import { ReplyOptions } from "./replyOptions.ts";
import type { ProviderName } from "./config.ts";
import { NarrowingRule } from "./rules.ts";

const patterns = z.array(z.string().min(1, "must not be empty"));

/** What narrows the scope: patterns in the form of .gitignore, from the workspace's folder. It never widens it. */
const ScopeRules = z.strictObject({
  /** May be neither read nor written. */
  deny: patterns.optional(),
  /** Nothing else may be read or written. */
  only: patterns.optional(),
});
export type ScopeRules = z.infer<typeof ScopeRules>;

/** Front matter of AGENT.md. Unknown keys are kept and never an error. */
export const AgentFrontMatter = z.looseObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "use lower-case letters, digits and hyphens"),
  name: z.string().min(1, "must not be empty"),
  description: z.string().optional(),
  /** Model name at the chosen endpoint; absent: the one from the settings. */
  model: z.string().min(1).optional(),
  /** What is asked of the model's replies: effort, temperature, limits and so on. */
  options: ReplyOptions.optional(),
  /** Asked from then on when the model fails for good before it has shown anything, or its account has nothing left. */
  fallback: z.string().min(1).optional(),
  /** Names of the tools it may use; absent: all. */
  tools: z.array(z.string()).optional(),
  scope: ScopeRules.optional(),
  /** `lazy`: the calls of a reply are shown as a plan, and none starts before a person has approved it. */
  plan: z.enum(["eager", "lazy"]).optional(),
  /** False: the model is not told how calls use each other's results, which saves tokens. */
  dataFlow: z.boolean().optional(),
  /** JSON Schema of the final answer; absent: it answers in words. */
  output: z.record(z.string(), z.unknown()).optional(),
  /** Messages of structured context: data and inputs, and, where replies are JSON Solutions, meta and advisors. */
  context: z.array(z.looseObject({ type: z.string() })).optional(),
  limits: z
    .strictObject({
      maxToolIterations: z.number().int().min(1).max(500).optional(),
      executionTimeout: z.number().int().min(1_000).optional(),
      toolTimeout: z.number().int().min(100).optional(),
      idleTimeout: z.number().int().min(100).optional(),
      maxRunTokens: z.number().int().min(1_000).optional(),
      maxRunCost: z.number().positive().optional(),
    })
    .optional(),
  /** Rules beside those of the person: they take rights away and give none. */
  approvals: z.array(NarrowingRule).optional(),
  /** Set by hand to refuse further runs (C-38). */
  terminated: z.boolean().optional(),
});
export type AgentFrontMatter = z.infer<typeof AgentFrontMatter>;

/** A tool as a .prompty declares it. What else was written about it is kept. */
export interface DeclaredTool extends Readonly<Record<string, unknown>> {
  readonly name: string;
  /** `function`, `prompty`, `mcp`, `openapi`, or one that a host knows. */
  readonly kind: string;
}

/** Where an agent asks to be answered from, as its file says: used only where a person has confirmed it. */
export interface AgentConnection {
  readonly provider?: ProviderName;
  /** The file of the agent, as people call it. */
  readonly file: string;
  /** Absent: the provider's own. */
  readonly baseUrl?: string;
  /** As its file gives it. */
  readonly apiKey?: string;
  /** Names of the environment variables that its file has read. */
  readonly variables: readonly string[];
}

export interface AgentDefinition extends AgentFrontMatter {
  /** The text under the front matter: who the agent is and how it works. */
  readonly identity: string;
  /** Where it was read, relative to the workspace; null for a built-in one. */
  readonly source: string | null;
  /** The model is told what the agent's file says, and nothing of Brain's own: no frame, notes or summing up. */
  readonly bare?: true;
  readonly connection?: AgentConnection;
  /** Of a .prompty with tools of its own: its real path. They are all that it may use. */
  readonly prompt?: string;
}
