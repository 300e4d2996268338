// What every part of one run shares: its id, its signal, its clocks, where events go. Plain data, made once in run.ts.
import type { LimitFunction } from "p-limit";
import type { AgentDefinition } from "../protocol/agents.ts";
import type { AgentLoopConfig } from "../protocol/config.ts";
import type { Entry } from "../protocol/messages.ts";
import type { RequestRecord } from "../protocol/usage.ts";
import type { Rule } from "../protocol/rules.ts";
import type { Span } from "../protocol/tracing.ts";
import type { Budget } from "./budget.ts";
import type {
  Durability,
  CallContext,
  DelegateRequest,
  Emit,
  Model,
  Ports,
  PromptRequest,
  Tool,
  ToolResult,
} from "./ports.ts";
import type { DataMessage } from "./state.ts";
import type { Steering } from "./steering.ts";
import type { Deadline } from "./timers.ts";

export interface Running {
  readonly runId: string;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly ports: Ports;
  readonly agent: AgentDefinition;
  readonly config: AgentLoopConfig;
  readonly emit: Emit;
  readonly deadline: Deadline;
  readonly budget: Budget;
  readonly steering: Steering;
  /** At most so many calls at work at the same time. */
  readonly limit: LimitFunction;
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** What calls of this run have written for others, oldest first. */
  readonly state: DataMessage[];
  /** Appends to the transcript in order; a disk that refuses is told to the person and does not fail the run (BRAIN-PERS-4). */
  readonly record: (entry: Entry, options?: Durability) => Promise<void>;
  /** Keeps what requests took that left no line of their own, for the line at the run's end. */
  readonly unwritten: (requests: readonly RequestRecord[]) => void;
  /** Rules of each agent on the way to this run, its own last. */
  readonly narrowing: readonly (readonly Rule[])[];
  /** 1 for a person's own run, one more for each delegate on the way. */
  readonly depth: number;
  readonly delegate: Delegate;
  /** What it does is measured inside this; absent: nobody measures. */
  readonly span?: Span | undefined;
  /** Ends the whole run, as its person can. */
  readonly stop: () => void;
}

/** Runs an agent as the work of one call of a run. Never rejects. */
export type Delegate = (request: DelegateRequest | PromptRequest, caller: Caller, run: Running) => Promise<ToolResult>;

export interface Caller {
  readonly toolCallId: string;
  readonly context: Pick<CallContext, "signal" | "output">;
}

/** The moment as the transcript writes it. */
export function timestamp(ports: Ports): string {
  return new Date(ports.clock.now()).toISOString();
}

/** Asked through a function, because the signal changes behind the compiler's back. */
export function isStopped({ signal }: Running): boolean {
  return signal.aborted;
}
