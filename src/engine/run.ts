// One run: INTAKE → CONTEXT → EXECUTE → PERSIST, in that order; events always paired, the lock always released.
import pLimit from "p-limit";
import type { AgentDefinition } from "../protocol/agents.ts";
import { maxParallelCalls, type AgentLoopConfig } from "../protocol/config.ts";
import { LoopError, toFailure, type Failure } from "../protocol/errors.ts";
import type { LoopEvent } from "../protocol/events.ts";
import type {
  ContentPart,
  ErrorMessage,
  Message,
  RunStatus,
  ToolCall,
  ToolEntry,
  UserEntry,
} from "../protocol/messages.ts";
import type { RequestRecord, Usage } from "../protocol/usage.ts";
import { noUsage } from "../protocol/usage.ts";
import { together } from "../protocol/together.ts";
import { withAttachments } from "./attachments.ts";
import type { Span } from "../protocol/tracing.ts";
import { createBudget } from "./budget.ts";
import { context, type ContextOutput } from "./context.ts";
import { dataOf } from "./data.ts";
import { delegate } from "./delegate.ts";
import { createStream, guarded } from "./emit.ts";
import { execute, type ExecuteOutput } from "./execute.ts";
import { intake, type IntakeOutput, validateMessage } from "./intake.ts";
import { configFor, limitsOf } from "./limits.ts";
import { createJournal, persist } from "./persist.ts";
import type { Emit, Model, Ports } from "./ports.ts";
import type { WhenBusy } from "./queue.ts";
import { timestamp, type Running } from "./running.ts";
import { createSteering, type Steering } from "./steering.ts";
import { createDeadline } from "./timers.ts";
import { recordTodos } from "./todos.ts";
import { endOfRun, tracedAgent } from "./traced.ts";

export interface RunRequest {
  readonly message: string;
  /** Images, files and audio that the model is shown with the message, where it takes them. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** Absent: a new session. */
  readonly sessionId?: string | undefined;
  /** Make the session when there is none with this id; default: only when no id is given. */
  readonly create?: boolean | undefined;
  /** Name of an agent; absent: the default one. */
  readonly agent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** While another run has the session; absent: it waits. Without a queue in the ports it is busy. */
  readonly whenBusy?: WhenBusy | undefined;
  /** Messages of structured context beside those of the agent, in any of their spellings (LOOP-DATA-4). */
  readonly context?: readonly unknown[] | undefined;
}

/** How a run ended, as a value: nothing is thrown across the engine's border. */
export interface Outcome {
  readonly status: RunStatus;
  readonly runId: string;
  readonly sessionId: string;
  /** The final answer; what there was of it when the run broke off. */
  readonly output: string;
  /** The conversation up to where it ended, results in call order (C-03). */
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolEntry[];
  readonly usage: Usage;
  /** US dollars; absent: not known. */
  readonly cost?: number;
  /** Requests that were sent to the model. */
  readonly iterations: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly failure?: Failure;
  /** The final answer as a value, where the agent has an output schema. */
  readonly value?: unknown;
  /** Calls beside the final answer that did not succeed, in call order (C-02). */
  readonly errors: readonly ErrorMessage[];
  /** Messages sent into the run that it did not come to read. */
  readonly unread: readonly string[];
}

export interface Run extends AsyncIterable<LoopEvent> {
  readonly runId: string;
  readonly sessionId: string;
  /** Never rejects. */
  readonly result: Promise<Outcome>;
  /**
   * Sends a message into the run, with images and files: the model reads it before its next request (BRAIN-QUEUE).
   * @returns false when the run has ended; what it did not read any more is in the outcome's `unread`
   */
  steer(message: string, parts?: RunRequest["parts"]): boolean;
  /**
   * The list of to-dos as the person has made it: the model reads it before its next request.
   * @returns false when the run has ended
   */
  readonly keepTodos: Steering["keep"];
  /** Ends the run at the next instant: no new request, no new call; what runs is stopped. Idempotent. */
  stop(): void;
}

export type Done = Omit<ExecuteOutput, "errors"> & {
  readonly errors?: readonly ErrorMessage[];
  /** Requests that left no line of their own. */
  readonly requests?: readonly RequestRecord[];
};

/** What a run does between CONTEXT and PERSIST. */
export interface Job {
  /** What the person says; null: nothing, the session itself is worked on. */
  readonly message: string | null;
  readonly parts?: RunRequest["parts"];
  /** Whether messages can be sent into it. */
  readonly listens: boolean;
  /** The span that it is measured in, by who ends it; absent: one of its own. */
  readonly span?: Span | undefined;
  /** Never throws. */
  readonly work: (input: ContextOutput, run: Running) => Promise<Done>;
}

