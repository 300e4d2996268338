// What is not said in the first paint, in plain words: how a run ended, what it cost, and what can be done.
import type { FailureData, Reading } from "../src/protocol/events.ts";
import type { CompactionItem } from "../src/protocol/viewContext.ts";
import type { View } from "../src/protocol/view.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item, Turn } from "../src/protocol/viewTurn.ts";
import { count, duration, number, title } from "./words.ts";

/** What a compaction does, or has done. */
export function compactionWords({ state, tokensBefore, tokensAfter }: CompactionItem): string {
  if (state === "working") return "Making room: summing up the older part…";
  return `Summed up the conversation: ${number(tokensBefore)} → ${number(tokensAfter)} tokens`;
}

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

/** "3,900 read (1,200 of them cached, 400 put into the cache), 310 written, in 3 requests: $0.03". */
export function usageWords({ usage, iterations, cost }: NonNullable<Turn["end"]>): string {
  const cached = usage.cached === undefined ? "" : `${number(usage.cached)} of them cached`;
  const kept = usage.written ? `${number(usage.written)} put into the cache` : "";
  const parts = [cached, kept].filter(Boolean).join(", ");
  const paid = cost === undefined ? "" : `: ${dollars(cost)}`;
  const requests = iterations === 0 ? "" : `, in ${count(iterations, "request")}`;
  return `${count(usage.input, "token")} read${parts && ` (${parts})`}, ${number(usage.output)} written${requests}${paid}`;
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

/** "a, b and 3 others". */
export function listed(names: readonly string[]): string {
  const rest = names.length - 2;
  return rest > 1 ? `${names.slice(0, 2).join(", ")} and ${count(rest, "other")}` : names.join(", ");
}

/** Who has the session that is only read along, and what becomes of it. */
export function readingWords({ state, host }: Reading): string {
  const other = host === null ? "Another window" : `A window on ${host}`;
  switch (state) {
    case "working":
      return `${other} is working in this session. You are reading along.`;
    case "asked":
      return `${other} was asked to stop. It is yours as soon as everything is kept.`;
    case "silent":
      return `${other} does not answer. It keeps the session until it does, or has been gone for a while.`;
    case "given":
      return `${other} has taken this session over. You are reading along.`;
  }
}

/** The words on the button that does what an error asks for; null when there is no such button. */
export function actionWords(failure: FailureData): string | null {
  switch (failure.action) {
    case "setKey":
      return "Set API Key";
    case "openSettings":
      return "Open Settings";
    case "selectModel":
      return "Select Model";
    case "setUpModel":
      return "Set Up Model";
    case "retry":
      return "Try Again";
    case "openFolder":
      return "Open Folder";
    case "trust":
      return "Trust Folder";
    case "openAgent":
      return "Open Agent";
    default:
      return null;
  }
}
