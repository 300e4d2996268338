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
  return (
    changes(first.writes, [...second.writes, ...second.reads]) ||
    changes(second.writes, [...first.writes, ...first.reads])
  );
}

/** Whether one of the others is written, or is in a folder that is deleted or moved. */
function changes(writes: readonly string[], others: readonly string[]): boolean {
  const names = others.map(plain);
  return writes.map(plain).some((path) => names.some((name) => name === path || name.startsWith(`${path}/`)));
}

/** One spelling for one path: models write `./src/a.js` and `src//a.js` for the same file. */
function plain(path: string): string {
  const kept: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return kept.join("/");
}
