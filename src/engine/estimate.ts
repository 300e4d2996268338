// How many tokens a request will take, before it is sent: counted, and corrected by what the last one really took. Pure.
import type { ContentPart, Message } from "../protocol/messages.ts";
import type { Usage } from "../protocol/usage.ts";
import type { ModelRequest } from "./ports.ts";

/** Characters per token, on the careful side for source code. */
export const charactersPerToken = 3.5;
/** What a message costs beside its text. */
const perMessage = 4;
/** How far a provider's count and ours may be apart before one of them must be wrong. */
const plausible = 4;

/** Estimates system prompt, tools and messages together (BRAIN-CTX-5). */
export function estimateTokens(request: ModelRequest): number {
  let characters = request.system.length;
  for (const tool of request.tools) {
    characters += tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length;
  }
  return Math.ceil(characters / charactersPerToken) + messageTokens(request.messages);
}

/** The part of an estimate that messages are. */
export function messageTokens(messages: readonly Message[]): number {
  let characters = 0;
  let shown = 0;
  for (const message of messages) {
    characters += message.content.length;
    if (message.role !== "assistant") shown += partTokens(message.parts ?? []);
    if (message.role === "assistant" && message.tool_calls)
      for (const call of message.tool_calls) characters += call.name.length + call.arguments.length;
  }
  return Math.ceil(characters / charactersPerToken) + shown + perMessage * messages.length;
}

/** What an image takes in most models, and about what a character of base64 does in a document. */
const perPart = { image: 1_500, character: 0.1 } as const;

/** The part of an estimate that images and files are. */
export function partTokens(parts: readonly ContentPart[]): number {
  const tokens = parts.map(({ kind, value }) =>
    kind === "text" ? 0 : kind === "image" ? perPart.image : Math.max(perPart.image, value.length * perPart.character),
  );
  return Math.ceil(tokens.reduce((sum, part) => sum + part, 0));
}

/** One request as the provider counted it, with its reply, beside our own count of the same. */
export interface Anchor {
  readonly tokens: number;
  readonly own: number;
  /** How many tokens of the provider's are one of ours: more than one for scripts that we know nothing of. */
  readonly measure: number;
}

/**
 * Null where the provider does not say what a request took, or says what cannot be: some servers count only what their
 * cache did not have.
 * @param reply as it is kept; absent when nothing of it is
 * @param usage of this one request
 */
export function anchorOf(request: ModelRequest, reply: Message | undefined, usage: Usage): Anchor | null {
  const counted = estimateTokens(request);
  if (usage.input * plausible < counted) return null;
  // Reasoning is sent back only with what the provider keeps of it.
  const again = reply?.role === "assistant" && reply.providerData !== undefined;
  const written = reply ? usage.output - (again ? 0 : (usage.reasoning ?? 0)) : 0;
  const own = counted + messageTokens(reply ? [reply] : []);
  return { tokens: usage.input + Math.max(0, written), own, measure: Math.min(plausible, usage.input / counted) };
}

/**
 * An estimate of a request in the provider's own measure: what the last one took, and our count of what was added since,
 * or, where something was taken away instead, of what is left.
 */
export function estimateFrom(anchor: Anchor | null, request: ModelRequest): number {
  const own = estimateTokens(request);
  if (!anchor) return own;
  if (own < anchor.own) return inTheirs(own, anchor);
  // Where it counts less than we do, what is new is still counted on the careful side.
  return anchor.tokens + Math.ceil((own - anchor.own) * Math.max(1, anchor.measure));
}

/** So many tokens of ours, in the provider's. */
export function inTheirs(own: number, anchor: Anchor | null): number {
  return Math.ceil(own * (anchor?.measure ?? 1));
}

/** The most that a request may be by our own count, so that its estimate is no more than so many of the provider's. */
export function mostOwn(tokens: number, anchor: Anchor | null): number {
  const most = inOurs(tokens, anchor);
  if (!anchor) return most;
  // What the provider counted beyond its measure, such as long replies, is in every request that begins with the last one.
  const more = anchor.own + inOurs(tokens - anchor.tokens, anchor);
  return Math.min(most, tokens < anchor.tokens ? anchor.own - 1 : more);
}

/** So many tokens of the provider's, in ours; never more than they are. */
export function inOurs(tokens: number, anchor: Anchor | null): number {
  return Math.floor(tokens / Math.max(1, anchor?.measure ?? 1));
}
