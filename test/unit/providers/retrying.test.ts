// Retries on a clock that stands still: when, how often, and when not.
import assert from "node:assert/strict";
import type { Model, ModelEvent } from "../../../src/engine/ports.ts";
import { LoopError, toFailure, type ErrorCode } from "../../../src/protocol/errors.ts";
import { retrying } from "../../../src/providers/retrying.ts";
import { fakeClock } from "../../support/kit.ts";
import { hello } from "./chat.ts";

const text: ModelEvent = { type: "text", text: "Hi" };
const done: ModelEvent = { type: "finish", reason: "stop" };
function failed(code: ErrorCode, retryable: boolean, retryAfter?: number): ModelEvent {
  const failure = toFailure(new LoopError(code, `It was ${code}.`));
  return { type: "error", failure, retryable, ...(retryAfter !== undefined && { retryAfter }) };
}
const busy = failed("provider_failed", true);

interface Tried {
  readonly events: ModelEvent[];
  /** Milliseconds since the beginning at which each request was sent. */
  readonly sent: number[];
}

/** Plays the replies through `retrying`, the last one again and again. */
async function attempt(
  replies: readonly (readonly ModelEvent[])[],
  options: { random?: number; abortAt?: number } = {},
): Promise<Tried> {
  const clock = fakeClock();
  const begun = clock.now();
  const sent: number[] = [];
  const model: Model = {
    id: "m",
    contextWindow: 1,
    async *stream() {
      const reply = replies[Math.min(sent.length, replies.length - 1)] ?? [];
      sent.push(clock.now() - begun);
      yield* reply;
    },
  };
  const stop = new AbortController();
  if (options.abortAt !== undefined) clock.after(options.abortAt, () => stop.abort());
  const tried = retrying(model, { clock, maxRetries: 3, retryBackoff: 1_000, random: () => options.random ?? 0 });
  const events = Array.fromAsync(tried.stream(hello, stop.signal));
  await clock.advance(600_000);
  return { events: await events, sent };
}

const retry = (attempt: number, delay: number, code: ErrorCode = "provider_failed"): ModelEvent => ({
  type: "retry",
  attempt,
  delay,
  reason: `It was ${code}.`,
});

describe("retrying", () => {
  it("BRAIN-EXEC-10 tries three times more after 1, 2 and 4 seconds, then gives the failure (C-12)", async () => {
    assert.deepEqual(await attempt([[busy]]), {
      events: [retry(1, 1_000), retry(2, 2_000), retry(3, 4_000), busy],
      sent: [0, 1_000, 3_000, 7_000],
    });
  });

  it("spreads the waits by a quarter at most", async () => {
    assert.deepEqual((await attempt([[busy]], { random: 1 })).sent, [0, 1_250, 3_750, 8_750]);
    assert.deepEqual((await attempt([[busy]], { random: 0.5 })).sent, [0, 1_125, 3_375, 7_875]);
  });

  it("passes on the reply that comes at last", async () => {
    assert.deepEqual(await attempt([[busy], [text, done]]), {
      events: [retry(1, 1_000), text, done],
      sent: [0, 1_000],
    });
  });

  it("BRAIN-EXEC-12 waits as long as the server asks, without jitter", async () => {
    const { events, sent } = await attempt([[failed("rate_limited", true, 30_000)], [text, done]], { random: 1 });
    assert.deepEqual(events, [retry(1, 30_000, "rate_limited"), text, done]);
    assert.deepEqual(sent, [0, 30_000]);
  });

  for (const code of [
    "key_rejected",
    "access_denied",
    "request_refused",
    "model_not_found",
    "context_overflow",
  ] as const)
    it(`BRAIN-EXEC-11 does not try again after ${code}`, async () => {
      const refused = failed(code, false);
      assert.deepEqual(await attempt([[refused]]), { events: [refused], sent: [0] });
    });

  for (const shown of [
    text,
    { type: "thinking", text: "hm" },
    { type: "call:start", id: "a", name: "f" },
  ] as const satisfies readonly ModelEvent[])
    it(`BRAIN-EXEC-14 does not try again after ${shown.type}`, async () => {
      assert.deepEqual(await attempt([[shown, busy]]), { events: [shown, busy], sent: [0] });
    });

  it("tries a stalled request once more only (C-13)", async () => {
    const { sent } = await attempt([[failed("reply_stalled", true)]]);
    assert.deepEqual(sent, [0, 1_000]);
  });

  it("stops waiting when it is aborted, without a last event", async () => {
    assert.deepEqual(await attempt([[busy]], { abortAt: 1_500 }), {
      events: [retry(1, 1_000), retry(2, 2_000)],
      sent: [0, 1_000],
    });
  });
});
