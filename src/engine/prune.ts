// Long results of tools give way to a line, in what the model reads and nowhere else; calls and results stay in pairs. Pure.
import type { Message, ToolEntry } from "../protocol/messages.ts";
import { charactersPerToken } from "./estimate.ts";

/** How many characters of a result are still shown, by the id of its entry; 0: the line only. */
export type Pruned = ReadonlyMap<string, number>;

/** The last results are always whole (BRAIN-CTX-10). */
const wholeResults = 5;
/** Characters; what is shorter costs less than the line would save. */
const long = 600;
/** What the note in the middle of a cut result may take. */
const margin = 100;
/** Of the first line of a result, so that the model knows what it was. */
const beginning = 120;

/**
 * Which results give way now, with those that have before: what was pruned once stays so, because every change makes the
 * provider read the conversation anew.
 * @param keep how many of the last results stay whole
 */
export function prune(messages: readonly Message[], before: Pruned, keep = wholeResults): Pruned {
  const results = messages.filter((message) => message.role === "tool");
  const old = results.slice(0, Math.max(0, results.length - keep));
  const more = old.filter(({ id, content, parts }) => (content.length > long || parts) && before.get(id) !== 0);
  return more.length === 0 ? before : new Map([...before, ...more.map(({ id }) => [id, 0] as const)]);
}

/**
 * Cuts results that could never be sent as they are, the longest first, until the conversation takes so much less.
 * @param least characters that are left of each
 */
export function cutLongest(messages: readonly Message[], before: Pruned, least: number, tokens: number): Pruned {
  const pruned = new Map(before);
  let over = Math.ceil(tokens * charactersPerToken);
  const results = messages
    .filter((message) => message.role === "tool")
    .map(({ id, content }) => ({ id, length: Math.min(content.length, pruned.get(id) ?? content.length) }))
    .toSorted((a, b) => b.length - a.length);
  for (const { id, length } of results) {
    if (over <= 0 || length <= least + margin) break;
    const left = Math.max(least, length - over - margin);
    pruned.set(id, left);
    over -= length - left - margin;
  }
  return pruned;
}

/** The conversation as the model reads it (BRAIN-CTX-9). */
export function withPruned(messages: readonly Message[], pruned: Pruned): Message[] {
  if (pruned.size === 0) return [...messages];
  return messages.map((message) => {
    const left = message.role === "tool" ? pruned.get(message.id) : undefined;
    if (message.role !== "tool" || left === undefined) return message;
    const { parts, ...words } = message;
    if (words.content.length <= left) return parts ? words : message;
    return { ...words, content: left === 0 ? lineFor(message) : shorten(message.content, left) };
  });
}

function lineFor({ name, content, status }: ToolEntry): string {
  const first = content.trimStart().split("\n", 1)[0] ?? "";
  const began = first.length > beginning ? `${withoutHalves(first.slice(0, beginning))}…` : first;
  const size = content.length.toLocaleString("en");
  return `[Left out to save room: this result of ${name} (${status}, ${size} characters). It began: ${began} To see it again, make the call again.]`;
}

/** The beginning and the end of a text, and how much is missing between them. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most * 2) / 3);
  const tail = most - head;
  const missing = (text.length - most).toLocaleString("en");
  const end = tail === 0 ? "" : text.slice(-tail);
  return withoutHalves(`${text.slice(0, head)}\n[… ${missing} characters left out …]\n${end}`);
}

/** A character that is two units long may have been cut in half, and not every endpoint takes halves. */
export function withoutHalves(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, "\uFFFD");
}
