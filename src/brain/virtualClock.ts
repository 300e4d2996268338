// A clock that stands still while anything can happen without time, and then jumps to the next timer: a rerun takes no time.
import type { Clock } from "../engine/ports.ts";

/** @param start milliseconds since 1970, what it shows at first */
export function createVirtualClock(start: number): Clock {
  let now = start;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  let turning = false;
  // A whole turn of the event loop: every promise that can settle without time has settled before the next timer.
  const turn = (): void => void setImmediate(jump);
  const jump = (): void => {
    const [first, ...others] = timers;
    turning = first !== undefined;
    if (!first) return;
    const next = others.reduce((earliest, timer) => (timer.at < earliest.at ? timer : earliest), first);
    timers = timers.filter((timer) => timer !== next);
    now = Math.max(now, next.at);
    turn();
    next.callback();
  };
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      if (!turning) turn();
      turning = true;
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
}
