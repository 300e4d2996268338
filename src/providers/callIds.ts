// Ids of calls: which ones a conversation has, and new ones where a server gave none or one of those again.
import { randomUUID } from "node:crypto";
import type { ModelRequest } from "../engine/ports.ts";

/** The ids of all calls so far: some servers count from zero in every reply. */
export function callIdsOf({ messages }: ModelRequest): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [])),
  );
}

/** An id in the form that servers give. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll("-", "")}`;
}
