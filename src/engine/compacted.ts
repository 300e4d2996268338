// What the model reads in place of the part of a conversation that gave way. Pure.
import type { CarriedPart, CompactionEntry, Entry, Message, UserEntry } from "../protocol/messages.ts";
import { isMessage } from "../protocol/messages.ts";

/** Whether the last that became of a compaction is that a person undid it: they want the conversation as it is. */
export function isUndone(entries: readonly Entry[]): boolean {
  const last = entries.findLast(
    (entry) =>
      !isMessage(entry) &&
      entry.within === undefined &&
      (entry.type === "compaction_undone" || (entry.type === "compaction" && entry.edits === undefined)),
  );
  return last !== undefined && !isMessage(last) && last.type === "compaction_undone";
}

/** The one message that stands for everything before. */
export function compactedMessage(entry: CompactionEntry): UserEntry {
  const { id, runId, timestamp } = entry;
  return { role: "user", content: textOf(entry), id, runId, timestamp };
}

/** Whether a message is such a one. */
export function isCompacted({ role, content }: Message): boolean {
  return role === "user" && content.startsWith(opening);
}

const headings: Readonly<Record<CarriedPart["kind"], string>> = {
  message: "What the person said, word for word, oldest first",
  refusal: "What the person refused",
  change: "What the person changed before it ran",
  file: "Files that were written",
  todo: "To-dos that are open; update_todos replaces the list",
};

function textOf({ summary, carried, leftOut = 0 }: CompactionEntry): string {
  const kinds: readonly CarriedPart["kind"][] = ["message", "refusal", "change", "file", "todo"];
  const sections = kinds.flatMap((kind) => {
    const parts = carried.filter((part) => part.kind === kind);
    if (parts.length === 0) return [];
    const lines = parts.map(({ text }, index) => (kind === "message" ? `${index + 1}. ${text}` : `- ${text}`));
    return [`## ${headings[kind]}\n${lines.join("\n")}`];
  });
  const more = leftOut === 0 ? [] : [`${leftOut} more of these had no room here.`];
  return [opening, ...sections, ...more, `## Summary of what was said and done\n${summary}`].join("\n\n");
}

const opening =
  "The earlier part of this session is given here in short, because it no longer fits. What the person said, refused and changed is as they wrote it and still holds; the summary tells the rest. The conversation goes on after it.";
