// What a run did when: its requests and calls as a tree, with times, tokens and cost.
import type { Label } from "./calls.ts";
import type { CallStatus, RunStatus } from "./messages.ts";
import type { Usage } from "./usage.ts";

/** From when to when, in milliseconds since the run's beginning. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A call that has not ended. */
export interface OpenCall {
  readonly state: "blocked" | "pending" | "running";
  readonly label: Label;
}

export interface TraceSpan {
  readonly id: string;
  /** Of the span that it stands under; null: of the run. */
  readonly parent: string | null;
  /** 0: directly under the run. */
  readonly depth: number;
  /** `request`: for a reply; `summary` and `notes`: for a compaction. `plan` and `pause`: a person was asked. */
  readonly kind: "request" | "summary" | "notes" | "call" | "plan" | "pause";
  /** Of a request, which one of its conversation; of a call, its place in the reply; of a plan, its calls; else 0. */
  readonly number: number;
  /** Of a call or a pause, in words. */
  readonly label: Label | null;
  readonly state: CallStatus | OpenCall["state"];
  /** All of it, and all that stands under it. */
  readonly all: Stretch;
  /** When it was at work itself: of a request, until its reply had ended. Null: it did no work. */
  readonly work: Stretch | null;
  /** When a person was asked. */
  readonly waits: readonly Stretch[];
  /** Milliseconds from its sending to the first piece of the reply; null: not known. */
  readonly first: number | null;
  /** Of a request its own; of a call what the requests under it took. Null: none, or not known. */
  readonly usage: Usage | null;
  /** US dollars; null: not known. */
  readonly cost: number | null;
  /** Of a request; `""`: not known. */
  readonly model: string;
  /** Of a call, as it is known in the conversation. */
  readonly toolCallId: string | null;
}

export interface Trace {
  readonly runId: string;
  /** When it began. */
  readonly at: string;
  /** What the person said; `""`: nothing. */
  readonly message: string;
  /** Null: it goes on. */
  readonly status: RunStatus | null;
  /** Milliseconds; of a run that goes on, so far. */
  readonly duration: number;
  /** Milliseconds of it in which at least one question waited for a person. */
  readonly waited: number;
  readonly usage: Usage;
  /** US dollars; null: not known. */
  readonly cost: number | null;
  /** Some of the times were not recorded, and are told from the order of what was. */
  readonly isAbout: boolean;
  /** Each behind what it stands under, and those side by side in the order in which they began. */
  readonly spans: readonly TraceSpan[];
}
