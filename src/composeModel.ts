// Which model a run asks: what the person has chosen, as far as its agent does not ask for another.
import { randomUUID } from "node:crypto";
import { handlersOf } from "./engine/handlers.ts";
import { jsonSolutions } from "./engine/jsonSolutions.ts";
import type { Clock, Model, Price } from "./engine/ports.ts";
import type { AgentDefinition } from "./protocol/agents.ts";
import type { ReplyOptions } from "./protocol/replyOptions.ts";
import { loopDefaults, type ProviderName, type ToolCalling } from "./protocol/config.ts";
import { addressOf } from "./protocol/settings.ts";
import { createModel } from "./providers/catalog.ts";
import { findEditorModel, type EditorModels } from "./providers/editorModel.ts";
import { withFallback } from "./providers/fallback.ts";
import { knownModel, type ModelFacts } from "./providers/knownModels.ts";
import type { LessonBook } from "./providers/lessons.ts";
import { findingTools } from "./providers/textCalls.ts";

/** Which model to ask, read anew for every run. */
export interface ModelChoice {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  /** 0: as many as are known to be. */
  readonly contextWindow: number;
  /** Of `model`; absent: as far as it is known. */
  readonly price?: Price;
  /** What is asked of its replies; what an agent asks counts before it. */
  readonly reply?: ReplyOptions;
  /** Sends requests to the endpoint; absent: the global one. */
  readonly fetch?: typeof fetch;
  /** Absent: `native`. */
  readonly toolCalling?: ToolCalling;
  /** What the endpoint itself says of its models; absent: it is not asked. */
  readonly discovered?: (model: string) => ModelFacts | Promise<ModelFacts>;
}

/** What models are made with. */
export interface ModelParts {
  readonly clock: Clock;
  readonly demoUrl: () => Promise<string>;
  /** Absent: there is no editor. */
  readonly editorModels?: EditorModels | undefined;
  /** What models have refused before; absent: each run finds it out by itself. */
  readonly lessons?: LessonBook;
}

/**
 * The model that a run asks: its agent may name another one of the same endpoint, and one that is asked where that fails.
 * Throws LoopError where the choice cannot be used.
 */
export async function chooseModel(choice: ModelChoice, agent: AgentDefinition, parts: ModelParts): Promise<Model> {
  if (choice.provider === "demo") return modelNamed("demo", { choice, agent, parts }, {});
  const model = await usableModel(agent.model ?? choice.model, { choice, agent, parts });
  if (agent.fallback === undefined) return model;
  return withFallback(model, await usableModel(agent.fallback, { choice, agent, parts }));
}

interface Choosing {
  readonly choice: ModelChoice;
  readonly agent: AgentDefinition;
  readonly parts: ModelParts;
}

/** With tools in the form that it knows. */
async function usableModel(name: string, choosing: Choosing): Promise<Model> {
  const { choice, agent } = choosing;
  const { toolCalling = "native" } = choice;
  const facts = await factsOf(name, choice);
  const model = await modelNamed(name, choosing, facts);
  if (toolCalling === "native") return model;
  const inText = jsonSolutions(model, { ids: randomUUID, handlers: handlersOf(agent.context ?? []) });
  if (toolCalling === "json" || facts.tools === false) return inText;
  return findingTools(model, inText);
}

async function modelNamed(name: string, { choice, agent, parts }: Choosing, facts: ModelFacts): Promise<Model> {
  const { clock, demoUrl, editorModels, lessons } = parts;
  const { provider, baseUrl, apiKey, fetch } = choice;
  const reply = { ...choice.reply, ...agent.options };
  const common = {
    provider,
    baseUrl,
    apiKey,
    reply,
    ...(fetch && { fetch }),
    ...(lessons && { lessons }),
    model: name,
    clock,
  };
  if (provider === "vscode") {
    const editorChat = findEditorModel((await editorModels?.()) ?? [], name);
    return createModel({
      ...common,
      editorChat,
      contextWindow: windowOf(choice, { window: editorChat.maxInputTokens }),
    });
  }
  const price = (name === choice.model ? choice.price : undefined) ?? facts.price;
  const served = provider === "demo" ? { demoUrl: await demoUrl() } : {};
  const { thinking = false } = facts;
  const asked = { ...common, ...served, ...(price && { price }), thinking, contextWindow: windowOf(choice, facts) };
  return { ...createModel(asked), provider };
}

/** What a person has set counts most, then what the endpoint says, then what is known of the model. */
async function factsOf(name: string, { provider, baseUrl, discovered }: ModelChoice): Promise<ModelFacts> {
  // The address of the settings is not where the editor's models are.
  if (provider === "vscode") return {};
  const host = URL.parse(addressOf(provider, baseUrl))?.host ?? "";
  const known = knownModel(host, name);
  return { ...known, ...(await discovered?.(name)) };
}

function windowOf({ contextWindow }: ModelChoice, { window = 0 }: ModelFacts): number {
  return contextWindow || window || loopDefaults.contextWindow;
}
