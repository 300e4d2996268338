// invokeAgent: a prompt with inputs and tools, by the loop of the Prompty specification, on the one engine.
import { randomUUID } from "node:crypto";
import { basename, dirname } from "node:path";
import type { Outside } from "./agents/openapiTools.ts";
import type { Library } from "./agents/promptyChild.ts";
import { beginningOf, promptMessagesOf, type Beginning } from "./agents/promptyConversation.ts";
import { answerOf, definitionOf } from "./agents/promptyDefinition.ts";
import type { KindHandler } from "./agents/promptyDispatch.ts";
import type { PromptMessage } from "./agents/promptyMessages.ts";
import { fillInputs, prepare } from "./agents/promptyRender.ts";
import { promptyTools } from "./agents/promptyTools.ts";
import { createStream, guarded } from "./engine/emit.ts";
import { execute } from "./engine/execute.ts";
import type { Clock, Emit, Ports, SessionHandle, Tool } from "./engine/ports.ts";
import { launch, nothing, type Outcome, type Run } from "./engine/run.ts";
import { endOfRun, within } from "./engine/traced.ts";
import { guardedTool, openAgent, strict, type AgentObject, type Guardrails, type InvokeTools } from "./invokeParts.ts";
import { finalText, type Forwarding } from "./invokeText.ts";
import type { AgentDefinition } from "./protocol/agents.ts";
import { loopDefaults } from "./protocol/config.ts";
import { LoopError, toFailure } from "./protocol/errors.ts";
import type { LoopEvent } from "./protocol/events.ts";
import type { Params, ToolEntry } from "./protocol/messages.ts";
import type { Span, Traced, Tracer } from "./protocol/tracing.ts";
import { validateJson } from "./tools/jsonSchema.ts";

export interface InvokeOptions {
  readonly signal?: AbortSignal;
  /** Hears every event as it happens, of prompts that are tools too. What it throws is logged. */
  readonly onEvent?: (event: LoopEvent) => void;
  /** Requests to the model at most; default 10. */
  readonly maxIterations?: number;
  /** Whether the calls of one reply run at the same time; their results keep their order. Default false. */
  readonly parallel?: boolean;
  /** What does the work of tools of a kind, where no handler has the tool's name. */
  readonly kinds?: Readonly<Record<string, KindHandler>>;
  readonly guardrails?: Guardrails;
  /** When `text` hands on what the model writes; default `certain`. */
  readonly forwarding?: Forwarding;
  /** Milliseconds that one call may take; default: as long as the run. */
  readonly toolTimeout?: number;
  /** Milliseconds that the run may take; default ten minutes. */
  readonly executionTimeout?: number;
}

/** How an invocation ended, as a value. */
export interface AgentOutcome extends Omit<Outcome, "messages" | "value"> {
  /** The answer: a value where the prompt declares outputs and the model has kept to them, else text. */
  readonly result: unknown;
  /** The conversation in the form of the specification, with the system's messages in front. */
  readonly messages: readonly PromptMessage[];
}

export interface AgentRun extends AsyncIterable<LoopEvent> {
  /** The final answer as it is written, and nothing of replies that end in calls. Throws at its end what `result` does. */
  readonly text: AsyncIterable<string>;
  /** How it ended. Never rejects. */
  readonly outcome: Promise<AgentOutcome>;
  /** The answer. Rejects with AgentError where there is none. */
  readonly result: Promise<unknown>;
  /** Sends a message into the run: the model reads it before its next request. @returns false when it has ended */
  steer(message: string): boolean;
  /** Ends it at the next instant. */
  stop(): void;
}

/** Why an invocation has no answer, with everything there was until then. */
export class AgentError extends LoopError {
  readonly outcome: AgentOutcome;

  constructor(code: LoopError["code"], message: string, outcome: AgentOutcome) {
    super(code, message, { ...(outcome.failure?.details && { details: outcome.failure.details }) });
    this.name = "AgentError";
    this.outcome = outcome;
  }
}

