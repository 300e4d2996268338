// CONTEXT: everything the model needs to answer: system prompt, history, tools, and how much of its window they fill.
import type { AgentDefinition } from "../protocol/agents.ts";
import type { ContextHolds } from "../protocol/contextParts.ts";
import { maxRulesLength, type AgentLoopConfig } from "../protocol/config.ts";
import { isMessage, type Entry, type Message, type UserEntry } from "../protocol/messages.ts";
import { meansTool } from "../protocol/rules.ts";
import { conversation } from "./conversation.ts";
import { charactersPerToken, estimateFrom, type Anchor } from "./estimate.ts";
import { renderData } from "./data.ts";
import { holdsOf } from "./holds.ts";
import { formOf, outputTool } from "./output.ts";
import type { Earlier, Model, Ports, Rules, SessionHandle, Tool } from "./ports.ts";
import { smallWindow, systemPrompt, toolSpecs } from "./prompt.ts";
import { timestamp } from "./running.ts";
import type { DataMessage } from "./state.ts";
import { thresholds } from "./thresholds.ts";

export interface ContextInput {
  readonly agentDef: AgentDefinition;
  readonly session: SessionHandle;
  /** Null: the session is looked at as it is. */
  readonly message: UserEntry | null;
  readonly model: Model;
  readonly config: AgentLoopConfig;
  readonly data: readonly DataMessage[];
}

export interface ContextOutput {
  readonly systemPrompt: string;
  /** With the new message as its last. */
  readonly history: readonly Message[];
  readonly tools: readonly Tool[];
  readonly tokenEstimate: number;
  readonly memoryContext: string;
  /** What the estimate is made of. */
  readonly holds: ContextHolds;
  /** Sentences for the person about rules that the model is not shown, and tools that are missing. */
  readonly notices: readonly string[];
  /** The transcript from the session's history on, up to and with the new message. */
  readonly entries: readonly Entry[];
  readonly earlier: Earlier;
  /** What the last request of the session took; null: not known. */
  readonly anchor: Anchor | null;
  /** Writes the system prompt anew, with what memory says by then. */
  readonly renew: () => Promise<string>;
}

/**
 * The stage of the specification. What does not fit is made to fit before each request, this one too (C-33).
 * Throws LoopError `bad_setting` when the thresholds contradict each other.
 */
export async function context(input: ContextInput, ports: Ports): Promise<ContextOutput> {
  const { agentDef, session, message, model, config, data } = input;
  const told: string[] = [];
  const [memoryContext, project, { text: rules, notices }, offered] = await Promise.all([
    ports.memory.read(),
    ports.project(),
    rulesFor(model, ports),
    ports.tools(agentDef, (notice) => void told.push(notice)),
  ]);
  const tools = toolsFor(agentDef, offered, model, ports);
  const window = model.contextWindow;
  const date = timestamp(ports).slice(0, "YYYY-MM-DD".length);
  const blocks = renderData(data);
  const promptWith = (memory: string): string =>
    systemPrompt({ agent: agentDef, tools, project, rules, memory, data: blocks, date, config, window });
  const prompt = promptWith(memoryContext);
  const entries = message ? [...session.history, message] : session.history;
  const { earlier } = session;
  const history = conversation(entries);
  const specs = toolSpecs(tools, model, config);
  const anchor = anchorIn(session.history, model);
  const request = { system: prompt, messages: history, tools: specs };
  const tokenEstimate = estimateFrom(anchor, request);
  const holds = holdsOf(request, tokenEstimate, thresholds({ ...config, contextWindow: window }));
  const renew = async (): Promise<string> => promptWith(await ports.memory.read());
  return {
    systemPrompt: prompt,
    history,
    tools,
    tokenEstimate,
    memoryContext,
    holds,
    notices: [...notices, ...told],
    entries,
    earlier,
    anchor,
    renew,
  };
}

/** What rules may take of a window at most, so that there is room for the work. */
const rulesShare = 0.2;

/** The rules of the project, as far as this model has room for them. */
export async function rulesFor({ contextWindow }: Model, { rules }: Ports): Promise<Rules> {
  const maxLength = Math.min(maxRulesLength, Math.floor(contextWindow * rulesShare * charactersPerToken));
  return (await rules?.(maxLength)) ?? { text: "", notices: [] };
}

/** As the last run left it, with the same model: another one counts otherwise. */
function anchorIn(history: readonly Entry[], { id }: Model): Anchor | null {
  const last = history.findLast((entry) => !isMessage(entry) && entry.type === "run_end");
  if (!last || isMessage(last) || last.type !== "run_end") return null;
  if (last.took?.model !== id) return null;
  const { tokens, own, measure } = last.took;
  return { tokens, own, measure };
}

/** Of two tools with one name the last counts (LOOP-SCHEMA-4). */
function toolsFor(
  agent: AgentDefinition,
  offered: readonly Tool[],
  model: Model,
  { validate }: Ports,
): readonly Tool[] {
  const { output, bare, prompt } = agent;
  // What a .prompty has declared is all that was offered, and may be called otherwise than there.
  const tools = prompt === undefined ? agent.tools : undefined;
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const isSmall = model.contextWindow < smallWindow;
  const allowed = [...byName.values()].filter(
    ({ name, spare }) => tools?.some((named) => meansTool(named, name)) ?? !(isSmall && spare),
  );
  return output && !bare && !formOf(agent, model) ? [...allowed, outputTool(output, validate)] : allowed;
}
