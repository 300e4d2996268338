// Which model a run asks: what the person has chosen, as far as its agent does not ask for another.
import { randomUUID } from "node:crypto";
import { handlersOf } from "./engine/handlers.ts";
import { jsonSolutions } from "./engine/jsonSolutions.ts";
import type { Clock, Model, Price } from "./engine/ports.ts";
import type { AgentDefinition } from "./protocol/agents.ts";
import type { ProviderName, ToolCalling } from "./protocol/config.ts";
import { createModel } from "./providers/catalog.ts";

/** Which model to ask, read anew for every run. */
export interface ModelChoice {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  /** Of `model`; absent: not known. */
  readonly price?: Price;
  /** Absent: `native`. */
  readonly toolCalling?: ToolCalling;
}

/** The model that a run asks: its agent may name another one of the same endpoint. Throws LoopError where the choice cannot be used. */
export async function chooseModel(
  choice: ModelChoice,
  agent: AgentDefinition,
  { clock, demoUrl }: { readonly clock: Clock; readonly demoUrl: () => Promise<string> },
): Promise<Model> {
  const { price, toolCalling, ...rest } = choice;
  const demo = rest.provider === "demo";
  const name = demo ? "demo" : (agent.model ?? rest.model);
  const known = price && name === rest.model ? { price } : {};
  const served = demo ? { demoUrl: await demoUrl() } : {};
  const made = createModel({ ...rest, ...known, ...served, model: name, clock });
  const model = { ...made, provider: rest.provider };
  if (demo || toolCalling !== "json") return model;
  return jsonSolutions(model, { ids: randomUUID, handlers: handlersOf(agent.context ?? []) });
}
