// A trace in words: what each row is, its exact numbers, and the sums.
import { stateNames } from "./stateNames.ts";
import type { Trace, TraceSpan } from "../src/protocol/trace.ts";
import type { Usage } from "../src/protocol/usage.ts";
import { dollars } from "./endWords.ts";
import { count, duration, number, title } from "./words.ts";

/** "Request 2", "Read src/cart.js". */
export function nameOf({ kind, number: which, label }: TraceSpan): string {
  switch (kind) {
    case "call":
      return label ? title({ label }) : "Call";
    case "request":
      return which === 0 ? "Request" : `Request ${which}`;
    case "summary":
      return "Summary of the earlier part";
    case "notes":
      return "Notes for MEMORY.md";
    case "plan":
      return count("Plan of {0} call", "Plan of {0} calls", which);
    case "pause":
      return "Question how to go on";
  }
}

/** The state of a row in a word; "" where nothing has to be said. */
export function stateOf({ kind, state, waits }: TraceSpan): string {
  if (kind === "call") return stateNames[state];
  if (state === "succeeded") return waits.length > 0 ? "decided" : "";
  return state === "running" ? "running" : state === "failed" ? "failed" : "stopped";
}

/** When a row was at work, for those who do not see its bar. */
export function timesOf({ all, waits }: TraceSpan): string {
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const times = `From ${duration(all.from)} to ${duration(all.to)}`;
  return waited === 0 ? times : `${times}, of which ${duration(waited)} waiting for you`;
}

/** How long the row's own work took. */
export function lengthOf({ work, waits, all }: TraceSpan): number {
  if (work) return work.to - work.from;
  return waits.length > 0 ? waits.reduce((sum, { from, to }) => sum + to - from, 0) : all.to - all.from;
}

/** "3,900 read (1,200 cached), 310 written (100 of them thought)". */
function usageOf({ input, output, cached, reasoning }: Usage): string {
  const read = cached === undefined ? `${number(input)} read` : `${number(input)} read (${number(cached)} cached)`;
  const written = `${number(output)} written`;
  return reasoning === undefined ? `${read}, ${written}` : `${read}, ${written} (${number(reasoning)} thinking)`;
}

/** Everything about a row, in one line. */
export function detailOf(span: TraceSpan): string {
  const { model, first, usage, cost, work, waits, kind, label } = span;
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const parts = [
    kind === "pause" && label ? label.verb : nameOf(span),
    model,
    stateOf(span),
    work && work.to > work.from ? `at work from ${duration(work.from)} for ${duration(work.to - work.from)}` : "",
    waited > 0 ? `${duration(waited)} waiting for you` : "",
    first === null ? "" : `first word after ${duration(first)}`,
    usage ? `tokens: ${usageOf(usage)}` : "",
    cost === null ? "" : dollars(cost),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** "4,210", or "" where it is not known. */
export function tokensOf({ usage }: Pick<TraceSpan, "usage">): string {
  return usage ? number(usage.input + usage.output) : "";
}

interface Total {
  readonly name: string;
  readonly value: string;
  /** The same with all that is known of it. */
  readonly more: string;
}

/** The sums over all of the run. */
export function totalsOf({ status, duration: time, waited, usage, cost }: Trace): readonly Total[] {
  const tokens = usage.input + usage.output;
  const total = (name: string, value: string, more = value): Total => ({ name, value, more });
  const cached = usage.cached ? `${number(tokens)} (${number(usage.cached)} cached)` : number(tokens);
  return [
    total(status === null ? "So far" : "Time", duration(time)),
    ...(waited > 0 ? [total("Waiting for you", duration(waited))] : []),
    ...(tokens > 0 ? [total("Tokens", cached, usageOf(usage))] : []),
    ...(cost === null || tokens === 0 ? [] : [total("Cost", dollars(cost))]),
  ];
}
