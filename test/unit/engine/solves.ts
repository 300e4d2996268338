// A scripted reply of a model that answers in words: a Solution, cut into pieces as a stream would.
import type { ModelEvent } from "../../../src/engine/ports.ts";

/** The events of a reply whose text is this, in pieces of so many characters. */
export function writes(text: string, size = 7): ModelEvent[] {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
  return [
    ...pieces.map((piece) => ({ type: "text", text: piece }) as const),
    { type: "usage", usage: { input: 10, output: 5 } },
    { type: "finish", reason: "stop" },
  ];
}

/** The events of a reply that is this Solution. */
export function solves(solution: unknown): ModelEvent[] {
  return writes(JSON.stringify(solution));
}
