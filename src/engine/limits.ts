// The limits of one run: what the settings say, what its agent says, and that a delegate only narrows them. Pure.
import type { AgentDefinition } from "../protocol/agents.ts";
import type { AgentLoopConfig } from "../protocol/config.ts";
import type { Limits } from "./budget.ts";

/** An agent's own limits and habits in place of the general ones. */
export function configFor(config: AgentLoopConfig, { limits, plan, dataFlow }: AgentDefinition): AgentLoopConfig {
  const own = Object.entries({ ...limits, plan, dataFlow }).filter(([, value]) => value !== undefined);
  return { ...config, ...Object.fromEntries(own) };
}

/** The same for an agent that works inside another's run: it may have less, and is asked about no less (LOOP-DEL-4). */
export function narrowed(config: AgentLoopConfig, agent: AgentDefinition): AgentLoopConfig {
  const own = configFor(config, agent);
  return {
    ...own,
    maxToolIterations: Math.min(config.maxToolIterations, own.maxToolIterations),
    executionTimeout: Math.min(config.executionTimeout, own.executionTimeout),
    toolTimeout: Math.min(config.toolTimeout, own.toolTimeout),
    maxRunTokens: tighter(config.maxRunTokens, own.maxRunTokens),
    maxRunCost: tighter(config.maxRunCost, own.maxRunCost),
    plan: config.plan === "lazy" ? "lazy" : own.plan,
  };
}

/** 0 is no limit. */
function tighter(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b);
}

export function limitsOf(config: AgentLoopConfig): Limits {
  const { maxToolIterations: rounds, maxRunTokens: tokens, maxRunCost: cost, executionTimeout: time } = config;
  return { rounds, tokens, cost, time };
}
