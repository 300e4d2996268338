// The clock of a rerun: no time passes, and timers come in the order of their time.
import assert from "node:assert/strict";
import { createVirtualClock } from "../../../src/brain/virtualClock.ts";

/** Turns of the event loop, not time: a busy machine may spend any time in one of them. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the virtual clock", () => {
  it("calls back in the order of time, then of asking, and shows the time that was asked for", async () => {
    const clock = createVirtualClock(1_000);
    const heard: (readonly [string, number])[] = [];
    const at = (name: string, milliseconds: number): void =>
      void clock.after(milliseconds, () => heard.push([name, clock.now()]));
    at("year", 31_536_000_000);
    at("b", 5);
    at("c", 5);
    at("a", 1);
    assert.equal(clock.now(), 1_000);
    await settled();
    assert.deepEqual(heard, [
      ["a", 1_001],
      ["b", 1_005],
      ["c", 1_005],
      ["year", 31_536_001_000],
    ]);
  });

  it("lets everything happen that needs no time before it jumps", async () => {
    const clock = createVirtualClock(0);
    const heard: string[] = [];
    clock.after(1, () => {
      heard.push("first");
      void Promise.resolve()
        .then(() => undefined)
        .then(() => clock.after(0, () => heard.push("between")));
    });
    clock.after(2, () => heard.push("last"));
    await settled();
    assert.deepEqual(heard, ["first", "between", "last"]);
  });

  it("does not call back what was cancelled, and goes on after a rest", async () => {
    const clock = createVirtualClock(0);
    const heard: string[] = [];
    const cancel = clock.after(1, () => heard.push("never"));
    cancel();
    await settled();
    clock.after(3, () => heard.push("later"));
    await settled();
    assert.deepEqual(heard, ["later"]);
    assert.equal(clock.now(), 3);
  });
});
