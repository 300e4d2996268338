// A time limit, on a clock of the test's own.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { timeLimit, type TimeLimit } from "../../../src/tools/timeLimit.ts";

interface Made {
  readonly limit: TimeLimit;
  readonly pass: (milliseconds: number) => void;
  /** The times at which it was reached. */
  readonly reached: number[];
}

function limitOf(milliseconds: number): Made {
  const reached: number[] = [];
  const limit = timeLimit(milliseconds, () => void reached.push(Date.now()));
  return { limit, pass: (time) => mock.timers.tick(time), reached };
}

describe("The time limit of a command", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 }));
  afterEach(() => mock.timers.reset());

  it("begins when the command does, and is reached once", () => {
    const { limit, pass, reached } = limitOf(1_000);
    pass(5_000);
    limit.resume();
    pass(999);
    assert.deepEqual(reached, []);
    pass(1);
    assert.deepEqual(reached, [6_000]);
    pass(10_000);
    assert.equal(reached.length, 1);
  });

  it("stands still as long as anybody is asked, however many questions there are", () => {
    const { limit, pass, reached } = limitOf(1_000);
    limit.resume();
    pass(400);
    limit.pause();
    limit.pause();
    pass(60_000);
    limit.resume();
    pass(60_000);
    limit.resume();
    pass(599);
    assert.deepEqual(reached, []);
    pass(1);
    assert.deepEqual(reached, [121_000]);
  });

  it("asked about before it has begun, begins after the answer", () => {
    const { limit, pass, reached } = limitOf(1_000);
    limit.pause();
    limit.resume();
    pass(5_000);
    assert.deepEqual(reached, []);
    limit.resume();
    pass(1_000);
    assert.deepEqual(reached, [6_000]);
  });

  it("can begin anew, also while it stands still, and ends for good", () => {
    const { limit, pass, reached } = limitOf(1_000);
    limit.resume();
    pass(900);
    limit.restart(500);
    pass(499);
    limit.pause();
    limit.restart(300);
    pass(1_000);
    assert.deepEqual(reached, []);
    limit.resume();
    pass(300);
    assert.equal(reached.length, 1);
    limit.restart(100);
    limit.clear();
    limit.resume();
    pass(1_000);
    assert.equal(reached.length, 1);
  });
});
