// What a recorded run used and when: the transcript has the sum at its end and, where a limit was met, how much it had been by then. Pure.
import { noUsage, type Usage } from "../protocol/usage.ts";
import type { Price } from "./ports.ts";
import { pausesOf, requestsBefore, type RecordedRun } from "./recorded.ts";

interface Mark {
  /** The last request before the limit was met. */
  readonly request: number;
  /** What had been used by then. */
  readonly used: number;
}

/** Where the record says how much had been used. */
export function marksOf(run: RecordedRun, reason: "tokens" | "cost"): readonly Mark[] {
  const marks: Mark[] = [];
  for (const { entry, index } of pausesOf(run).filter((pause) => pause.entry.reason === reason)) {
    // Between two of them there was a request, even when its reply left no line.
    const isLast = entry.choice === "stop";
    const request = Math.max(requestsBefore(run, index), isLast ? run.requests : (marks.at(-1)?.request ?? 0) + 1);
    marks.push({ request, used: numberIn(entry.message) });
  }
  const { error } = run.end ?? {};
  const spent = error?.code === "budget_spent" && error.message.includes("$") === (reason === "cost");
  return spent ? [...marks, { request: run.requests, used: numberIn(error.message) }] : marks;
}

/** An allowance that is used up at each mark, when it is renewed there, and not before; 0 is no limit. */
export function allowance(marks: readonly Mark[]): number {
  return marks.length === 0 ? 0 : Math.min(...marks.map(({ used }, n) => used - (marks[n - 1]?.used ?? 0)));
}

/** The first number in a sentence, as `toLocaleString("en")` writes it; 0 without one. */
export function numberIn(sentence: string): number {
  return Number(/\d[\d,]*(?:\.\d+)?/.exec(sentence)?.[0].replaceAll(",", "") ?? 0);
}

/** A price with which the tokens of `usageOf` cost what the record says; undefined where it says nothing. */
export function priceOf(run: RecordedRun): Price | undefined {
  const cost = marksOf(run, "cost").at(-1)?.used;
  if (cost === undefined) return undefined;
  const each = (cost * 1_000_000) / Math.max(1, tokensOf(totalOf(run)));
  return { input: each, output: each };
}

/**
 * What each request used: the first one everything, or, where limits were met, the last request before each what had been
 * used until then.
 */
export function usageOf(run: RecordedRun): (request: number) => Usage {
  const total = totalOf(run);
  const marks = sharesOf(run, tokensOf(total));
  const last = marks.length === 0 ? 1 : run.requests;
  const usedBy = (request: number): number =>
    request >= last
      ? tokensOf(total)
      : Math.max(0, ...marks.filter((mark) => mark.request <= request).map(({ used }) => used));
  // Taken from the front: first what was read, then what was written.
  const input = (tokens: number): number => Math.min(tokens, total.input);
  return (request) => {
    const before = usedBy(request - 1);
    const after = usedBy(request);
    const { cached, written, reasoning } = request === last ? total : noUsage;
    return {
      input: input(after) - input(before),
      output: after - input(after) - (before - input(before)),
      ...(cached !== undefined && { cached }),
      ...(written !== undefined && { written }),
      ...(reasoning !== undefined && { reasoning }),
    };
  };
}

function sharesOf(run: RecordedRun, total: number): readonly Mark[] {
  const tokens = marksOf(run, "tokens");
  if (tokens.length > 0) return tokens;
  const cost = marksOf(run, "cost");
  const last = cost.at(-1)?.used ?? 1;
  return cost.map(({ request, used }) => ({ request, used: Math.round((total * used) / last) }));
}

function totalOf({ end }: RecordedRun): Usage {
  return end?.usage ?? noUsage;
}

function tokensOf({ input, output }: Usage): number {
  return input + output;
}
