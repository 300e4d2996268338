// The content blocks of an assistant message: kept as the server sent them, or made anew from its words and calls. Pure.
import type { AssistantEntry, ToolCall } from "../protocol/messages.ts";
import { isRecord, listOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** What is kept of a reply and given back, to its own server only (C-45). */
export interface Kept {
  readonly host: string;
  /** The fingerprint of everything that was sent before the reply. */
  readonly seal: string;
  readonly blocks: readonly WireRecord[];
}

/** Reads what a message keeps; null when nothing of it came from this host. */
export function keptFrom(host: string, { providerData }: AssistantEntry): Kept | null {
  const kept = recordOf(providerData);
  if (kept["host"] !== host) return null;
  return { host, seal: textOf(kept["seal"]), blocks: listOf(kept["blocks"]).filter(isRecord) };
}

/** The blocks of words and calls alone. */
export function plainBlocks(content: string, calls: readonly ToolCall[]): readonly WireRecord[] {
  return [...textBlocks(content), ...calls.map(toolUse)];
}

/** The words as a block; none for blank ones, which the API refuses. */
export function textBlocks(text: string): readonly WireRecord[] {
  return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function toolUse({ id, name, arguments: text }: ToolCall): WireRecord {
  return { type: "tool_use", id, name: safeName(name), input: inputOf(text) };
}

/** A name that a model made up may have signs in it that the API refuses. */
export function safeName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/** The arguments as the object that the API asks for; an empty one for text that is none. */
export function inputOf(text: string): WireRecord {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Whether the blocks say more than words and calls do. */
export function saysMore(blocks: readonly WireRecord[]): boolean {
  const calls = blocks
    .filter(({ type }) => type === "tool_use")
    .map((block) => ({
      id: textOf(block["id"]),
      name: textOf(block["name"]),
      arguments: JSON.stringify(block["input"]),
    }));
  return JSON.stringify(blocks) !== JSON.stringify(plainBlocks(wordsOf(blocks), calls));
}

function wordsOf(blocks: readonly WireRecord[]): string {
  return blocks.map((block) => (block["type"] === "text" ? textOf(block["text"]) : "")).join("");
}

/**
 * The kept blocks in their order, fitted to what the message has become: calls that were not taken up are left out,
 * words of a block that broke off are put behind. Null when the message's words are not those of the blocks.
 */
export function replayedBlocks(message: AssistantEntry, { blocks }: Kept): readonly WireRecord[] | null {
  const said = wordsOf(blocks);
  if (!message.content.startsWith(said)) return null;
  const calls = message.tool_calls ?? [];
  const wanted = new Set(calls.map(({ id }) => id));
  const present = new Set(blocks.map((block) => textOf(block["id"])));
  const fitted = [
    ...blocks.filter(
      (block) =>
        (block["type"] !== "tool_use" || wanted.has(textOf(block["id"]))) &&
        (block["type"] !== "text" || textOf(block["text"]).trim() !== ""),
    ),
    ...textBlocks(message.content.slice(said.length)),
    ...calls.filter(({ id }) => !present.has(id)).map(toolUse),
  ];
  // The API refuses a message that ends with a thought.
  return fitted.slice(0, fitted.findLastIndex((block) => !isThought(block)) + 1);
}

export function isThought({ type }: WireRecord): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
