// The watchdog: when a panel counts as stuck.
import assert from "node:assert/strict";
import { createWatchdog } from "../../../src/host/watchdog.ts";
import { fakeClock } from "../../support/kit.ts";

function watched() {
  const clock = fakeClock();
  const state = { seen: true, answers: true, stuck: 0 };
  const dog = createWatchdog({
    clock,
    ping: () => {
      if (state.seen && state.answers) dog.alive();
      return state.seen;
    },
    stuck: () => void (state.stuck += 1),
  });
  return { clock, state, dog };
}

describe("the watchdog", () => {
  it("leaves a panel alone that answers, or that nobody can see", async () => {
    const { clock, state, dog } = watched();
    state.seen = false;
    await clock.advance(100_000);
    Object.assign(state, { seen: true, answers: true });
    await clock.advance(100_000);
    assert.equal(state.stuck, 0);
    dog.end();
  });

  it("says once that a panel is stuck, and watches the one that comes in its place", async () => {
    const { clock, state, dog } = watched();
    state.answers = false;
    await clock.advance(14_000);
    assert.equal(state.stuck, 0);
    await clock.advance(8_000);
    assert.equal(state.stuck, 1);
    state.answers = true;
    await clock.advance(100_000);
    assert.equal(state.stuck, 1);
    dog.end();
    state.answers = false;
    await clock.advance(100_000);
    assert.equal(state.stuck, 1);
  });
});
