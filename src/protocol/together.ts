// Neighbouring pieces of one text as one event. Pure.
import { appended } from "./appended.ts";
import type { PanelEvent } from "./events.ts";
import { arrivingTail } from "./viewCall.ts";

/** The two as one; null when they are not pieces of one text. */
export function together<T extends PanelEvent>(a: T, b: T): T | null {
  return ofMessage(a, b) ?? ofCall(a, b);
}

function ofMessage<T extends PanelEvent>(a: T, b: T): T | null {
  if (a.type === "stream:delta" && b.type === "stream:delta" && a.messageId === b.messageId)
    return { ...a, content: appended(a.content, b.content) };
  if (a.type === "stream:thinking" && b.type === "stream:thinking" && a.messageId === b.messageId)
    return { ...a, content: appended(a.content, b.content) };
  return null;
}

function ofCall<T extends PanelEvent>(a: T, b: T): T | null {
  if (a.type === "tool:output" && b.type === "tool:output" && a.toolCallId === b.toolCallId)
    return { ...a, chunk: appended(a.chunk, b.chunk) };
  if (a.type === "call:delta" && b.type === "call:delta" && a.toolCallId === b.toolCallId)
    return { ...a, text: appended(a.text, b.text) };
  if (a.type === "call:field" && b.type === "call:field" && a.toolCallId === b.toolCallId && a.name === b.name)
    return { ...a, text: appended(a.text, b.text).slice(-arrivingTail) };
  return null;
}
