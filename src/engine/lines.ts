// What a reply and its calls leave in the conversation: lines of the transcript, which are messages for the model too.
import type { AssistantEntry, ToolCall, ToolEntry } from "../protocol/messages.ts";
import type { CallRecord } from "./perform.ts";
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
    model: run.model.id,
    ...(reply.end.kind !== "finished" && { interrupted: true }),
    ...(reply.providerData !== undefined && { providerData: reply.providerData }),
  };
}

export function toolEntry({ call, ...record }: CallRecord, run: Running): ToolEntry {
  const { content, status, duration, label, preview, verdict, error, stored, after } = record;
  return {
    role: "tool",
    tool_call_id: call.id,
    content,
    timestamp: timestamp(run.ports),
    id: run.ports.ids(),
    runId: run.runId,
    name: call.name,
    status,
    duration,
    label,
    ...(preview && { preview }),
    ...(verdict && { verdict }),
    ...(error && { error }),
    ...(after && { after: [...after] }),
    ...stored,
  };
}
