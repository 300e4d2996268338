// Inputs that are more than text: threads, images, files and audio, checked and in one form.
import * as z from "zod";
import { LoopError } from "../protocol/errors.ts";
import { ContentPart } from "../protocol/messages.ts";
import type { Rich } from "./promptyMessages.ts";
import type { Property } from "./promptyShape.ts";

const kinds: ReadonlySet<string> = new Set(["thread", "image", "file", "audio"]);

export function isRich({ kind }: Property): boolean {
  return kinds.has(kind);
}

const Message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(ContentPart)]),
  metadata: z.record(z.string(), z.unknown()).exactOptional(),
});
const Thread = z.union([
  z.array(Message),
  z.object({ messages: z.array(Message) }).transform(({ messages }) => messages),
]);
const Source = z.union([z.string(), ContentPart.omit({ kind: true })]);

/**
 * @returns null when there is nothing: not given, or empty
 * @throws LoopError `input_invalid` for a value that is not of this kind
 */
export function richOf(name: string, kind: string, value: unknown): Rich | null {
  if (value === undefined || value === null || value === "") return null;
  if (kind === "thread") {
    const thread = Thread.safeParse(value);
    if (!thread.success) throw wrong(name, "a list of messages, each with a role and a content");
    const messages = thread.data.map(({ content, ...message }) => ({
      ...message,
      content: typeof content === "string" ? [textPart(content)] : content,
    }));
    return messages.length === 0 ? null : { kind: "thread", messages };
  }
  const sources = z.array(Source).safeParse(Array.isArray(value) ? value : [value]);
  if (!sources.success) throw wrong(name, "an address, data in base64, or a group with value and mediaType");
  const parts = sources.data.map((source) => partOf(kind, source));
  return parts.length === 0 ? null : { kind: "parts", parts };
}

function textPart(value: string): ContentPart {
  return { kind: "text", value };
}

function partOf(kind: string, source: z.infer<typeof Source>): ContentPart {
  const part = typeof source === "string" ? { value: source } : source;
  return { kind: ContentPart.shape.kind.parse(kind), ...part };
}

function wrong(name: string, form: string): LoopError {
  return new LoopError("input_invalid", `The input “${name}” must be ${form}.`);
}
