// What a suite came to: how many tests passed, failed and were skipped, and what the failed ones said.
import * as z from "zod";

const Counts = z.object({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  /** The title of each failed test with what it said, where the suite tells. */
  failures: z.array(z.string()).optional(),
});
export type Counts = z.infer<typeof Counts>;

/** Counts that another process wrote as JSON. */
export const parseCounts = (json: string): Counts => Counts.parse(JSON.parse(json));

export const none: Counts = { passed: 0, failed: 0, skipped: 0 };

export const add = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  failures: [...(a.failures ?? []), ...(b.failures ?? [])],
});

export const sentence = (counts: Counts): string =>
  `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;

/** Nothing failed, and something ran. */
export const isGreen = (counts: Counts): boolean => counts.failed === 0 && counts.passed > 0;
