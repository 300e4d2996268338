// What a reply and its calls leave in the conversation: lines of the transcript, which are messages for the model too.
import type { AssistantEntry, ToolCall, ToolEntry } from "../protocol/messages.ts";
import type { ScheduledRecord } from "./perform.ts";
import type { Touches } from "./ports.ts";
import type { Reply } from "./request.ts";
import { timestamp, type Running } from "./running.ts";

export function assistantEntry(
  reply: Reply,
  calls: readonly ToolCall[],
  iteration: number,
  run: Running,
): AssistantEntry {
  return {
    role: "assistant",
    content: reply.text,
    ...(calls.length > 0 && { tool_calls: [...calls] }),
    timestamp: timestamp(run.ports),
    id: reply.messageId,
    runId: run.runId,
    iteration,
    model: (reply.model ?? run.model).id,
    ...(reply.end.kind !== "finished" && { interrupted: true }),
    ...(reply.providerData !== undefined && { providerData: reply.providerData }),
  };
}

export function toolEntry({ call, effect, touches, ...record }: ScheduledRecord, run: Running): ToolEntry {
  const { content, status, at, duration, waited, label, preview, verdict, error, stored, after, changes, parts } =
    record;
  return {
    role: "tool",
    tool_call_id: call.id,
    content,
    ...(parts && { parts: [...parts] }),
    timestamp: timestamp(run.ports),
    id: run.ports.ids(),
    runId: run.runId,
    name: call.name,
    status,
    at,
    duration,
    ...(waited && { waited: [...waited] }),
    label,
    ...(effect !== "read" && { effect }),
    ...touchedOf(touches),
    ...(preview && { preview }),
    ...(verdict && { verdict }),
    ...(error && { error }),
    ...(changes && { changes }),
    ...(after && { after: [...after] }),
    ...stored,
  };
}

/** What a rerun needs to keep calls in their order. */
function touchedOf({ reads, writes, runs }: Touches): Pick<ToolEntry, "touches"> {
  if (reads.length + writes.length === 0 && !runs) return {};
  const touches = {
    ...(reads.length > 0 && { reads: [...reads] }),
    ...(writes.length > 0 && { writes: [...writes] }),
    ...(runs && { runs }),
  };
  return { touches };
}
