// A conversation in pieces that must stay together: a reply with the results of its calls, or one message of the person. Pure.
import type { Message } from "../protocol/messages.ts";
import { messageTokens } from "./estimate.ts";

/** @param messages as `conversation` makes them: results right behind their calls */
export function unitsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const units: Message[][] = [];
  for (const message of messages) {
    const unit = units.at(-1);
    if (message.role === "tool" && unit) unit.push(message);
    else units.push([message]);
  }
  return units;
}

export interface Cut {
  readonly gone: readonly Message[];
  readonly kept: readonly Message[];
}

/**
 * Keeps the end of a conversation (BRAIN-COMP-2): its last unit in any case, and those before it while they fit.
 * @param most messages and tokens that may be kept
 */
export function keepEnd(messages: readonly Message[], most: { messages: number; tokens: number }): Cut {
  const units = unitsOf(messages);
  let from = Math.max(0, units.length - 1);
  let count = units[from]?.length ?? 0;
  let tokens = messageTokens(units[from] ?? []);
  for (let unit = units[from - 1]; unit; unit = units[from - 1]) {
    count += unit.length;
    tokens += messageTokens(unit);
    if (count > most.messages || tokens > most.tokens) break;
    from -= 1;
  }
  return { gone: units.slice(0, from).flat(), kept: units.slice(from).flat() };
}

/** Leaves out the oldest units until the rest fits; nothing is left when not even the last unit does. */
export function endThatFits(messages: readonly Message[], tokens: number): readonly Message[] {
  const units = unitsOf(messages);
  let left = tokens;
  let from = units.length;
  for (let unit = units[from - 1]; unit; unit = units[from - 1]) {
    left -= messageTokens(unit);
    if (left < 0) break;
    from -= 1;
  }
  return units.slice(from).flat();
}
