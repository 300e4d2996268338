// Which compaction counts in a transcript, and where the conversation goes on after it. Pure.
import { type CompactionEntry, type Entry, isMessage } from "./messages.ts";

/**
 * The newest compaction that was not undone; of one that was edited, its newest text.
 * @param own entries of one conversation, a delegate's left out
 */
export function compactionOf(own: readonly Entry[]): CompactionEntry | undefined {
  const undone = new Set<string>();
  const edits = new Map<string, CompactionEntry>();
  for (let index = own.length - 1; index >= 0; index -= 1) {
    const entry = own[index];
    if (!entry || isMessage(entry)) continue;
    if (entry.type === "compaction_undone") undone.add(entry.compactionId);
    if (entry.type !== "compaction") continue;
    if (entry.edits === undefined && !undone.has(entry.id)) return edits.get(entry.id) ?? entry;
    if (entry.edits === undefined) continue;
    if (undone.has(entry.id)) undone.add(entry.edits);
    if (!edits.has(entry.edits)) edits.set(entry.edits, entry);
  }
  return undefined;
}

/** Where the messages begin that the model still reads as they are; if that line is lost, behind the compaction itself. */
export function keptFrom(own: readonly Entry[], { firstKeptId, edits, id }: CompactionEntry): number {
  const first = own.findIndex((entry) => entry.id === firstKeptId);
  return first === -1 ? own.findIndex((entry) => entry.id === (edits ?? id)) + 1 : first;
}
