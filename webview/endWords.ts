// How a run ended, what it took and what can be done next, in words. Pure.
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item, Turn } from "../src/protocol/viewTurn.ts";
import type { View } from "../src/protocol/view.ts";
import { count, duration, listed, number, title } from "./words.ts";

/** How a run ended, with its time, tokens and, where it is known, cost: "Worked 12 s · 4,210 tokens · $0.03". */
export function ending(end: NonNullable<Turn["end"]>): string {
  const tokens = end.usage.input + end.usage.output;
  const words = statusWords(end);
  if (tokens === 0) return words;
  return `${words} · ${count(tokens, "token")}${end.cost === undefined ? "" : ` · ${dollars(end.cost)}`}`;
}

/** 1.234 → "$1.23", 0.00071 → "$0.0007". */
export function dollars(cost: number): string {
  if (cost >= 0.01 || cost === 0) return `$${cost.toFixed(2)}`;
  return cost < 0.0001 ? "under $0.0001" : `$${Number(cost.toPrecision(1))}`;
}

/** What all runs cost together; null where that of one of them is not known, or none is there. */
export function sessionCost({ turns, more }: Pick<View, "turns" | "more">): number | null {
  const ends = turns.flatMap(({ end }) => (end && end.usage.input + end.usage.output > 0 ? [end.cost] : []));
  if (more || ends.length === 0) return null;
  return ends.reduce<number | null>((sum, cost) => (sum === null || cost === undefined ? null : sum + cost), 0);
}

function statusWords({ status, iterations, ...end }: NonNullable<Turn["end"]>): string {
  const time = duration(end.duration);
  switch (status) {
    case "completed":
      return `Worked ${time}`;
    case "completed_with_errors":
      return `Worked ${time}, but not every call succeeded`;
    case "max_iterations":
      // The last request was for the summary.
      return `Worked ${count(iterations - 1, "round")} in ${time}, as many as one run may have`;
    case "timeout":
      return `Out of time after ${time}`;
    case "aborted":
      return `Stopped by you after ${time}`;
    case "stalled":
      return `The model gave neither an answer nor calls, after ${time}`;
    case "refusal":
      return `The model declined after ${time}`;
    case "error":
      return `Failed after ${time}`;
  }
}

/** "3,900 read (1,200 of them cached), 310 written, in 3 requests: $0.03". */
export function usageWords({ usage, iterations, cost }: NonNullable<Turn["end"]>): string {
  const cached = usage.cached === undefined ? "" : ` (${number(usage.cached)} of them cached)`;
  const paid = cost === undefined ? "" : `: ${dollars(cost)}`;
  const requests = iterations === 0 ? "" : `, in ${count(iterations, "request")}`;
  return `${count(usage.input, "token")} read${cached}, ${number(usage.output)} written${requests}${paid}`;
}

/** What a person can do about how a run ended, in one sentence; "" when there is nothing to be done. */
export function nextStep(status: NonNullable<Turn["end"]>["status"], failed: readonly string[]): string {
  switch (status) {
    case "completed_with_errors": {
      const names = failed.length === 0 ? "the calls that failed" : listed(failed);
      return `The answer was written before the model knew how this ended: ${names}. Continue lets it read that.`;
    }
    case "max_iterations":
      return "Continue gives it as many rounds again.";
    case "timeout":
      return "What was done is kept. Continue gives it as much time again.";
    case "stalled":
      return "Continue asks it once more; another model may do better.";
    case "completed":
    case "aborted":
    case "refusal":
    case "error":
      return "";
  }
}

/** The calls of the last reply that did not succeed: the answer beside them was written without their results. */
export function unanswered(items: readonly Item[]): readonly string[] {
  const calls = items.filter((item): item is CallItem => item.kind === "call" && item.within === null);
  const reply = calls.at(-1)?.messageId;
  return calls.filter(({ messageId, state }) => messageId === reply && state !== "succeeded").map(title);
}
