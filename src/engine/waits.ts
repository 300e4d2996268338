// When a person was asked about a call, or by it: a run whose clock tells when it stands still.
import type { Wait } from "../protocol/usage.ts";
import type { Running } from "./running.ts";

/**
 * The same run, noting when its clock stands still: that is when a person is asked (C-35).
 * @returns `waited`: grows with each stretch that has ended
 */
export function notingWaits(run: Running): { readonly run: Running; readonly waited: readonly Wait[] } {
  const { deadline, ports } = run;
  const waited: Wait[] = [];
  let asking = 0;
  let since = 0;
  const pause = (): void => {
    if (asking++ === 0) since = ports.clock.now();
    deadline.pause();
  };
  const resume = (): void => {
    deadline.resume();
    const duration = ports.clock.now() - since;
    if (--asking === 0 && duration > 0) waited.push({ at: new Date(since).toISOString(), duration });
  };
  return { run: { ...run, deadline: { ...deadline, pause, resume } }, waited };
}
