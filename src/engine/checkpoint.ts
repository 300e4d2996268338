// The safe point before each request: limits that are used up pause the run with a choice; nobody there, they end it (C-03).
import { LoopError, toFailure, type Failure } from "../protocol/errors.ts";
import { repetitions } from "../protocol/config.ts";
import type { PauseChoice, PauseEntry, RunStatus } from "../protocol/messages.ts";
import type { Reached } from "./budget.ts";
import { timestamp, type Running } from "./running.ts";
import { onAbort } from "./timers.ts";

export type Passage =
  | { readonly kind: "go" }
  /** One more request without tools, to say what is done and what is left. */
  | { readonly kind: "sumUp"; readonly status: RunStatus }
  | { readonly kind: "end"; readonly status: RunStatus; readonly failure?: Failure };

/** How often the model has gone round in one circle. */
export interface Turns {
  readonly count: () => number;
  /** Begins the count anew. */
  readonly forget: () => void;
}

const choices: readonly PauseChoice[] = ["continue", "sumUp", "stop"];

/** Decides whether another request may be sent. Never throws. */
export async function checkpoint(run: Running, turns: Turns): Promise<Passage> {
  if (run.budget.closing()) return { kind: "sumUp", status: "max_iterations" };
  const reached = run.budget.reached() ?? circles(turns, run);
  if (!reached) return { kind: "go" };
  if (run.agent.bare && reached.reason === "rounds") return { kind: "end", status: "max_iterations" };
  if (!run.ports.choose) return alone(reached);
  const choice = await choose(reached, run);
  if (choice === null) return { kind: "go" };
  if (choice === "stop") {
    run.stop();
    return { kind: "go" };
  }
  if (choice === "sumUp") {
    reached.close();
    return { kind: "sumUp", status: statusOf(reached) };
  }
  reached.extend();
  return checkpoint(run, turns);
}

function circles({ count: counted, forget }: Turns, run: Running): Reached | null {
  const count = counted();
  if (count < repetitions.pause || !run.ports.choose) return null;
  const message = `The model has made the same calls ${count} times, with the same results.`;
  return { reason: "repetition", message, extend: forget, close: () => undefined };
}

function statusOf({ reason }: Reached): RunStatus {
  if (reason === "time") return "timeout";
  return reason === "repetition" ? "stalled" : "max_iterations";
}

function alone(reached: Reached): Passage {
  if (reached.reason === "rounds") return { kind: "sumUp", status: "max_iterations" };
  return { kind: "end", status: "error", failure: toFailure(new LoopError("budget_spent", reached.message)) };
}

/** Null when the run was stopped meanwhile. */
async function choose({ reason, message }: Reached, run: Running): Promise<PauseChoice | null> {
  const { runId, ports } = run;
  const began = timestamp(ports);
  run.emit({ type: "run:paused", runId, reason, message, choices: [...choices] });
  const { aborted, forget } = onAbort(run.signal);
  run.deadline.pause();
  try {
    const asked = ports.choose?.({ runId, reason, message, choices }, run.signal);
    const choice = await Promise.race([asked ?? Promise.resolve("sumUp" as const), aborted]);
    if (choice === "aborted") return null;
    run.emit({ type: "run:resumed", runId, choice });
    const about = { id: ports.ids(), runId, timestamp: timestamp(ports) };
    const entry: PauseEntry = { type: "pause", ...about, asked: began, reason, message, choice };
    void run.record(entry, { durable: true });
    return choice;
  } catch (error) {
    if (run.signal.aborted) return null;
    ports.log(`Asking how to go on failed: ${String(error)}`);
    return "sumUp";
  } finally {
    forget();
    run.deadline.resume();
  }
}
