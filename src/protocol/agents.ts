// What an agent is: the front matter of AGENT.md and its text.
import * as z from "zod";
import { ReplyOptions } from "./replyOptions.ts";
import type { ProviderName } from "./config.ts";
import { NarrowingRule } from "./rules.ts";

const patterns = z.array(z.string().min(1, "must not be empty"));

/** What narrows the scope: patterns in the form of .gitignore, from the workspace's folder. It never widens it. */
const ScopeRules = z.strictObject({
  deny: patterns.optional().describe("May be neither read nor written."),
  only: patterns.optional().describe("Nothing else may be read or written."),
});
export type ScopeRules = z.infer<typeof ScopeRules>;

/** Front matter of AGENT.md. Unknown keys are kept and never an error. */
export const AgentFrontMatter = z.looseObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/, "use lower-case letters, digits and hyphens")
    .describe("What tells it from others: lower-case letters, digits and hyphens."),
  name: z.string().min(1, "must not be empty").describe("What it is called in the agent picker."),
  description: z.string().optional().describe("What it is for, in one sentence."),
  model: z.string().min(1).optional().describe("Model name at the chosen endpoint; absent: the one from the settings."),
  options: ReplyOptions.optional().describe(
    "What is asked of the model's replies: effort, temperature, limits and so on.",
  ),
  fallback: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Asked from then on when the model fails for good before it has shown anything, or its account has nothing left.",
    ),
  tools: z
    .array(z.string())
    .optional()
    .describe(
      "Names of the tools it may use, such as `read_file`, or `mcp__github__*` for all of an MCP server; absent: all.",
    ),
  scope: ScopeRules.optional().describe("What it may touch, in the form of .gitignore: it narrows, and never widens."),
  plan: z
    .enum(["eager", "lazy"])
    .optional()
    .describe("`lazy`: the calls of a reply are shown as a plan, and none starts before a person has approved it."),
  dataFlow: z
    .boolean()
    .optional()
    .describe("False: the model is not told how calls use each other's results, which saves tokens."),
  output: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("JSON Schema of the final answer; absent: it answers in words."),
  context: z
    .array(z.looseObject({ type: z.string() }))
    .optional()
    .describe("Messages of structured context: data and inputs, and, where replies are JSON, meta and advisors."),
  limits: z
    .strictObject({
      maxToolIterations: z.number().int().min(1).max(500).optional().describe("Rounds of calls before it sums up."),
      executionTimeout: z.number().int().min(1_000).optional().describe("Milliseconds that a run may take."),
      toolTimeout: z.number().int().min(100).optional().describe("Milliseconds that a call may take."),
      idleTimeout: z.number().int().min(100).optional().describe("Milliseconds that a command may be silent and idle."),
      maxRunTokens: z.number().int().min(1_000).optional().describe("Tokens that a run may use."),
      maxRunCost: z.number().positive().optional().describe("US dollars that a run may cost."),
    })
    .optional()
    .describe("Limits of its runs; those of its person hold too."),
  approvals: z
    .array(NarrowingRule)
    .optional()
    .describe("Rules beside those of the person: they take rights away and give none."),
  /** (C-38) */
  terminated: z.boolean().optional().describe("Set by hand to refuse further runs."),
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
