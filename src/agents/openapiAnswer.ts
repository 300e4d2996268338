// What a server has answered to a call of an operation, as the model reads it. Pure.
import type { ToolResult } from "../engine/ports.ts";

export type WebAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** As the server names it; may be empty. */
      readonly type: string;
      /** Where the server sends the request on to. */
      readonly location: string | null;
      readonly body: Uint8Array;
      /** The answer was longer than what was read of it. */
      readonly cut: boolean;
    }
  /** `why`: the end of a sentence. Nothing was sent. */
  | { readonly kind: "refused"; readonly why: string }
  /** `why`: the end of a sentence. */
  | { readonly kind: "failed"; readonly why: string };

/** Characters of an answer, and of one that tells a failure. */
const longest = { answer: 40_000, failure: 4_000 };

/**
 * @param name of the tool
 * @param key that went along: the model is not to know it, should the server repeat it
 */
export function answerResult(name: string, answer: WebAnswer, key: string): ToolResult {
  switch (answer.kind) {
    case "refused":
      return { status: "failed", content: `${name} was not sent: ${answer.why}.` };
    case "failed":
      return { status: "failed", content: `${name} was not answered: ${answer.why}.` };
    case "answered":
      return resultOf(answer, key);
  }
}

function resultOf(answer: Answered, key: string): ToolResult {
  const { status, type, location } = answer;
  const head = type === "" ? `HTTP ${status}` : `HTTP ${status}, ${oneLine(type)}`;
  const family = Math.floor(status / 100);
  if (family === 3 && location !== null)
    return { status: "failed", content: `${head}: it is sent on to ${oneLine(location)}, which is not followed.` };
  const text = withoutKey(textIn(answer), key);
  const most = family === 2 ? longest.answer : longest.failure;
  const told = text === null ? sizeOf(answer) : shortened(text, most, answer.cut);
  const content = told === "" ? `${head}, without a body` : `${head}\n\n${told}`;
  return family === 2 ? { status: "succeeded", content, value: valueIn(text, type) } : { status: "failed", content };
}

function withoutKey(text: string | null, key: string): string | null {
  return text === null || key === "" ? text : text.replaceAll(key, "[key]");
}

type Answered = Extract<WebAnswer, { kind: "answered" }>;

function sizeOf({ body, cut }: Answered): string {
  return `${cut ? "More than " : ""}${body.length} bytes, which are no text and are not shown.`;
}

/** Null: it is no text. */
function textIn({ type, body }: Answered): string | null {
  const isNamed = /^(?:text\/|[^;]*(?:json|xml|yaml|javascript|csv|graphql|urlencoded))/i.test(type);
  if (type !== "" && !isNamed) return null;
  const [, charset = "utf-8"] = /charset="?([\w.:-]+)/i.exec(type) ?? [];
  const text = decode(body, charset);
  return !isNamed && /[\0\uFFFD]/.test(text) ? null : text;
}

function decode(body: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function shortened(text: string, most: number, cut: boolean): string {
  if (text.length <= most) return cut ? `${text}\n\n[The answer goes on: only its beginning was read.]` : text;
  // At a gap between words: half of a secret is one that nobody recognises.
  const near = text.slice(0, most);
  const gap = near.slice(-1_000).search(/\s\S*$/);
  const end = gap === -1 ? most : most - Math.min(1_000, most) + gap;
  return `${text.slice(0, end)}\n\n[The answer goes on: ${text.length - end}${cut ? " or more" : ""} characters are left out.]`;
}

function valueIn(text: string | null, type: string): unknown {
  if (text === null || !/json/i.test(type)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** What a server says of itself stays on its line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 300);
}
