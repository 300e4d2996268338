// PERSIST: what the run leaves behind. Every line was written when it happened; here the end is marked and the rest awaited.
import type { Failure } from "../protocol/errors.ts";
import { toFailure } from "../protocol/errors.ts";
import type { Entry, RunEndEntry, RunStatus } from "../protocol/messages.ts";
import type { RequestRecord, Usage } from "../protocol/usage.ts";
import type { Durability, Emit, Ports, SessionHandle } from "./ports.ts";
import { timestamp, type Running } from "./running.ts";

export interface Journal {
  /** Appends in order. Never rejects: a disk that refuses is told once, and the run goes on (BRAIN-PERS-4, -5). */
  readonly record: Running["record"];
  /** True while every line so far is on the disk. */
  readonly complete: () => boolean;
}

/** The one way from a run to its session's transcript. */
export function createJournal(session: SessionHandle, runId: string, emit: Emit, log: Ports["log"]): Journal {
  let failing = false;
  const told = new Set<string>();
  const record = async (entry: Entry, options?: Durability): Promise<void> => {
    try {
      await session.append([entry], options);
      failing = false;
    } catch (error) {
      const { message, next } = toFailure(error);
      log(`The transcript could not be written: ${message}`);
      if (!told.has(message))
        emit({
          type: "loop:notice",
          runId,
          level: "warning",
          message: `${message} ${next} The lines are kept and written as soon as it works.`,
        });
      told.add(message);
      failing = true;
    }
  };
  return { record, complete: () => !failing };
}

export interface PersistInput {
  readonly runId: string;
  readonly status: RunStatus;
  readonly usage: Usage;
  readonly cost?: number;
  readonly iterations: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly failure: Failure | undefined;
  /** Those that left no line of their own. */
  readonly requests?: readonly RequestRecord[];
  /** So that the next run need not guess how much of the window is full. */
  readonly took?: RunEndEntry["took"];
}

export interface PersistOutput {
  readonly transcriptUpdated: boolean;
  readonly sessionUpdated: boolean;
  /** Memory is written by its tool at once; flushing it at this point belongs to compaction. */
  readonly memoryUpdated: boolean;
}

/** The stage of the specification. Never throws. The lock is released by the caller, after this (C-08). */
export async function persist(input: PersistInput, journal: Journal, ports: Ports): Promise<PersistOutput> {
  const { runId, status, usage, cost, iterations, duration, failure, requests = [], took } = input;
  const end: RunEndEntry = {
    type: "run_end",
    id: ports.ids(),
    runId,
    timestamp: timestamp(ports),
    status,
    duration,
    usage,
    ...(cost !== undefined && { cost }),
    iterations,
    ...(requests.length > 0 && { requests: [...requests] }),
    ...(took && { took }),
    ...(failure && { error: { ...failure } }),
  };
  await journal.record(end, { durable: true });
  return { transcriptUpdated: journal.complete(), sessionUpdated: journal.complete(), memoryUpdated: false };
}
