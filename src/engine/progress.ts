// What a run has so far, from round to round, and how it ends.
import type { Failure } from "../protocol/errors.ts";
import type { ErrorMessage, Message, RunStatus, ToolCall, ToolEntry } from "../protocol/messages.ts";

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
  readonly messages: Message[];
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
}
