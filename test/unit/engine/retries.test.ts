// A request that waits to be sent again, as a person meets it: with the time until then, as one line, and it can be stopped.
import assert from "node:assert/strict";
import { LoopError, toFailure } from "../../../src/protocol/errors.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { retrying } from "../../../src/providers/retrying.ts";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { kit, ofType, says, scriptedModel, type Kit, type Script } from "../../support/kit.ts";

const limited = (retryAfter?: number): ModelEvent[] => [
  {
    type: "error",
    failure: toFailure(new LoopError("rate_limited", "models.example asks for a pause.")),
    retryable: true,
    ...(retryAfter !== undefined && { retryAfter }),
  },
];

function trying(...scripts: readonly Script[]): Kit {
  const inner = scriptedModel(...scripts);
  const clock = { now: () => made.clock.now(), after: (ms: number, then: () => void) => made.clock.after(ms, then) };
  const model = retrying(inner, { clock, maxRetries: 3, retryBackoff: 1_000, random: () => 0 });
  const made: Kit = kit({ model });
  return made;
}

describe("a request that is sent again", () => {
  it("BRAIN-EXEC-12 says once until when it waits, whatever the seconds, and goes on then", async () => {
    const made = trying(limited(30_000), limited(), says("Hi"));
    const begun = made.clock.now();
    const result = made.run();
    await made.clock.advance(29_999);
    const [first] = ofType(made.events, "model:retry");
    assert.deepEqual(
      [first?.attempt, first?.delay, Date.parse(first?.until ?? "") - begun, first?.reason],
      [1, 30_000, 30_000, "models.example asks for a pause."],
    );
    const count = made.events.length;
    await made.clock.advance(1);
    await made.clock.advance(2_000);
    assert.equal((await result).output, "Hi");
    assert.equal(made.events.slice(0, count).filter(({ type }) => type === "model:retry").length, 1);
  });

  it("is one line for all tries of one request", async () => {
    const made = trying(limited(), limited(), says("Hi"));
    const result = made.run();
    await made.clock.advance(1_500);
    const waiting = made.events.reduce(reduce, emptyView).turns.at(-1)?.items.at(-1);
    assert.ok(waiting?.kind === "retry");
    assert.equal(waiting.attempts, 2);
    await made.clock.advance(10_000);
    await result;
    const items = made.events.reduce(reduce, emptyView).turns.at(-1)?.items ?? [];
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ["retry", "text"],
    );
  });

  it("C-12: can be stopped while it waits, at once, and nothing more is sent", async () => {
    const made = trying(limited(600_000));
    const run = made.start();
    await made.clock.advance(5_000);
    run.stop();
    assert.equal((await run.result).status, "aborted");
    assert.equal(ofType(made.events, "model:retry").length, 1);
  });
});