export const nothing = {
  response: "",
  messages: [],
  toolCalls: [],
  toolResults: [],
  usage: noUsage,
  iterations: 0,
} as const;

interface Ids {
  readonly runId: string;
  readonly sessionId: string;
  readonly messageId: string;
}

/**
 * Starts a run. Events go to `listener` as they happen and to whoever iterates the run.
 * @returns at once; `result` tells how it ended
 */
export function startRun(request: RunRequest, ports: Ports, config: AgentLoopConfig, listener?: Emit): Run {
  return launch(
    request,
    { message: request.message, parts: request.parts, listens: true, work: execute },
    { ports, config },
    listener,
  );
}

/** Starts a run with another job than to answer a message: the same stages, events and lock. */
export function launch(
  request: Omit<RunRequest, "message">,
  job: Job,
  { ports, config }: Pick<Drive, "ports" | "config">,
  listener?: Emit,
): Run {
  const ids: Ids = { runId: ports.ids(), sessionId: request.sessionId ?? ports.ids(), messageId: ports.ids() };
  const events = createStream<LoopEvent>(together);
  const heard = listener && guarded(listener, ports.log);
  const emit: Emit = (event) => {
    events.push(event);
    heard?.(event);
  };
  const abort = new AbortController();
  const signal = request.signal ? AbortSignal.any([request.signal, abort.signal]) : abort.signal;
  const steering = createSteering();
  if (!job.listens) steering.close();
  const end = (reason: "timeout" | "stopped"): void => abort.abort(reason);
  const result = measured({ request, job, ids, ports, config, emit, signal, steering, end });
  void result.then(() => events.close());
  return {
    ...ids,
    result,
    steer: (content, parts) => content.trim() !== "" && steering.push({ content, parts }),
    keepTodos: (todos) => steering.keep(todos),
    stop: () => end("stopped"),
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  };
}

interface Drive {
  readonly request: Omit<RunRequest, "message">;
  readonly job: Job;
  readonly ids: Ids;
  readonly ports: Ports;
  readonly config: AgentLoopConfig;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly steering: Steering;
  readonly end: (reason: "timeout" | "stopped") => void;
  readonly span?: Span | undefined;
}

async function driven(drive: Drive): Promise<Outcome> {
  const { job, ids, ports, emit } = drive;
  const { runId, sessionId, messageId } = ids;
  const message = job.message ?? "";
  const started = ports.clock.now();
  const elapsed = (): number => Math.max(0, ports.clock.now() - started);
  emit({ type: "loop:start", runId, sessionId, message, messageId, timestamp: timestamp(ports) });
  let done: Done;
  try {
    done = await inTurn(drive, elapsed);
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === "internal") ports.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    done = { ...nothing, status: "error", failure, unread: drive.steering.close() };
  }
  if (done.failure) emit({ type: "loop:error", runId, error: done.failure });
  emit({
    type: "loop:end",
    runId,
    success: done.status === "completed",
    duration: elapsed(),
    status: done.status,
    usage: done.usage,
    ...(done.cost !== undefined && { cost: done.cost }),
    iterations: done.iterations,
  });
  const { response, errors = [], took: _took, requests: _requests, ...rest } = done;
  return { runId, sessionId, output: response, errors, duration: elapsed(), ...rest };
}

/** The run inside its span. Which agent it is gets known once the agents were read. */
async function measured(drive: Drive): Promise<Outcome> {
  const { request, job, ids, ports } = drive;
  const { sessionId } = ids;
  const own = job.span ? null : ports.tracer?.begin({ kind: "agent", name: request.agent ?? "default", sessionId });
  const outcome = await driven({ ...drive, span: job.span ?? own ?? undefined });
  own?.end(endOfRun({ ...outcome, response: outcome.output }));
  return outcome;
}

/** Waits for its turn first, before anything is read or written. */
async function inTurn(drive: Drive, elapsed: () => number): Promise<Done> {
  const { request, job, ids, ports, config, signal, steering, end } = drive;
  if (job.message !== null) validateMessage(job.message);
  const { sessionId } = ids;
  const { whenBusy = "queue" } = request;
  const leave = await ports.queue?.enter({ sessionId, whenBusy, signal, stop: () => end("stopped"), limits: config });
  if (leave === null) return { ...nothing, status: "aborted", unread: steering.close() };
  return stages(drive, elapsed).finally(leave);
}

