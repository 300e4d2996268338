// Agents without an editor and without a `.brain` folder: invokeAgent as `dist/engine.js` exports it, with the connection that its caller gives.
import { choiceFor, ownEndpoint, type EndpointQuestion } from "./composeEndpoint.ts";
import { outsideBy } from "./composeOpenapi.ts";
import { systemClock } from "./compose.ts";
import { chooseModel, type ModelChoice } from "./composeModel.ts";
import { createTracing, type TraceOptions } from "./composeTracing.ts";
import { startAgent as start, type AgentRun, type InvokeOptions, type Surroundings } from "./invoke.ts";
import { readAgent, type AgentObject, type InvokeTools, type LoadedAgent } from "./invokeParts.ts";
import { loopDefaults, type ProviderName } from "./protocol/config.ts";
import type { Params } from "./protocol/messages.ts";

export interface AgentOptions extends InvokeOptions, Partial<Omit<ModelChoice, "price" | "provider">> {
  /** Default: what the agent's file says, else Chat Completions. */
  readonly provider?: Exclude<ProviderName, "demo">;
  /**
   * Origins, such as `https://models.example`, that the file of an agent may name as its endpoint and that its openapi
   * tools may reach; or who is asked about each. Default none: they are refused before anything is sent.
   */
  readonly endpoints?: readonly string[] | ((question: EndpointQuestion) => boolean | Promise<boolean>);
  /** Where `${env:…}` in front matter is read; default: the environment of this process. */
  readonly env?: (name: string) => string | undefined;
  /** Folders that files and prompts may be in, beside the folder of the agent that is run. */
  readonly roots?: readonly string[];
  /** Where it is measured to; default: nowhere. */
  readonly trace?: TraceOptions;
  readonly log?: (message: string) => void;
}

type FileOptions = Pick<AgentOptions, "env" | "roots">;

/**
 * Runs an agent: a .prompty by its path, one that was loaded, or an object with its keys (PROMPTY-9.0-1).
 * @param inputs by their names; those with a default may be left out
 * @param tools handlers by the name of their tool, or tools with handlers; sync or async
 * @returns the answer: text, or a value where the prompt declares outputs
 * @throws AgentError (a LoopError with the outcome): `iterations_exceeded` (“Agent loop exceeded 10 iterations”),
 * `tool_unknown`, `tool_invalid`, `agent_invalid`, `input_invalid`, `endpoint_refused`, `guardrail_denied`, `run_cancelled`, …
 */
export function invokeAgent(
  agent: string | AgentObject,
  inputs: Params = {},
  tools: InvokeTools = {},
  options: AgentOptions = {},
): Promise<unknown> {
  return startAgent(agent, inputs, tools, options).result;
}

/** The same with everything there is to see: events, the final text as it is written, and how it ended as a value. */
export function startAgent(
  agent: string | AgentObject,
  inputs: Params = {},
  tools: InvokeTools = {},
  options: AgentOptions = {},
): AgentRun {
  return start(agent, inputs, tools, { around: surroundings(options), options });
}

/** Reads a .prompty, to be invoked later. @throws LoopError `agent_invalid` with every problem and its line */
export function loadAgent(path: string, options: FileOptions = {}): Promise<LoadedAgent> {
  return readAgent(path, libraryOf(options));
}

function libraryOf({ env = (name) => process.env[name], roots = [] }: FileOptions): Surroundings["library"] {
  return { env, roots };
}

function surroundings(options: AgentOptions): Surroundings {
  const { endpoints = [], model = "", contextWindow = loopDefaults.contextWindow, toolCalling, trace } = options;
  const { log = () => undefined } = options;
  const confirm = async (question: EndpointQuestion): Promise<boolean> =>
    typeof endpoints === "function" ? endpoints(question) : endpoints.includes(question.origin);
  const keyFor = (connection: { readonly apiKey?: string }): Promise<string> =>
    Promise.resolve(connection.apiKey ?? "");
  return {
    model: async (agent) => {
      const own = { ...ownEndpoint(agent, options), model, contextWindow, ...(toolCalling && { toolCalling }) };
      const choice = await choiceFor(agent, own, { confirm, keyFor });
      return chooseModel(choice, agent, { clock: systemClock, demoUrl: noDemo });
    },
    library: libraryOf(options),
    outside: outsideBy({ confirm, keyFor }),
    clock: systemClock,
    ...(trace && { tracer: createTracing(() => trace, { clock: systemClock, log }).tracer }),
    log,
  };
}

function noDemo(): Promise<string> {
  return Promise.reject(new Error("The demo is not served to agents."));
}
