// What Brain itself asks a model when a conversation has grown long: notes that last, and a summary. A script has neither.
import type { DemoReply, Turn } from "./conversation.ts";

/** The word that Brain asks for when there is nothing to store. */
export function nothingToStore(): DemoReply {
  return { text: "NO_REPLY", calls: [] };
}

/** Says what it can count, and no more. */
export function sumUp({ task }: Turn): DemoReply {
  const count = (start: RegExp): number => task.match(start)?.length ?? 0;
  const said = count(/^The person: /gm);
  const called = count(/^Called /gm);
  const text = `The script cannot sum up. Messages of the person: ${said}; calls: ${called}. What the person said stands above, word for word.`;
  return { text, calls: [] };
}
