// What is not said in the first paint, in plain words: how a run ended, what it cost, and what can be done.
import type { FailureData, Reading } from "../src/protocol/events.ts";
import type { CompactionItem } from "../src/protocol/viewContext.ts";
import type { View } from "../src/protocol/view.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item, Turn } from "../src/protocol/viewTurn.ts";
import { count, duration, figure, number, title } from "./words.ts";
import { t } from "./l10n.ts";

/** What a compaction does, or has done. */
export function compactionWords({ state, tokensBefore, tokensAfter }: CompactionItem): string {
  if (state === "working") return t("Making room: summing up the older part…");
  return t("Summed up the conversation: {0} → {1} tokens", number(tokensBefore), number(tokensAfter));
}

/** How a run ended, with its time, tokens and, where it is known, cost: "Worked 12 s · 4,210 tokens · $0.03". */
export function ending(end: NonNullable<Turn["end"]>): string {
  const tokens = end.usage.input + end.usage.output;
  const words = statusWords(end);
  if (tokens === 0) return words;
  return `${words} · ${count("{0} token", "{0} tokens", tokens)}${end.cost === undefined ? "" : ` · ${dollars(end.cost)}`}`;
}

/** 1.234 → "$1.23", 0.00071 → "$0.0007". */
export function dollars(cost: number): string {
  if (cost >= 0.01 || cost === 0) return inDollars(cost.toFixed(2));
  return cost < 0.0001 ? t("under {0}", inDollars("0.0001")) : inDollars(String(Number(cost.toPrecision(1))));
}

function inDollars(amount: string): string {
  return t("${0}", figure(amount));
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
      return t("Worked {0}", time);
    case "completed_with_errors":
      return t("Worked {0}, but not every call succeeded", time);
    case "max_iterations":
      // The last request was for the summary.
      return count(
        "Worked {0} round in {1}, as many as one run may have",
        "Worked {0} rounds in {1}, as many as one run may have",
        iterations - 1,
        time,
      );
    case "timeout":
      return t("Out of time after {0}", time);
    case "aborted":
      return t("Stopped by you after {0}", time);
    case "stalled":
      return t("The model gave neither an answer nor calls, after {0}", time);
    case "refusal":
      return t("The model declined after {0}", time);
    case "error":
      return t("Failed after {0}", time);
  }
}

/** "3,900 read (1,200 of them cached, 400 put into the cache), 310 written, in 3 requests: $0.03". */
export function usageWords({ usage, iterations, cost }: NonNullable<Turn["end"]>): string {
  const read = count("{0} token read", "{0} tokens read", usage.input);
  const cached = usage.cached === undefined ? [] : [t("{0} of them cached", number(usage.cached))];
  const kept = usage.written ? [t("{0} put into the cache", number(usage.written))] : [];
  const known = [...cached, ...kept].join(", ");
  const parts = [
    known === "" ? read : `${read} (${known})`,
    t("{0} written", number(usage.output)),
    ...(iterations === 0 ? [] : [count("in {0} request", "in {0} requests", iterations)]),
  ];
  return `${parts.join(", ")}${cost === undefined ? "" : `: ${dollars(cost)}`}`;
}

/** What a person can do about how a run ended, in one sentence; "" when there is nothing to be done. */
export function nextStep(status: NonNullable<Turn["end"]>["status"], failed: readonly string[]): string {
  switch (status) {
    case "completed_with_errors": {
      const names = failed.length === 0 ? t("the calls that failed") : listed(failed);
      return t("The answer was written before the model knew how this ended: {0}. Continue lets it read that.", names);
    }
    case "max_iterations":
      return t("Continue gives it as many rounds again.");
    case "timeout":
      return t("What was done is kept. Continue gives it as much time again.");
    case "stalled":
      return t("Continue asks it once more; another model may do better.");
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
  if (rest <= 1) return names.join(", ");
  return count("{1} and {0} other", "{1} and {0} others", rest, names.slice(0, 2).join(", "));
}

/** Who has the session that is only read along, and what becomes of it. */
export function readingWords({ state, host }: Reading): string {
  const other = host === null ? t("Another window") : t("A window on {0}", host);
  switch (state) {
    case "working":
      return t("{0} is working in this session. You are reading along.", other);
    case "asked":
      return t("{0} was asked to stop. It is yours as soon as everything is kept.", other);
    case "silent":
      return t("{0} does not answer. It keeps the session until it does, or has been gone for a while.", other);
    case "given":
      return t("{0} has taken this session over. You are reading along.", other);
  }
}

/** The words on the button that does what an error asks for; null when there is no such button. */
export function actionWords(failure: FailureData): string | null {
  switch (failure.action) {
    case "setKey":
      return t("Set API Key");
    case "openSettings":
      return t("Open Settings");
    case "selectModel":
      return t("Select Model");
    case "setUpModel":
      return t("Set Up Model");
    case "retry":
      return t("Try Again");
    case "openFolder":
      return t("Open Folder");
    case "trust":
      return t("Trust Folder");
    case "openAgent":
      return t("Open Agent");
    default:
      return null;
  }
}
