// From the transcript to what a model may be sent: every call answered once, in call order, nothing orphaned. Pure.
import { compactionOf, keptFrom } from "../protocol/compacted.ts";
import type {
  AssistantEntry,
  Entry,
  Message,
  TodosEntry,
  ToolEntry,
  UndoEntry,
  UserEntry,
} from "../protocol/messages.ts";
import { isMessage } from "../protocol/messages.ts";
import type { Todo } from "../protocol/todos.ts";
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
  const messages = withTold(compaction ? own.slice(keptFrom(own, compaction)) : own);
  const conversation: Message[] = compaction ? [compactedMessage(compaction)] : [];
  messages.forEach((message, index) => {
    if (message.role === "tool") return;
    if (message.role === "assistant" && message.content === "" && !message.tool_calls?.length) return;
    conversation.push(message);
    if (message.role === "assistant") conversation.push(...resultsOf(message, resultsAfter(messages, index)));
  });
  return conversation;
}

/**
 * What a person has undone between two runs is told with what they say next: the model believes its files are as it left them.
 * So is the list of to-dos that they have changed; while a run goes on it is told before the next reply.
 */
function withTold(entries: readonly Entry[]): readonly Message[] {
  let undone: readonly UndoEntry[] = [];
  let list: TodosEntry | null = null;
  const tellList = (): readonly TodosEntry[] => {
    const told = list ? [list] : [];
    list = null;
    return told;
  };
  const messages = entries.flatMap((entry): Message[] => {
    if (!isMessage(entry)) {
      if (entry.type === "undo") undone = [...undone, entry];
      if (entry.type === "todos") list = entry;
      return [];
    }
    if (entry.role === "tool") return [entry];
    if (entry.role === "assistant") return [...tellList().map(said), entry];
    const message = withContents(entry);
    const told = [...undone.map(toldOf), ...tellList().map(({ todos }) => listOf(todos))];
    undone = [];
    return [told.length === 0 ? message : { ...message, content: [...told, message.content].join("\n\n") }];
  });
  return [...messages, ...tellList().map(said)];
}

function said({ id, runId, timestamp, todos }: TodosEntry): UserEntry {
  return { role: "user", id, runId, timestamp, content: listOf(todos), steering: true };
}

/** Nothing keeps the model from sending another list: it is told in so many words that what the person changed is not its own to undo. */
function listOf(todos: readonly Todo[]): string {
  const head = "[The person changed the to-do list. It takes the place of yours";
  if (todos.length === 0) return `${head}: nothing is left on it. Do not put back what they took out.]`;
  const lines = todos.map(({ text, state }) => `- ${text} (${state})`);
  const keep =
    "Keep to it, and take it over as it is when you update the list: what they added, reworded, finished or took out stays so.";
  return `${[`${head}:`, ...lines, keep].join("\n")}]`;
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
