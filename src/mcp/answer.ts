// What a server answers to a call, as the model and people read it.
import type { ToolResult } from "../engine/ports.ts";
import type { ContentPart } from "../protocol/messages.ts";

/** A part of an answer, as far as it is looked at. */
export interface AnswerPart {
  readonly type: string;
  readonly text?: string | undefined;
  readonly data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly uri?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly resource?: unknown;
}

export interface Answer {
  readonly content: readonly AnswerPart[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** Images that models read; the least size, in bytes, that all endpoints take; how many of one answer. */
const shown: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const largest = 3_750_000;
const mostImages = 8;

/** @param problems what is wrong with the structured part, by the tool's own schema */
export function resultOf({ content, structuredContent, isError }: Answer, problems: readonly string[]): ToolResult {
  const images = content.filter(isShown).slice(0, mostImages);
  const texts = content.map((part) => (images.includes(part) ? inWords(part, "shown") : textOf(part)));
  // Servers repeat the structured part as text, for who reads no other.
  const told = texts.length > 0 || structuredContent === undefined ? texts : [JSON.stringify(structuredContent)];
  const wrong =
    problems.length > 0 ? [`[Its structured part is not as the tool declares it: ${problems.join(" ")}]`] : [];
  const text = [...told, ...wrong].join("\n");
  const failed = isError === true;
  const parts = images.map((part): ContentPart => ({
    kind: "image",
    value: part.data ?? "",
    mediaType: part.mimeType ?? "",
  }));
  return {
    status: failed ? "failed" : "succeeded",
    content: text === "" ? (failed ? "The tool failed and did not say why." : "Done.") : text,
    ...(parts.length > 0 && { parts }),
    ...(structuredContent !== undefined && { value: structuredContent }),
  };
}

function isShown({ type, mimeType = "", data = "" }: AnswerPart): boolean {
  return type === "image" && shown.has(mimeType) && bytesOf(data) <= largest && /^[A-Za-z\d+/=\s]+$/.test(data);
}

function textOf(part: AnswerPart): string {
  switch (part.type) {
    case "text":
      return part.text ?? "";
    case "resource_link":
      return `[${[part.name, part.uri, part.mimeType, part.description].filter(Boolean).join(" · ")}]`;
    case "resource":
      return resourceText(part.resource);
    default:
      return inWords(part, "not shown");
  }
}

function resourceText(resource: unknown): string {
  if (typeof resource !== "object" || resource === null) return "[a resource]";
  const { uri, text, mimeType, blob }: Readonly<Record<string, unknown>> = { ...resource };
  const about = [uri, mimeType].filter((part) => typeof part === "string").join(" · ");
  if (typeof text === "string") return `[${about}]\n${text}`;
  return `[${about} · ${bytesOf(typeof blob === "string" ? blob : "").toLocaleString("en")} bytes, not shown]`;
}

function inWords({ type, mimeType, data = "" }: AnswerPart, how: string): string {
  return `[${[type, mimeType].filter(Boolean).join(" · ")} · ${bytesOf(data).toLocaleString("en")} bytes, ${how}]`;
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
