// Conversations for tests: made of a few numbers, so that they can be random.
import fc from "fast-check";
import type { Message } from "../../../src/protocol/messages.ts";

/** A message of the person, or a reply with results of so many characters each; no results: a reply in words. */
export type Piece = { readonly said: number } | { readonly results: readonly number[] };

const size = fc.integer({ min: 0, max: 3_000 });

export const randomHistory: fc.Arbitrary<readonly Piece[]> = fc.array(
  fc.oneof(fc.record({ said: size }), fc.record({ results: fc.array(size, { maxLength: 4 }) })),
  { maxLength: 25 },
);

/** Results begin with their place, such as `3-0`. */
export function history(pieces: readonly Piece[], prefix = ""): Message[] {
  const about = (id: string) => ({ id: `${prefix}${id}`, runId: "r", timestamp: "2026-01-02T03:04:05.000Z" });
  return pieces.flatMap((piece, index): Message[] => {
    if ("said" in piece) return [{ role: "user", content: text(`${index}`, piece.said), ...about(`u${index}`) }];
    const ids = piece.results.map((_, result) => `${prefix}${index}-${result}`);
    const tool_calls = ids.map((id) => ({ id, name: "read", arguments: "{}" }));
    const reply = { role: "assistant", content: `Reply ${index}`, ...about(`a${index}`), iteration: 1 } as const;
    const results = piece.results.map((length, result): Message => {
      const id = ids[result] ?? "";
      const made = { name: "read", status: "succeeded", duration: 1 } as const;
      return { role: "tool", tool_call_id: id, content: text(id, length), ...about(`t${id}`), ...made };
    });
    return [{ ...reply, ...(tool_calls.length > 0 && { tool_calls }) }, ...results];
  });
}

function text(start: string, length: number): string {
  return `${start} ${"x".repeat(length)}`.slice(0, length);
}

/** Every call is followed by its result, every result follows its call. */
export function pairsHold(messages: readonly Message[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (open.shift() !== message.tool_call_id) return false;
    } else {
      if (open.length > 0) return false;
      open = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    }
  }
  return open.length === 0;
}