/** What an invocation stands on. */
export interface Surroundings {
  /** Throws LoopError where the agent's connection cannot be used. */
  readonly model: Ports["model"];
  readonly library: Library;
  /** The way of openapi tools to their servers; absent: there is none. */
  readonly outside?: Outside;
  readonly clock: Clock;
  /** Absent: nobody measures. */
  readonly tracer?: Tracer | undefined;
  readonly log: (message: string) => void;
}

/** Starts an agent. Returns at once; what is wrong with it is in its outcome. */
export function startAgent(
  agent: string | AgentObject,
  inputs: Params,
  tools: InvokeTools,
  { around, options }: { readonly around: Surroundings; readonly options: InvokeOptions },
): AgentRun {
  const events = createStream<LoopEvent>();
  const abort = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal;
  const steered: string[] = [];
  let run: Run | null = null;
  let offered = Infinity;
  const text = finalText(options.forwarding ?? "certain", () => offered === 0);
  const heard = options.onEvent && guarded(options.onEvent, around.log);
  const listener: Emit = (event) => {
    events.push(event);
    text.hear(event);
    heard?.(event);
  };
  const span = around.tracer?.begin({ kind: "agent", name: nameOf(agent) }) ?? undefined;
  const outcome = begin({ agent, inputs, tools, around, options, span })
    .then(async (made) => {
      const why = (await options.guardrails?.input?.(made.messages)) ?? null;
      if (why !== null) return { ...failedBefore(new LoopError("guardrail_denied", why)), messages: made.messages };
      offered = made.tools.length;
      run = launchAgent(made, { around, options, signal, span }, listener);
      for (const message of steered) run.steer(message);
      return outcomeOf(made, run, { options, span });
    })
    .catch(failedBefore)
    .then((ended) => {
      span?.end(endOfRun({ ...ended, response: ended.output }));
      return ended;
    })
    .finally(() => {
      events.close();
      text.close();
    });
  const result = outcome.then((ended) => answer(ended, options));
  // Who awaits the outcome alone has not forgotten it.
  result.catch(() => undefined);
  return {
    outcome,
    result,
    text: {
      async *[Symbol.asyncIterator]() {
        yield* text;
        await result;
        const { status } = await outcome;
        if (status === "refusal") throw new LoopError("request_refused", "The model refused.");
      },
    },
    steer: (message) => (run ? run.steer(message) : steered.push(message) > 0),
    stop: () => abort.abort("stopped"),
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  };
}

/** Until it has been read. */
function nameOf(agent: string | AgentObject): string {
  return typeof agent === "string" ? basename(agent, ".prompty") : (agent.name ?? "agent");
}

interface Made {
  readonly definition: AgentDefinition;
  readonly messages: readonly PromptMessage[];
  readonly beginning: Beginning;
  readonly tools: readonly Tool[];
  readonly answer: (text: string) => unknown;
}

interface Asked {
  readonly agent: string | AgentObject;
  readonly inputs: Params;
  readonly tools: InvokeTools;
  readonly around: Surroundings;
  readonly options: InvokeOptions;
  readonly span: Span | undefined;
}

/** Everything that can be wrong before the first request. @throws LoopError */
async function begin({ agent, inputs, tools, around, options, span }: Asked): Promise<Made> {
  const { library } = around;
  const step = (name: "load" | "prepare"): Traced => ({ kind: "step", name });
  const opened = await within(span, step("load"), () => openAgent(agent, tools, library));
  const { prompty, file, variables, names } = opened;
  const messages = await within(span, step("prepare"), () => prepare(prompty, inputs));
  const beginning = beginningOf(messages);
  const chain = { files: file === null ? [] : [file], variables };
  const roots = file === null ? library.roots : [dirname(file), ...library.roots];
  const ask = options.guardrails?.tool;
  const made = await promptyTools(
    { agent: prompty, inputs: fillInputs(prompty.inputs, inputs), chain },
    {
      handlers: { names, kinds: options.kinds ?? {} },
      library: { ...library, roots },
      own: [],
      validate: validateJson,
      outside: around.outside,
      sequential: options.parallel !== true,
      guard: (tool) => guardedTool(tool, ask),
    },
  );
  const { system } = beginning;
  const definition = definitionOf(prompty, { file, variables, system });
  return { definition, messages, beginning, tools: made, answer: (text) => answerOf(prompty, text) };
}

