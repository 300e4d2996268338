// Images, files and audio of a message, as the wires need them: where they are, or what they hold. Pure.
import type { ContentPart } from "../protocol/messages.ts";

export interface MessageWithParts {
  readonly content: string;
  readonly parts?: readonly ContentPart[] | undefined;
}

/** What a message consists of, in its order: parts that have its words among them stand for it, others follow its words. */
export function partsOf({ content, parts = [] }: MessageWithParts): readonly ContentPart[] {
  const whole = parts.some(({ kind }) => kind === "text") || content === "";
  return whole ? parts : [{ kind: "text", value: content }, ...parts];
}

/** The words, when a message is nothing else; null when there is more to it. */
export function wordsOnly(message: MessageWithParts): string | null {
  return (message.parts ?? []).length === 0 ? message.content : null;
}

export type Source =
  | { readonly kind: "url"; readonly url: string }
  /** `data` is base64. */
  | { readonly kind: "data"; readonly mediaType: string; readonly data: string };

const usual = { text: "text/plain", image: "image/png", file: "application/pdf", audio: "audio/wav" } as const;

/** Reads the value of a part: an address, a `data:` URL, or base64. */
export function sourceOf({ kind, value, mediaType }: ContentPart): Source {
  if (/^https?:\/\//i.test(value)) return { kind: "url", url: value };
  const inline = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s.exec(value);
  const type = mediaType ?? inline?.[1] ?? "";
  return { kind: "data", mediaType: type === "" ? usual[kind] : type, data: inline?.[2] ?? value };
}

/** The part as one address: its own, or a `data:` URL. */
export function addressOfPart(part: ContentPart): string {
  const source = sourceOf(part);
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** A name for files that have none: some endpoints refuse them without. */
export function fileName(part: ContentPart): string {
  if (part.name !== undefined) return part.name;
  const source = sourceOf(part);
  const end = source.kind === "data" ? (source.mediaType.split("/").at(-1) ?? "") : "";
  return `file.${/^[a-z0-9]+$/i.test(end) ? end : "bin"}`;
}

const formats = new Map([
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
]);

/** The format of audio, as endpoints name it. */
export function audioFormat(part: ContentPart): string {
  const source = sourceOf(part);
  const type = source.kind === "data" ? source.mediaType : (part.mediaType ?? usual.audio);
  return formats.get(type) ?? type.replace(/^audio\//, "");
}

const nouns = { text: "Text", image: "An image", file: "A file", audio: "Audio" } as const;

/** Stands for a part that cannot be sent. */
export function unsent({ kind, name }: ContentPart): string {
  return `[${name === undefined ? nouns[kind] : `“${name}”`} is not shown: this model does not take it.]`;
}
