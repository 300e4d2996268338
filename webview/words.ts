// Numbers, times and states in plain words.
import type { Label } from "../src/protocol/calls.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { language, t, told } from "./l10n.ts";

const whole = new Intl.NumberFormat(language);
const plural = new Intl.PluralRules(language);
const point = whole.format(1.5).charAt(1);

/** 1234 → "1,234". */
export function number(value: number): string {
  return whole.format(value);
}

/** "1.2" as it is written in the language: "1,2". */
export function figure(text: string): string {
  return text.replace(".", point);
}

/**
 * ("{0} line", "{0} lines", 2) → "2 lines".
 * @param more what stands for `{1}` …
 */
export function count(one: string, other: string, value: number, ...more: readonly string[]): string {
  return t(plural.select(value) === "one" ? one : other, number(value), ...more);
}

/** 12 → "12 ms", 1234 → "1.2 s", 125000 → "2 min 5 s". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${figure((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return rest === 0 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}

/** For dates: of the regions of a language the person's own counts. */
export function region(): string | undefined {
  return navigator.language.startsWith(language) ? undefined : language;
}

// Made once: one costs more than all that it will ever write.
const hours = new Intl.DateTimeFormat(region(), { hour: "numeric", minute: "2-digit" });
const days = new Intl.DateTimeFormat(region(), { day: "numeric", month: "short" });

/** The hour and minute of an ISO time, with the day when it is not today; "" when it is no time. */
export function clock(at: string, now: Date): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const hour = hours.format(time);
  if (time.toDateString() === now.toDateString()) return hour;
  return `${days.format(time)}, ${hour}`;
}

/** The verb alone: "Edit". */
export function verbOf({ verb }: Label): string {
  const words = told(verb);
  return words === verb ? verb : words.charAt(0).toUpperCase() + words.slice(1);
}

/** "Edit src/price.js"; some languages put the verb behind. */
export function title({ label }: Pick<CallItem, "label">): string {
  return label.subject === "" ? verbOf(label) : t("{0} {1}", told(label.verb), label.subject);
}

/** The same, inside a sentence: "edit src/price.js". */
export function inSentence({ label: { verb, subject } }: Pick<CallItem, "label">): string {
  const words = told(verb);
  const small = words.charAt(0).toLowerCase() + words.slice(1);
  return subject === "" ? small : t("{0} {1}", small, subject);
}

/** What the model proposed: a call that a person has replaced is still known by it. */
export function proposedLabel({ label, replaced, toolName, duration: worked, state }: CallItem): Label {
  if (replaced === null) return label;
  // A stored call knows only what ran; what was proposed is known by its tool.
  const stored = isSame(replaced, label) && (worked > 0 || state === "succeeded" || state === "failed");
  return stored ? { verb: toolName, subject: "" } : replaced;
}

/** "You replaced it by run npm test". */
function replacement(call: CallItem, name: string): string {
  const known = call.replaced && !isSame(call.replaced, call.label);
  const ran = known || proposedLabel(call) !== call.replaced;
  return t("You replaced it by {0}", ran ? inSentence(call) : name);
}

function isSame(a: Label, b: Label): boolean {
  return a.verb === b.verb && a.subject === b.subject;
}

/** What a row says after its name: on what it waits, who decided, how it ended. "" when there is nothing to add. */
export function standing(call: CallItem, waitsFor: string): string {
  switch (call.state) {
    case "blocked":
      return waitsFor === "" ? t("waits") : t("after {0}", waitsFor);
    case "pending":
      return t("waits for you");
    case "rejected":
      return [t("rejected"), rejection(call)].filter((part) => part !== "").join(": ");
    case "denied":
      return t("not allowed");
    case "cancelled":
      return t("stopped");
    case "skipped":
      return t("skipped");
    case "failed":
      return [t("failed"), choice(call)].filter((part) => part !== "").join(", ");
    case "streaming":
    case "ready":
    case "running":
    case "succeeded":
      return choice(call);
  }
}

function rejection(call: CallItem): string {
  const decision = call.decided?.decision;
  return decision?.kind === "reject" ? (decision.reason ?? "") : "";
}

function choice(call: CallItem): string {
  if (call.decided?.rule !== undefined) return t("allowed by the rule “{0}”", call.decided.rule);
  if (call.decided?.by !== "person") return "";
  const { decision } = call.decided;
  switch (decision.kind) {
    case "approve":
      return t("approved by you");
    case "modify":
      return t("changed by you");
    case "replace":
      return replacement(call, decision.call.name);
    case "reject":
      return t("rejected by you");
  }
}