function launchAgent(
  { definition, beginning, tools }: Made,
  { around, options, signal, span }: Pick<Asked, "around" | "options" | "span"> & { readonly signal: AbortSignal },
  listener: Emit,
): Run {
  const { executionTimeout = loopDefaults.executionTimeout, toolTimeout = executionTimeout } = options;
  const limits = { maxToolIterations: maxIterations(options), executionTimeout, toolTimeout };
  const ports: Ports = {
    model: async (agent) => strict(await around.model(agent)),
    tools: () => Promise.resolve(tools),
    // Its caller has chosen the tools, and what they may reach; guardrails have the last word.
    policy: () => ({ kind: "allow" }),
    approve: () => Promise.resolve({ decision: { kind: "reject" }, by: "policy" }),
    validate: validateJson,
    sessions: { open: (id) => Promise.resolve(inMemory(id, beginning)) },
    memory: { read: () => Promise.resolve("") },
    agents: { resolve: () => Promise.resolve(definition) },
    clock: around.clock,
    ids: randomUUID,
    project: () => Promise.resolve(""),
    log: around.log,
  };
  // A call may only begin when the whole reply is there (C-05).
  const config = { ...loopDefaults, ...limits, earlyStart: "off" as const };
  return launch({ signal }, { message: null, listens: true, span, work: execute }, { ports, config }, listener);
}

function maxIterations({ maxIterations: most = loopDefaults.maxToolIterations }: InvokeOptions): number {
  return most;
}

/** A conversation that begins with what the prompt says, and that nobody keeps. */
function inMemory(id: string, { messages }: Beginning): SessionHandle {
  return {
    id,
    history: messages,
    earlier: () => Promise.resolve([]),
    repairs: [],
    append: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
}

async function outcomeOf(
  { beginning, answer }: Made,
  run: Run,
  { options, span }: Pick<Asked, "options" | "span">,
): Promise<AgentOutcome> {
  const { messages, value: _, ...ended } = await run.result;
  const order = new Map(ended.toolCalls.map(({ id }, index) => [id, index]));
  const placeOf = ({ tool_call_id: id }: ToolEntry): number => order.get(id) ?? 0;
  const toolResults = ended.toolResults.toSorted((a, b) => placeOf(a) - placeOf(b));
  const all = promptMessagesOf(beginning.system, messages);
  const result = await within(span, { kind: "step", name: "process" }, () => answer(ended.output));
  const outcome = { ...ended, toolResults, result, messages: all };
  const why = ended.status === "completed" ? ((await options.guardrails?.output?.(ended.output)) ?? null) : null;
  if (why === null) return outcome;
  return { ...outcome, status: "error", failure: toFailure(new LoopError("guardrail_denied", why)) };
}

function failedBefore(error: unknown): AgentOutcome {
  const about = { runId: "", sessionId: "", output: "", duration: 0, result: undefined };
  const { response: _, ...none } = nothing;
  return { ...about, ...none, status: "error", failure: toFailure(error), errors: [], unread: [], messages: [] };
}

function answer(outcome: AgentOutcome, options: InvokeOptions): unknown {
  const { status, failure, result } = outcome;
  switch (status) {
    case "completed":
    case "completed_with_errors":
    case "refusal":
      return result;
    case "max_iterations": {
      const message = `Agent loop exceeded ${maxIterations(options)} iterations`;
      throw new AgentError("iterations_exceeded", message, outcome);
    }
    case "aborted":
      throw new AgentError("run_cancelled", "The agent was stopped.", outcome);
    case "timeout":
    case "stalled":
    case "error":
      throw new AgentError(failure?.code ?? "internal", failure?.message ?? `The agent ended as ${status}.`, outcome);
  }
}
