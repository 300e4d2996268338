// Images and PDFs that a person gives with a message: which, how many, and what is shown of them. Pure.
import type { AttachedInfo } from "./attachments.ts";
import type { ContentPart } from "./messages.ts";

export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export const fileTypes = ["application/pdf"] as const;

/** Bytes of one of them, and how many a message may have. */
export const mostPartBytes = 5_000_000;
export const mostParts = 4;

/** Characters of a picture that is small enough to be part of an event. */
export const mostThumbnail = 60_000;

/** Base64 characters for so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** The parts of a message as they are shown; its words are shown as what they are. */
export function shownParts(parts: readonly ContentPart[] = []): readonly AttachedInfo[] {
  return parts.flatMap((part) => (part.kind === "text" ? [] : [shown(part)]));
}

function shown(part: ContentPart): AttachedInfo {
  const { kind, name } = part;
  const thumbnail = thumbnailOf(part);
  return {
    kind: kind === "image" ? "image" : "file",
    label: name ?? nouns[kind],
    ...(thumbnail !== null && { thumbnail }),
  };
}

/** Only what is in the message itself: a picture elsewhere would be fetched by looking at it. */
function thumbnailOf({ kind, value, mediaType = "", thumbnail }: ContentPart): string | null {
  if (kind !== "image") return null;
  if (thumbnail !== undefined) return thumbnail;
  const isPlain = imageTypes.some((type) => type === mediaType) && !value.includes(":");
  return isPlain && value.length <= mostThumbnail ? `data:${mediaType};base64,${value}` : null;
}

const nouns = { text: "Text", image: "Image", file: "File", audio: "Audio" } as const;
