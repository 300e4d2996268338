// AGENT.md: front matter that says what the agent is and may, and below it, in its own words, who it is.
import { type AgentDefinition, AgentFrontMatter } from "../protocol/agents.ts";
import { parseFrontMatter } from "./frontMatter.ts";

export type ParsedAgent =
  /** `warnings`: one sentence for each thing that is hardly meant as it is written. */
  { readonly agent: AgentDefinition; readonly warnings?: readonly string[] } | { readonly problems: readonly string[] };

/**
 * Reads the text of an AGENT.md.
 * @param source where it is, relative to the workspace
 * @returns the agent, or one sentence for each problem, such as `AGENT.md:3: id: use lower-case letters, …`
 */
export function parseAgentFile(text: string, source: string): ParsedAgent {
  const parsed = parseFrontMatter(text, AgentFrontMatter);
  if ("problems" in parsed)
    return { problems: parsed.problems.map(({ line, message }) => `AGENT.md:${line}: ${message}`) };
  return { agent: { ...parsed.data, identity: parsed.body.trim(), source } };
}
