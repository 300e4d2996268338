// Whose turn it is in each session: one run at a time, the rest in order; nobody waits for ever, and who is stopped never runs.
import type { AgentLoopConfig } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Clock } from "./ports.ts";

/** What a run does while another one has its session: waits, is not started, or ends the other one. */
export type WhenBusy = "queue" | "drop" | "interrupt";

export interface Turn {
  readonly sessionId: string;
  readonly whenBusy: WhenBusy;
  /** Aborted: it does not want to run any more. */
  readonly signal: AbortSignal;
  /** Ends the run, once it has its turn. */
  readonly stop: () => void;
  readonly limits: Pick<AgentLoopConfig, "queueTimeout" | "maxQueueDepth">;
}

/** Gives the session to who is next. Idempotent. */
export type Leave = () => void;

export interface Queue {
  /**
   * Takes a place at once and waits for its turn (BRAIN-CONC-1 to -7, -11). What interrupts goes before what waits, in order
   * with others of its kind.
   * @returns null when it was stopped while it waited
   * @throws LoopError `session_busy` when it may not wait, `queue_timeout` when it has waited too long
   */
  enter(turn: Turn): Promise<Leave | null>;
}

interface Waiting {
  readonly turn: Turn;
  readonly begin: () => void;
}

/** Of one session that a run has. */
interface Line {
  running: Turn;
  waiting: readonly Waiting[];
}

/** @param clock measures how long is waited */
export function createQueue(clock: Clock): Queue {
  const lines = new Map<string, Line>();
  const leaving = (line: Line, turn: Turn): Leave => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next, ...rest] = line.waiting;
      line.waiting = rest;
      // Handed over, so that nobody who comes just now can be faster.
      if (next) line.running = next.turn;
      else lines.delete(turn.sessionId);
      next?.begin();
    };
  };
  return {
    async enter(turn) {
      const line = lines.get(turn.sessionId);
      if (line) return (await waitIn(line, turn, clock)) ? leaving(line, turn) : null;
      const made: Line = { running: turn, waiting: [] };
      lines.set(turn.sessionId, made);
      return leaving(made, turn);
    },
  };
}

/** @returns false when it was stopped */
function waitIn(line: Line, turn: Turn, clock: Clock): Promise<boolean> {
  const { signal, whenBusy, limits } = turn;
  refuse(line, turn);
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const settle = (how: () => void): void => {
      forget();
      signal.removeEventListener("abort", stopped);
      line.waiting = line.waiting.filter((other) => other !== own);
      how();
    };
    const stopped = (): void => settle(() => resolve(false));
    const forget = clock.after(limits.queueTimeout, () => settle(() => reject(tooLong(limits.queueTimeout))));
    const own: Waiting = { turn, begin: () => settle(() => resolve(true)) };
    signal.addEventListener("abort", stopped);
    const behind = line.waiting.findLastIndex((other) => other.turn.whenBusy === "interrupt");
    const place = whenBusy === "interrupt" ? behind + 1 : line.waiting.length;
    line.waiting = line.waiting.toSpliced(place, 0, own);
    if (whenBusy === "interrupt") line.running.stop();
  });
}

function refuse({ waiting }: Line, { whenBusy, limits: { maxQueueDepth } }: Turn): void {
  if (whenBusy === "drop")
    throw new LoopError("session_busy", "Another run has this session, so this one was not started.");
  if (whenBusy === "queue" && waiting.length >= maxQueueDepth)
    throw new LoopError(
      "session_busy",
      `${maxQueueDepth} runs are waiting for this session already; more are not taken.`,
    );
}

function tooLong(milliseconds: number): LoopError {
  const seconds = (milliseconds / 1_000).toLocaleString("en");
  return new LoopError("queue_timeout", `This run has waited ${seconds} seconds for its session, and was not started.`);
}
