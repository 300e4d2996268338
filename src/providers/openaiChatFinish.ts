// What the finish reasons of Chat Completions and of the servers that speak it mean.
import type { FinishReason, ModelEvent } from "../engine/ports.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import { brokenReply, type Endpoint } from "./providerFailure.ts";

type Meaning = FinishReason | "failed" | "garbled";

/** In small letters: Google's are capitals. What is in none of them is the usual end. */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...named("length", "length max_tokens model_length model_context_window_exceeded"),
  ...named("refusal", "content_filter refusal sensitive safety recitation blocklist prohibited_content spii"),
  ...named("failed", "error abort network_error insufficient_system_resource"),
  // Google's word for a call of its own model that it cannot read.
  ...named("garbled", "malformed_function_call unexpected_tool_call malformed_response"),
]);

function named(meaning: Meaning, words: string): readonly (readonly [string, Meaning])[] {
  return words.split(" ").map((word) => [word, meaning] as const);
}

/** Some reasons are a word and one that says more, such as `content_filter: SAFETY`. */
function meaningOf(reason: string): Meaning | undefined {
  const words = reason.toLowerCase().split(/\W+/);
  return words.map((word) => meanings.get(word)).find((meaning) => meaning !== undefined);
}

/** Whether a call that is still open at this reason was cut off and must not count as complete. */
export function leavesCallHalf(reason: string): boolean {
  return meaningOf(reason) !== undefined;
}

interface Ended {
  readonly calls: boolean;
  readonly refused: boolean;
  readonly endpoint: Endpoint;
}

/** The last event of a reply. Servers say `stop` after calls and `tool_calls` without any, so the calls decide. */
export function finishOf(reason: string, { calls, refused, endpoint }: Ended): ModelEvent {
  const meaning = meaningOf(reason) ?? (calls ? "calls" : "stop");
  if (meaning === "garbled") return brokenReply(endpoint, "has written a call that it cannot read itself");
  if (meaning === "failed") {
    const error = new LoopError("provider_failed", `${endpoint.host} gave up in the middle of the reply.`);
    return { type: "error", failure: toFailure(error), retryable: true };
  }
  return { type: "finish", reason: refused ? "refusal" : meaning };
}
