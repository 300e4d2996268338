// From what a template gave to messages: role markers that stand in the file begin one; those that come with an input do not.
import type { ContentPart } from "../protocol/messages.ts";
import type { Segment } from "./promptySegments.ts";

export interface PromptMessage {
  readonly role: string;
  readonly content: readonly ContentPart[];
  /** What a role marker says in brackets. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What stands behind the markers of a render, by the name of the input. */
export type RichInputs = ReadonlyMap<string, Rich>;
export type Rich =
  | { readonly kind: "thread"; readonly messages: readonly PromptMessage[] }
  | { readonly kind: "parts"; readonly parts: readonly ContentPart[] };

/** Stands for one piece that the file has not written. A file that holds it itself has it replaced. */
const hole = "\u0000";

const marker = /^[ \t]*(?:#[ \t]*)?(system|user|assistant|developer)(?:[ \t]*\[([^\]\n]{0,1000})\])?[ \t]*:[ \t]*$/gim;

/** A line that begins as a role marker does, whatever follows: more than a marker, so that nothing passes for one. */
const boundary = /^[ \t]*(?:#[ \t]*)?(?:system|user|assistant|developer)(?:[ \t]*\[[^\]\n]*\])?[ \t]*:/im;

/** A marker with a tag of the template language in its brackets: as no marker takes anything of an input, it would be none. */
const filled =
  /^[ \t]*(?:#[ \t]*)?(?:system|user|assistant|developer)[ \t]*\[[^\n]{0,300}\{[{%][^\n]{0,300}\][ \t]*:[ \t]*$/im;

/** The line, from 1, of what its author will have meant for a role marker and is none; null when there is no such line. */
export function lineOfFilledMarker(template: string): number | null {
  const at = template.search(filled);
  return at === -1 ? null : template.slice(0, at).split("\n").length;
}

/** Whether a text could be taken for the beginning of a message. */
export function looksLikeRole(text: string): boolean {
  return boundary.test(text.replaceAll(/\r\n?/g, "\n"));
}

interface Block {
  /** Null: no marker began it. */
  readonly role: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** With holes. */
  readonly text: string;
}

/**
 * The messages of a rendered template. A line that an input has had any part in is never a role marker, so that no input can
 * begin a message. Text above the first marker is the system's (PROMPTY-6-1, PROMPTY-6-3).
 * @param rich what stands for the rich segments; threads become messages of their own at their place (PROMPTY-6-2)
 */
export function messagesOf(segments: readonly Segment[], rich: RichInputs = new Map()): readonly PromptMessage[] {
  const foreign = segments.filter(({ kind }) => kind !== "literal");
  const file = segments.map(({ kind, text }) => (kind === "literal" ? text.replaceAll(hole, "\uFFFD") : hole)).join("");
  let next = 0;
  return blocksOf(file).flatMap((block) => {
    const texts = block.text.split(hole);
    const pieces = texts.flatMap((text, i): (string | Rich)[] => {
      if (i === 0) return [text];
      const segment = foreign[next++];
      const value = segment?.kind === "rich" ? rich.get(segment.source ?? "") : undefined;
      return [value ?? segment?.text ?? "", text];
    });
    return expand(block, pieces);
  });
}

function blocksOf(file: string): readonly Block[] {
  const found = [...file.matchAll(marker)].filter(([line]) => !line.includes(hole));
  const before = file.slice(0, found[0]?.index);
  const blocks = found.map((match, i): Block => {
    const [whole, role = "", attributes] = match;
    const text = file.slice(match.index + whole.length, found[i + 1]?.index);
    return { role: role.toLowerCase(), metadata: attributes === undefined ? null : metadataOf(attributes), text };
  });
  return [{ role: null, metadata: null, text: before }, ...blocks];
}

function metadataOf(attributes: string): Readonly<Record<string, unknown>> {
  const pairs = attributes.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,]+))/g);
  return Object.fromEntries(
    [...pairs].map(([, key = "", double, single, bare = ""]) => [key, double ?? single ?? plain(bare)]),
  );
}

function plain(word: string): unknown {
  if (word === "true" || word === "false") return word === "true";
  return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : word;
}

function expand(block: Block, pieces: readonly (string | Rich)[]): readonly PromptMessage[] {
  const messages: PromptMessage[] = [];
  let text = "";
  let parts: ContentPart[] = [];
  const endText = (): void => {
    const value = trimNewlines(text);
    if (value.trim() !== "") parts.push({ kind: "text", value });
    text = "";
  };
  for (const piece of pieces) {
    if (typeof piece === "string") {
      text += piece;
    } else if (piece.kind === "parts") {
      endText();
      parts.push(...piece.parts);
    } else if (piece.messages.length > 0) {
      endText();
      if (parts.length > 0) messages.push(messageOf(block, parts));
      parts = [];
      messages.push(...piece.messages);
    }
  }
  if (messages.length === 0 && parts.length === 0) {
    if (block.role === null && text.trim() === "") return [];
    return [messageOf(block, [{ kind: "text", value: trimNewlines(text) }])];
  }
  endText();
  return parts.length > 0 ? [...messages, messageOf(block, parts)] : messages;
}

function messageOf({ role, metadata }: Block, content: readonly ContentPart[]): PromptMessage {
  return { role: role ?? "system", content, ...(metadata !== null && { metadata }) };
}

export function trimNewlines(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isNewline(text.charAt(start))) start++;
  while (end > start && isNewline(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function isNewline(char: string): boolean {
  return char === "\n" || char === "\r";
}
