// What a run has so far, from round to round, and how it ends.
import type { Failure } from "../protocol/errors.ts";
import type { Entry, ErrorMessage, RunStatus, ToolCall, ToolEntry } from "../protocol/messages.ts";
import type { Anchor } from "./estimate.ts";
import type { Earlier } from "./ports.ts";
import type { Pruned } from "./prune.ts";

/** How a run ends. */
export interface Ending {
  readonly response: string;
  readonly status: RunStatus;
  readonly failure?: Failure;
  readonly value?: unknown;
  /** Calls beside the final output that did not succeed (C-02). */
  readonly errors?: readonly ErrorMessage[];
}

/** What grows from round to round. */
export interface Progress {
  /** The session so far: what was there before the run, and what the run has added. */
  readonly entries: Entry[];
  /** What came before them in the session, for a compaction. */
  readonly earlier: Earlier;
  readonly toolCalls: ToolCall[];
  readonly toolResults: ToolEntry[];
  /** What each round did, to tell when they repeat. */
  rounds: readonly string[];
  /** For the next request only: never part of the conversation. */
  notes: readonly string[];
  requests: number;
  /** Replies in a row that were neither calls nor the output that was asked for. */
  stalls: number;
  reconsidered: boolean;
  /** The system prompt: written anew with a compaction, because memory may have grown. */
  system: string;
  /** Tokens that the model reads at once, as far as is known: an endpoint may take less than it promises. */
  window: number;
  /** Results that the model reads no longer, or not whole. */
  pruned: Pruned;
  /** What the last request really took; null: not known. */
  anchor: Anchor | null;
  /** The estimate that was told last. */
  told: number;
}

/** @param start `window`: tokens; `told`: the estimate that is known already; `anchor`: see there */
export function beginProgress(start: {
  entries: readonly Entry[];
  earlier: Earlier;
  system: string;
  window: number;
  told: number;
  anchor: Anchor | null;
}): Progress {
  return {
    ...start,
    entries: [...start.entries],
    toolCalls: [],
    toolResults: [],
    rounds: [],
    notes: [],
    requests: 0,
    stalls: 0,
    reconsidered: false,
    pruned: new Map(),
  };
}
