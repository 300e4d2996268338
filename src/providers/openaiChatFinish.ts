// What the finish reasons of Chat Completions and of the servers that speak it mean.
import type { FinishReason, ModelEvent } from "../engine/ports.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { Endpoint } from "./providerFailure.ts";

const reasons = new Map<string, FinishReason>([
  ["length", "length"],
  ["max_tokens", "length"],
  ["content_filter", "refusal"],
  ["refusal", "refusal"],
]);
const failed = new Set(["error", "insufficient_system_resource"]);

/** Whether a call that is still open at this reason was cut off and must not count as complete. */
export function leavesCallHalf(reason: string): boolean {
  return reasons.has(reason) || failed.has(reason);
}

interface Ended {
  readonly calls: boolean;
  readonly refused: boolean;
  readonly endpoint: Endpoint;
}

/** The last event of a reply. Servers say `stop` after calls and `tool_calls` without any, so the calls decide. */
export function finishOf(reason: string, { calls, refused, endpoint }: Ended): ModelEvent {
  if (failed.has(reason)) {
    const error = new LoopError("provider_failed", `${endpoint.host} gave up in the middle of the reply.`);
    return { type: "error", failure: toFailure(error), retryable: true };
  }
  if (refused) return { type: "finish", reason: "refusal" };
  return { type: "finish", reason: reasons.get(reason) ?? (calls ? "calls" : "stop") };
}
