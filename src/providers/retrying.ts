// A Model that tries again when a request failed before anything of the reply was shown (C-12).
import type { Clock, Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import { visible } from "./visible.ts";

export interface RetryOptions {
  readonly clock: Clock;
  readonly maxRetries: number;
  /** Milliseconds before the first retry; doubled for each further one. */
  readonly retryBackoff: number;
  /** From 0 to 1: spreads the retries of many windows over time. */
  readonly random: () => number;
}

/** Wraps a Model: announces each wait with a `retry` event; the failure that is not retried is the last event. */
export function retrying(model: Model, options: RetryOptions): Model {
  return { ...model, stream: (request, signal) => streamWithRetries(model, request, { ...options, signal }) };
}

interface Retrying extends RetryOptions {
  readonly signal: AbortSignal;
}

type ErrorEvent = Extract<ModelEvent, { type: "error" }>;

async function* streamWithRetries(model: Model, request: ModelRequest, options: Retrying): AsyncGenerator<ModelEvent> {
  const { clock, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    const failed = yield* tryOnce(model, request, signal);
    if (!failed || signal.aborted) return;
    if (attempt > triesAgain(failed, options)) {
      yield failed;
      return;
    }
    const delay = failed.retryAfter ?? backoff(attempt, options);
    yield { type: "retry", attempt, delay, reason: failed.failure.message };
    await wait(delay, clock, signal);
    if (isAborted(signal)) return;
  }
}

/** Passes on one reply; gives back the failure when nothing of the reply was shown before it and it may be retried. */
async function* tryOnce(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, ErrorEvent | null> {
  let shown = false;
  for await (const event of model.stream(request, signal)) {
    if (event.type === "error" && event.retryable && !shown) return event;
    shown ||= visible.has(event.type);
    yield event;
  }
  return null;
}

/** A stall has already cost a minute: it is tried again once (C-13). */
function triesAgain({ failure }: ErrorEvent, { maxRetries }: RetryOptions): number {
  return failure.code === "reply_stalled" ? Math.min(1, maxRetries) : maxRetries;
}

function backoff(attempt: number, { retryBackoff, random }: RetryOptions): number {
  return Math.round(retryBackoff * 2 ** (attempt - 1) * (1 + random() / 4));
}

function wait(delay: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delay, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
