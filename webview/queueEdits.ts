// Waiting messages that are being written anew: kept until the host has their new text; given back when a message is gone.
import type { QueuedMessage } from "../src/protocol/events.ts";
import type { Ui } from "./ui.ts";

export interface QueueEdit {
  readonly text: string;
  /** What it was when the person began. */
  readonly was: string;
}

/** What is written now and what was given back, once the queue is this one. */
export function afterQueue({ edits, ...ui }: Ui, queue: readonly QueuedMessage[]): Ui {
  const waiting = new Map(queue.map(({ id, text }) => [id, text]));
  const isNew = ({ text, was }: QueueEdit): boolean => text.trim() !== "" && text !== was;
  const all = Object.entries(edits);
  const lost = all.filter(([id, edit]) => !waiting.has(id) && isNew(edit)).map(([, { text }]) => text);
  const left = all.filter(([id, edit]) => waiting.has(id) && !(isNew(edit) && waiting.get(id) === edit.text));
  if (left.length === all.length) return { ...ui, edits };
  const draft = [...lost, ui.draft].filter((text) => text !== "").join("\n\n");
  return { ...ui, draft, edits: Object.fromEntries(left), tooLate: ui.tooLate || lost.length > 0 };
}
