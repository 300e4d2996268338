// A trace in words: what each row is, its exact numbers, and the sums.
import { stateNames } from "./stateNames.ts";
import type { Trace, TraceSpan } from "../src/protocol/trace.ts";
import type { Usage } from "../src/protocol/usage.ts";
import { dollars } from "./endWords.ts";
import { count, duration, number, title } from "./words.ts";
import { t, told } from "./l10n.ts";

/** "Request 2", "Read src/cart.js". */
export function nameOf({ kind, number: which, label }: TraceSpan): string {
  switch (kind) {
    case "call":
      return label ? title({ label }) : t("Call");
    case "request":
      return which === 0 ? t("Request") : t("Request {0}", which);
    case "summary":
      return t("Summary of the earlier part");
    case "notes":
      return t("Notes for MEMORY.md");
    case "plan":
      return count("Plan of {0} call", "Plan of {0} calls", which);
    case "pause":
      return t("Question how to go on");
  }
}

/** The state of a row in a word; "" where nothing has to be said. */
export function stateOf({ kind, state, waits }: TraceSpan): string {
  if (kind === "call") return stateNames[state];
  if (state === "succeeded") return waits.length > 0 ? t("decided") : "";
  return state === "running" ? t("running") : state === "failed" ? t("failed") : t("stopped");
}

/** When a row was at work, for those who do not see its bar. */
export function timesOf({ all, waits }: TraceSpan): string {
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const times = t("From {0} to {1}", duration(all.from), duration(all.to));
  return waited === 0 ? times : t("{0}, of which {1} waiting for you", times, duration(waited));
}

/** How long the row's own work took. */
export function lengthOf({ work, waits, all }: TraceSpan): number {
  if (work) return work.to - work.from;
  return waits.length > 0 ? waits.reduce((sum, { from, to }) => sum + to - from, 0) : all.to - all.from;
}

/** "3,900 read (1,200 cached), 310 written (100 of them thought)". */
function usageOf({ input, output, cached, reasoning }: Usage): string {
  const read =
    cached === undefined ? t("{0} read", number(input)) : t("{0} read ({1} cached)", number(input), number(cached));
  const written =
    reasoning === undefined
      ? t("{0} written", number(output))
      : t("{0} written ({1} thinking)", number(output), number(reasoning));
  return `${read}, ${written}`;
}

/** Everything about a row, in one line. */
export function detailOf(span: TraceSpan): string {
  const { model, first, usage, cost, work, waits, kind, label } = span;
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const parts = [
    kind === "pause" && label ? told(label.verb) : nameOf(span),
    model,
    stateOf(span),
    work && work.to > work.from
      ? t("at work from {0} for {1}", duration(work.from), duration(work.to - work.from))
      : "",
    waited > 0 ? t("{0} waiting for you", duration(waited)) : "",
    first === null ? "" : t("first word after {0}", duration(first)),
    usage ? t("tokens: {0}", usageOf(usage)) : "",
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
  const cached = usage.cached ? t("{0} ({1} cached)", number(tokens), number(usage.cached)) : number(tokens);
  return [
    total(status === null ? t("So far") : t("Time"), duration(time)),
    ...(waited > 0 ? [total(t("Waiting for you"), duration(waited))] : []),
    ...(tokens > 0 ? [total(t("Tokens"), cached, usageOf(usage))] : []),
    ...(cost === null || tokens === 0 ? [] : [total(t("Cost"), dollars(cost))]),
  ];
}
