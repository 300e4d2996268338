// Which calls must wait for which: calls on one resource keep their order, the rest are parallel (C-04). Pure.
import type { Touches } from "./ports.ts";

/** A call that has not ended yet, in the order the model wrote it. */
export interface Scheduled {
  readonly id: string;
  readonly touches: Touches;
}

/** The earlier unfinished calls that this one has to wait for. */
export function blockers(call: Scheduled, earlier: readonly Scheduled[]): readonly string[] {
  return earlier.filter((other) => inOrder(other.touches, call.touches)).map((other) => other.id);
}

function inOrder(first: Touches, second: Touches): boolean {
  if (first.runs) return second.runs || second.writes.length > 0;
  if (second.runs) return first.writes.length > 0;
  return overlaps(first.writes, [...second.writes, ...second.reads]) || overlaps(first.reads, second.writes);
}

function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.some((path) => b.includes(path));
}
