// A Model that is replaced by another one when it fails for good before anything of the reply was shown.
import type { Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { ErrorCode, Failure } from "../protocol/errors.ts";
import { visible } from "./visible.ts";

/** Failures that another model may not have: of the moment, and of the account. */
const passing: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "provider_failed",
  "endpoint_unreachable",
  "quota_exhausted",
  "reply_stalled",
  "reply_malformed",
]);

/**
 * Wraps two Models. Goes around `retrying`: what it has given up is asked of the other, and so is everything after.
 * @param first its window counts for both, unless the other's is smaller
 */
export function withFallback(first: Model, second: Model): Model {
  let given = false;
  const contextWindow = Math.min(first.contextWindow, second.contextWindow);
  return {
    ...first,
    contextWindow,
    structures: (schema) => first.structures?.(schema) === true && second.structures?.(schema) === true,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      let notice: string | null = null;
      if (!given) {
        const failure = yield* untilFailed(first.stream(request, signal));
        if (!failure || signal.aborted) return;
        given = true;
        notice = `${failure.message} This run goes on with ${second.id}.`;
      }
      yield { type: "model", model: second, notice };
      yield* second.stream(request, signal);
    },
  };
}

/** Passes on a reply; gives back the failure that another model may not have, when nothing of the reply was shown before it. */
async function* untilFailed(reply: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, Failure | null> {
  let shown = false;
  for await (const event of reply) {
    if (event.type === "error" && !shown && passing.has(event.failure.code)) return event.failure;
    shown ||= visible.has(event.type);
    yield event;
  }
  return null;
}
