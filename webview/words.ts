// Numbers, times and states in plain words.
import type { Label } from "../src/protocol/calls.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";

const whole = new Intl.NumberFormat("en-US");

/** 1234 → "1,234". */
export function number(value: number): string {
  return whole.format(value);
}

/** (2, "line") → "2 lines". */
export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** 12 → "12 ms", 1234 → "1.2 s", 125000 → "2 min 5 s". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return rest === 0 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}

/** The hour and minute of an ISO time, with the day when it is not today; "" when it is no time. */
export function clock(at: string, now: Date): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const hour = time.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
  if (time.toDateString() === now.toDateString()) return hour;
  return `${time.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, ${hour}`;
}

/** "old_text" and "oldText" → "Old text". */
export function wordsOf(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "Edit src/price.js". */
export function title(call: Pick<CallItem, "label">): string {
  const { verb, subject } = call.label;
  return subject === "" ? verb : `${verb} ${subject}`;
}

/** The same, inside a sentence: "edit src/price.js". */
export function inSentence(call: Pick<CallItem, "label">): string {
  const words = title(call);
  return words.charAt(0).toLowerCase() + words.slice(1);
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
  return `You replaced it by ${ran ? inSentence(call) : name}`;
}

function isSame(a: Label, b: Label): boolean {
  return a.verb === b.verb && a.subject === b.subject;
}

/** What a row says after its name: on what it waits, who decided, how it ended. "" when there is nothing to add. */
export function standing(call: CallItem, waitsFor: string): string {
  switch (call.state) {
    case "blocked":
      return waitsFor === "" ? "waits" : `after ${waitsFor}`;
    case "pending":
      return "waits for you";
    case "rejected":
      return ["rejected", rejection(call)].filter((part) => part !== "").join(": ");
    case "denied":
      return "not allowed";
    case "cancelled":
      return "stopped";
    case "skipped":
      return "skipped";
    case "failed":
      return ["failed", choice(call)].filter((part) => part !== "").join(", ");
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
  if (call.decided?.rule !== undefined) return `allowed by the rule “${call.decided.rule}”`;
  if (call.decided?.by !== "person") return "";
  const { decision } = call.decided;
  switch (decision.kind) {
    case "approve":
      return "approved by you";
    case "modify":
      return "changed by you";
    case "replace":
      return replacement(call, decision.call.name);
    case "reject":
      return "rejected by you";
  }
}
