// How long an endpoint may be silent: shorter once it has begun to answer, and never while the reader is busy.
import assert from "node:assert/strict";
import { idleWatch, type IdleWatch, type Silence } from "../../../src/providers/idleWatch.ts";
import { fakeClock } from "../../support/kit.ts";

const silence = { idleTimeout: 60_000, thinkTimeout: 270_000 } satisfies Silence;
const unseen = [{ type: "usage", usage: { input: 1, output: 0 } }] as const;
const shown = [{ type: "text", text: "Hm." }] as const;
const thought = [...shown, { type: "thinking", text: "Hm?" }, ...unseen] as const;

/** Milliseconds until it is noticed that nothing comes; null: not within an hour. */
async function noticed(limits: Silence, before: (watch: IdleWatch) => void): Promise<number | null> {
  const clock = fakeClock();
  const at: number[] = [];
  const begun = clock.now();
  const watch = idleWatch(clock, limits, () => void at.push(clock.now() - begun));
  before(watch);
  for (let second = 0; second < 3_600; second += 1) await clock.advance(1_000);
  watch.stop();
  assert.ok(at.length < 2);
  return at[0] ?? null;
}

describe("the silence of an endpoint", () => {
  for (const [what, limits, before, after] of [
    ["is waited out while a model may think", silence, (watch) => watch.wait(), 270_000],
    [
      "is waited out behind what nobody sees",
      silence,
      (watch) => {
        watch.rest();
        watch.read(unseen);
        watch.wait();
      },
      270_000,
    ],
    [
      "is waited out behind a thought, as long as before any",
      silence,
      (watch) => {
        watch.rest();
        watch.read(shown);
        watch.read(thought);
        watch.wait();
      },
      270_000,
    ],
    [
      "is short once it has begun to answer",
      silence,
      (watch) => {
        watch.rest();
        watch.read(shown);
        watch.wait();
      },
      60_000,
    ],
    ["is short for other models", { idleTimeout: 60_000 }, (watch) => watch.wait(), 60_000],
    ["does not count at home", { ...silence, patient: true }, (watch) => watch.wait(), null],
    [
      "does not count while the reader is busy",
      silence,
      (watch) => {
        watch.wait();
        watch.rest();
      },
      null,
    ],
  ] as const satisfies readonly (readonly [string, Silence, (watch: IdleWatch) => void, number | null])[])
    it(what, async () => {
      assert.equal(await noticed(limits, before), after);
    });
});
