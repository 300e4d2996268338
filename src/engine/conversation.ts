// From the transcript to what a model may be sent: every call answered once, in call order, nothing orphaned. Pure.
import { compactionOf, keptFrom } from "../protocol/compacted.ts";
import type { AssistantEntry, Entry, Message, ToolEntry, UndoEntry, UserEntry } from "../protocol/messages.ts";
import { isMessage } from "../protocol/messages.ts";
import { withContents } from "./attachments.ts";
import { compactedMessage } from "./compacted.ts";

/**
 * The conversation as providers accept it (BRAIN-EXEC-18, LOOP-INNER-9). It begins with the newest compaction, if there is one (C-07).
 * Results are put behind their call in call order; a call without one gets a synthetic result (C-40).
 */
export function conversation(entries: readonly Entry[]): Message[] {
  // What a delegate said belongs to its call: the caller reads its result.
  const own = entries.filter(({ within }) => within === undefined);
  const compaction = compactionOf(own);
  const messages = withUndone(compaction ? own.slice(keptFrom(own, compaction)) : own);
  const conversation: Message[] = compaction ? [compactedMessage(compaction)] : [];
  messages.forEach((message, index) => {
    if (message.role === "tool") return;
    if (message.role === "assistant" && message.content === "" && !message.tool_calls?.length) return;
    conversation.push(message);
    if (message.role === "assistant") conversation.push(...resultsOf(message, resultsAfter(messages, index)));
  });
  return conversation;
}

/** What a person has undone between two runs is told with what they say next: the model believes its files are as it left them. */
function withUndone(entries: readonly Entry[]): readonly Message[] {
  let undone: readonly UndoEntry[] = [];
  return entries.flatMap((entry): Message[] => {
    if (!isMessage(entry)) {
      if (entry.type === "undo") undone = [...undone, entry];
      return [];
    }
    if (entry.role !== "user") return [entry];
    const message = withContents(entry);
    const told: UserEntry = { ...message, content: [...undone.map(toldOf), message.content].join("\n\n") };
    if (undone.length === 0) return [message];
    undone = [];
    return [told];
  });
}

function toldOf({ what, undoes, changes: { files, more }, left }: UndoEntry): string {
  const did = undoes === undefined ? "The person undid" : "The person took back the undoing of";
  const names = files.map(({ path, kind }) => `- ${path} (${now[kind]})`);
  const rest = more === 0 ? [] : [`- and ${more} more`];
  const kept = left.length === 0 ? [] : [`Left as they were: ${left.join(", ")}.`];
  const head = `[${did} ${what}. These files are different now; read them again before you rely on them:`;
  return `${[head, ...names, ...rest, ...kept].join("\n")}]`;
}

const now = { added: "there again", changed: "put back", deleted: "gone again" } as const;

/** Up to the next message that is none: a long conversation is looked through once, not once for each reply. */
function resultsAfter(messages: readonly Message[], index: number): readonly ToolEntry[] {
  const results: ToolEntry[] = [];
  for (let next = index + 1; ; next += 1) {
    const message = messages[next];
    if (message?.role !== "tool") return results;
    results.push(message);
  }
}

function resultsOf(message: AssistantEntry, results: readonly ToolEntry[]): ToolEntry[] {
  return (message.tool_calls ?? []).map(
    (call) =>
      results.find((result) => result.tool_call_id === call.id) ?? {
        role: "tool",
        tool_call_id: call.id,
        content: "Cancelled: the run ended before this call did.",
        id: `${message.id}-${call.id}`,
        runId: message.runId,
        timestamp: message.timestamp,
        name: call.name,
        status: "cancelled",
        duration: 0,
      },
  );
}
