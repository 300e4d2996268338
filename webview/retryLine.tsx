// A request that failed and is sent again by itself: why, and the seconds until then.
import { useEffect, useState } from "preact/hooks";
import type { RetryItem } from "../src/protocol/viewTurn.ts";
import { Line } from "./line.tsx";
import { count } from "./words.ts";
import { t, told } from "./l10n.ts";

interface Props {
  readonly item: RetryItem;
  /** Nothing has come since. */
  readonly waiting: boolean;
}

export function RetryLine({ item, waiting }: Props) {
  const left = useSecondsUntil(item.until, waiting);
  const tried = count("Tried again.", "Tried again {0} times.", item.attempts);
  const now = left > 0 ? t("Trying again in {0} s. Stop ends the run.", left) : t("Trying again…");
  return (
    <Line kind="warning" icon="warning" label={t("Notice")}>
      <span>
        {told(item.reason)} {waiting ? now : tried}
      </span>
    </Line>
  );
}

/** For a screen reader, once for each wait. */
export function retryWords({ reason, until }: RetryItem): string {
  const left = secondsUntil(until);
  if (left === 0) return told(reason);
  return `${told(reason)} ${count("Trying again in {0} second.", "Trying again in {0} seconds.", left)}`;
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
