// Tokens as the Messages API counts them: in parts, and again with every report. Pure.
import type { Usage } from "../protocol/usage.ts";
import { numberOf, recordOf, type WireRecord } from "./wireValue.ts";

const counts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"] as const;

/** The highest that was reported of each count; absent: never reported. */
export type Counts = Readonly<Partial<Record<(typeof counts)[number] | "thinking_tokens", number>>>;

/** Takes in a report. Counts only grow, and some servers send zeros where they know nothing new. */
export function withReport(before: Counts, raw: unknown): Counts {
  const report: WireRecord = recordOf(raw);
  const thinking = recordOf(report["output_tokens_details"])["thinking_tokens"];
  const after: Partial<Record<keyof Counts, number>> = { ...before };
  for (const [name, value] of [
    ...counts.map((name) => [name, report[name]] as const),
    ["thinking_tokens", thinking],
  ] as const) {
    const count = numberOf(value);
    if (count !== undefined) after[name] = Math.max(count, before[name] ?? 0);
  }
  return after;
}

/** The sum; null when nothing was reported. What is written to the cache is input, too. */
export function usageOf(known: Counts): Usage | null {
  if (Object.keys(known).length === 0) return null;
  const { cache_read_input_tokens: cached, cache_creation_input_tokens: written, thinking_tokens: reasoning } = known;
  return {
    input: (known.input_tokens ?? 0) + (written ?? 0) + (cached ?? 0),
    output: known.output_tokens ?? 0,
    ...(cached !== undefined && { cached }),
    ...(written !== undefined && { written }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
