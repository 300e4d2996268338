// Waiting, on the Clock port: a run's deadline that stops while a person is asked, and a time limit for one call.
import type { Clock } from "./ports.ts";

export interface Deadline {
  /** Stops the clock until `resume` was called as often (C-35). */
  pause(): void;
  resume(): void;
  /** Begins anew with all of its time. */
  restart(): void;
  /** Ends it for good. */
  clear(): void;
}

/** Calls `expired` once, after so many milliseconds in which it was not paused. */
export function createDeadline(clock: Clock, milliseconds: number, expired: () => void): Deadline {
  let left = milliseconds;
  let since = clock.now();
  let pauses = 0;
  let cancel: (() => void) | null = clock.after(left, expired);
  const stop = (): void => {
    cancel?.();
    cancel = null;
  };
  return {
    pause() {
      if (pauses++ > 0) return;
      stop();
      left -= clock.now() - since;
    },
    resume() {
      if (pauses === 0 || --pauses > 0) return;
      since = clock.now();
      cancel = clock.after(Math.max(0, left), expired);
    },
    restart() {
      left = milliseconds;
      since = clock.now();
      if (pauses > 0) return;
      stop();
      cancel = clock.after(left, expired);
    },
    clear() {
      pauses = Number.POSITIVE_INFINITY;
      stop();
    },
  };
}

/** Settles when the signal is aborted; never rejects. The returned function forgets the signal. */
export function onAbort(signal: AbortSignal): { aborted: Promise<"aborted">; forget: () => void } {
  let listener = (): void => undefined;
  const aborted = new Promise<"aborted">((resolve) => {
    listener = () => resolve("aborted");
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
  });
  return { aborted, forget: () => signal.removeEventListener("abort", listener) };
}

/** Resolves after so many milliseconds; `cancel` lets go of the timer and leaves the promise unsettled. */
export function delay<T>(clock: Clock, milliseconds: number, value: T): { done: Promise<T>; cancel: () => void } {
  let cancel = (): void => undefined;
  const done = new Promise<T>((resolve) => {
    cancel = clock.after(milliseconds, () => resolve(value));
  });
  return { done, cancel };
}
