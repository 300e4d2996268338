// The answer of a run as it is written: what belongs to a reply that ends in calls is never part of it (PROMPTY-9.3).
import { createStream } from "./engine/emit.ts";
import type { Emit } from "./engine/ports.ts";
import type { LoopEvent } from "./protocol/events.ts";

/**
 * When text is handed on. `certain`: once no calls can follow it, which is at once where the agent has no tools, and else at
 * the end of the reply. `early`: as it arrives, once a reply has begun with text; what a model says before its calls is
 * handed on too.
 */
export type Forwarding = "certain" | "early";

export interface FinalText extends AsyncIterable<string> {
  readonly hear: Emit;
  close(): void;
}

/** @param certainly whether no calls can follow a text of this run */
export function finalText(forwarding: Forwarding, certainly: () => boolean): FinalText {
  const out = createStream<string>();
  let held: string[] = [];
  let called = false;
  const hear = (event: LoopEvent): void => {
    if (event.type === "stream:delta") {
      if (certainly() || (forwarding === "early" && !called)) out.push(event.content);
      else held.push(event.content);
    }
    if (event.type === "call:streaming") called ||= event.within === undefined;
    if (event.type !== "message:end") return;
    if (!event.interim && !event.interrupted) for (const text of held) out.push(text);
    held = [];
    called = false;
  };
  return { hear, close: () => out.close(), [Symbol.asyncIterator]: () => out[Symbol.asyncIterator]() };
}
