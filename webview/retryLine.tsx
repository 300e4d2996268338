// A request that failed and is sent again by itself: why, and the seconds until then.
import { useEffect, useState } from "preact/hooks";
import type { RetryItem } from "../src/protocol/viewTurn.ts";
import { Icon } from "./icon.tsx";
import { count } from "./words.ts";

interface Props {
  readonly item: RetryItem;
  /** Nothing has come since. */
  readonly waiting: boolean;
}

export function RetryLine({ item, waiting }: Props) {
  const left = useSecondsUntil(item.until, waiting);
  const tried = item.attempts === 1 ? "Tried again." : `Tried again ${item.attempts} times.`;
  const now = left > 0 ? `Trying again in ${left} s. Stop ends the run.` : "Trying again…";
  return (
    <div class="notice warning" data-row="" tabIndex={-1} role="group" aria-label="Notice">
      <Icon name="warning" />
      <span>
        {item.reason} {waiting ? now : tried}
      </span>
    </div>
  );
}

/** For a screen reader, once for each wait. */
export function retryWords({ reason, until }: RetryItem): string {
  const left = secondsUntil(until);
  return left > 0 ? `${reason} Trying again in ${count(left, "second")}.` : reason;
}

function secondsUntil(until: string): number {
  return Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1_000));
}

/** The host says once when; the seconds are counted here. */
function useSecondsUntil(until: string, running: boolean): number {
  const [left, setLeft] = useState(() => secondsUntil(until));
  useEffect(() => {
    setLeft(secondsUntil(until));
    if (!running) return undefined;
    const timer = setInterval(() => {
      const now = secondsUntil(until);
      setLeft(now);
      if (now === 0) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [until, running]);
  return left;
}
