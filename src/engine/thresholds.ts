// From how full the model's window is to what must be done about it before the next request. Pure.
import type { AgentLoopConfig } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";

export type ContextAction = "memory_flush" | "compaction";

/** Tokens; what is strictly more is too much. */
export interface Thresholds {
  readonly flushAt: number;
  /** The most that a request may take: the rest of the window is for the reply. */
  readonly compactAt: number;
}

type Sizes = Pick<AgentLoopConfig, "contextWindow" | "reserveFloor" | "flushThreshold">;

/** The most of a window that may be kept for the reply, and for a flush and the reply (C-33). */
const mostReserve = 0.25;
const mostFlush = 0.4;

/**
 * The limits of one window, clamped for small ones (C-33, BRAIN-CTX-12).
 * @throws LoopError `bad_setting` when a flush could never come before a compaction
 */
export function thresholds({ contextWindow, reserveFloor, flushThreshold }: Sizes): Thresholds {
  if (flushThreshold <= reserveFloor) {
    const numbers = `flushThreshold is ${flushThreshold.toLocaleString("en")}, reserveFloor ${reserveFloor.toLocaleString("en")}`;
    throw new LoopError("bad_setting", `flushThreshold must be more than reserveFloor: ${numbers}.`);
  }
  const reserve = Math.min(reserveFloor, Math.floor(contextWindow * mostReserve));
  const flush = Math.min(flushThreshold, Math.floor(contextWindow * mostFlush));
  return { flushAt: contextWindow - flush, compactAt: contextWindow - reserve };
}

/**
 * What a request may take where a person has undone a compaction: half of the reply's room, before there is another.
 * @throws LoopError `bad_setting`
 */
export function undoneAt(sizes: Sizes): number {
  return Math.floor((thresholds(sizes).compactAt + sizes.contextWindow) / 2);
}

/**
 * What an estimate asks for, in the order in which it is done: a flush after the compaction would have nothing left to
 * save (BRAIN-CTX-6, -7, -8).
 * @param flushed already in this cycle, which a compaction ends
 * @throws LoopError `bad_setting`
 */
export function contextActions(estimate: number, sizes: Sizes, flushed: boolean): readonly ContextAction[] {
  const { flushAt, compactAt } = thresholds(sizes);
  const flush = estimate > flushAt && !flushed;
  return [...(flush ? (["memory_flush"] as const) : []), ...(estimate > compactAt ? (["compaction"] as const) : [])];
}