async function stages(drive: Drive, elapsed: () => number): Promise<Done> {
  const { request, job, ids, ports, emit } = drive;
  const { runId, sessionId } = ids;
  const create = request.create ?? request.sessionId === undefined;
  const taken = await intake({ runId, message: job.message, sessionId, create, agentPath: request.agent }, ports);
  const handOver = (): void => {
    emit({ type: "run:handover", runId });
    drive.end("stopped");
  };
  taken.session.wanted?.addEventListener("abort", handOver, { once: true });
  try {
    const journal = createJournal(taken.session, runId, emit, ports.log);
    for (const repair of taken.session.repairs) emit({ type: "loop:notice", runId, level: "warning", message: repair });
    const done = await work(drive, taken, journal.record).catch((error: unknown): Done => {
      recordTodos({ runId, ports, emit, record: journal.record, steering: drive.steering });
      return { ...nothing, status: "error", failure: toFailure(error), unread: drive.steering.close() };
    });
    emit({ type: "loop:persist", runId });
    await persist({ runId, duration: elapsed(), failure: undefined, ...done }, journal, ports);
    return done;
  } finally {
    taken.session.wanted?.removeEventListener("abort", handOver);
    await taken.session.release();
  }
}

async function work(drive: Drive, { agentDef, session }: IntakeOutput, record: Running["record"]): Promise<Done> {
  const { ids, ports, emit, signal } = drive;
  const { runId } = ids;
  const config = configFor(drive.config, agentDef);
  drive.span?.become(tracedAgent(agentDef, ids.sessionId));
  const said = messageOf(drive, config, agentDef);
  const message = said && (await withAttachments(said, ports, { agent: agentDef, signal, emit }));
  if (message) await record(message, { durable: true });
  const model = await ports.model(agentDef);
  const data = dataOf([...(agentDef.context ?? []), ...(drive.request.context ?? [])]);
  const made = await context({ agentDef, session, message, model, config, data }, ports);
  const { tokenEstimate, holds, tools, notices } = made;
  for (const notice of notices) emit({ type: "loop:notice", runId, level: "warning", message: notice });
  const { contextWindow } = model;
  emit({ type: "loop:context", runId, tokenEstimate, contextWindow, holds, agent: agentDef.name, model: model.id });
  const { budget, deadline } = metersFor(drive, config, model);
  const requests: RequestRecord[] = [];
  try {
    const run: Running = {
      runId,
      sessionId: ids.sessionId,
      signal,
      ports,
      agent: agentDef,
      config,
      emit,
      deadline,
      budget,
      steering: drive.steering,
      limit: pLimit(maxParallelCalls),
      model,
      tools,
      state: [...data],
      record,
      unwritten: (more) => void requests.push(...more),
      narrowing: [agentDef.approvals ?? []],
      depth: 1,
      delegate,
      span: drive.span,
      stop: () => drive.end("stopped"),
    };
    return { ...timedOut(await drive.job.work(made, run), config), requests };
  } finally {
    deadline.clear();
  }
}

function messageOf({ job, ids, ports }: Drive, config: AgentLoopConfig, agentDef: AgentDefinition): UserEntry | null {
  if (job.message === null) return null;
  return {
    role: "user",
    content: job.message,
    ...(job.parts?.length && { parts: [...job.parts] }),
    timestamp: timestamp(ports),
    id: ids.messageId,
    runId: ids.runId,
    agent: agentDef.name,
    ...setupOf(config, agentDef),
  };
}

/** What a transcript must say so that the run can be done again. */
function setupOf(config: AgentLoopConfig, { output }: AgentDefinition): Pick<UserEntry, "setup"> {
  const { plan, dataFlow, earlyStart, reconsiderOnError } = config;
  const setup: UserEntry["setup"] = {
    ...(plan === "lazy" && { plan }),
    ...(!dataFlow && { dataFlow }),
    ...(earlyStart !== "all" && { earlyStart }),
    ...(reconsiderOnError && { reconsiderOnError }),
    ...(output && { output }),
  };
  return Object.keys(setup).length === 0 ? {} : { setup };
}

/** Where somebody can choose, the end of the time is a question at the next safe point; else it ends the run. */
function metersFor(
  { ports, end }: Drive,
  config: AgentLoopConfig,
  { price }: Model,
): Pick<Running, "budget" | "deadline"> {
  const expired = (): void => (ports.choose ? budget.late() : end("timeout"));
  const deadline = createDeadline(ports.clock, config.executionTimeout, expired);
  const budget = createBudget({ limits: limitsOf(config), price, moreTime: () => deadline.restart() });
  return { budget, deadline };
}

function timedOut(output: ExecuteOutput, config: AgentLoopConfig): Done {
  if (output.status !== "timeout") return output;
  const minutes = config.executionTimeout / 60_000;
  const message = `The run was ended after ${minutes.toLocaleString("en")} minutes of work.`;
  return { ...output, failure: { ...toFailure(new LoopError("run_timeout", message)) } };
}
