// What every part of one run shares: its id, its signal, its clocks, where events go. Plain data, made once in run.ts.
import type { LimitFunction } from "p-limit";
import type { AgentLoopConfig } from "../protocol/config.ts";
import type { Entry } from "../protocol/messages.ts";
import type { Emit, Model, Ports, Tool } from "./ports.ts";
import type { DataMessage } from "./state.ts";
import type { Deadline } from "./timers.ts";

export interface Running {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly ports: Ports;
  readonly config: AgentLoopConfig;
  readonly emit: Emit;
  readonly deadline: Deadline;
  /** At most so many calls at work at the same time. */
  readonly limit: LimitFunction;
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** What calls of this run have written for others, oldest first. */
  readonly state: DataMessage[];
  /** Appends to the transcript in order; a disk that refuses is told to the person and does not fail the run (BRAIN-PERS-4). */
  readonly record: (...entries: Entry[]) => Promise<void>;
}

/** The moment as the transcript writes it. */
export function timestamp(ports: Ports): string {
  return new Date(ports.clock.now()).toISOString();
}
