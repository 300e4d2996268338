// From a ModelRequest to the body of an Anthropic Messages request. Pure.
import { createHash, type Hash } from "node:crypto";
import type { ModelRequest, ToolSpec } from "../engine/ports.ts";
import type { AssistantEntry, ContentPart, Message, ToolEntry } from "../protocol/messages.ts";
import { withMore, type ReplyOptions } from "../protocol/replyOptions.ts";
import {
  isThought,
  keptFrom,
  plainBlocks,
  replayedBlocks,
  safeName,
  textBlocks,
  wellFormed,
  type Kept,
} from "./anthropicBlocks.ts";
import { optionsOf } from "./anthropicOptions.ts";
import { partsOf, sourceOf, unsent } from "./parts.ts";
import { textOf, type WireRecord } from "./wireValue.ts";

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly WireRecord[];
}

export interface MessagesBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string | readonly WireRecord[];
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireRecord[];
  readonly tool_choice?: WireRecord;
  readonly stream: true;
}

export interface RequestOptions {
  readonly model: string;
  /** What a server wanted back is sent to that server only. */
  readonly host: string;
  readonly maxTokens: number;
  /** Absent: as the model does by default. */
  readonly reply?: ReplyOptions | undefined;
  /** Seals of replies whose kept blocks the server has refused. */
  readonly distrusted: ReadonlySet<string>;
}

export interface WireRequest {
  readonly body: MessagesBody;
  /** A fingerprint of model, system, tools and messages: what the reply is bound to. */
  readonly seal: string;
  /** Seals of the replies that are sent as they were kept. */
  readonly replayed: readonly string[];
}

/**
 * Builds the body. Kept blocks are sent only while everything before them is as it was: the API binds thoughts to what
 * was sent before them, and refuses them elsewhere. So each message is rendered the same way in every request.
 */
export function toRequest(request: ModelRequest, options: RequestOptions): WireRequest {
  const head = {
    ...(request.system !== "" && { system: [{ type: "text", text: wellFormed(request.system) }] }),
    ...toolsOf(request),
  };
  const draft = startDraft(JSON.stringify([options.model, head]), request.messages);
  for (const message of request.messages) add(message, draft, options);
  const messages = draft.messages.map(resultsFirst);
  const { model, host, maxTokens, reply = {} } = options;
  const hasTools = request.tools.length > 0;
  const { output } = request;
  const { thoughtless } = draft;
  const body: MessagesBody = {
    model,
    max_tokens: maxTokens,
    ...optionsOf({ model, host, maxTokens, reply, output, hasTools, thoughtless }),
    ...cached({ ...head, messages }),
    stream: true,
  };
  return { body: withMore(body, reply), seal: sealOf(draft), replayed: draft.replayed };
}

type Tools = Pick<MessagesBody, "tools" | "tool_choice">;

/** A conversation with calls in it must define tools, even when the model must answer in words: then by name only. */
function toolsOf({ tools, messages }: ModelRequest): Tools {
  if (tools.length > 0) return { tools: tools.map(toTool) };
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  const names = [...new Set(calls.map(({ name }) => safeName(name)))];
  if (names.length === 0) return {};
  const description = "Not available any more.";
  return {
    tools: names.map((name) => ({ name, description, input_schema: { type: "object" } })),
    tool_choice: { type: "none" },
  };
}

function toTool({ name, description, parameters }: ToolSpec): WireRecord {
  return { name, description, input_schema: { type: "object", ...parameters } };
}

/** What grows message by message. */
interface Draft {
  readonly messages: WireMessage[];
  readonly hash: Hash;
  readonly replayed: string[];
  readonly safeId: (id: string) => string;
  /** A call of the turn that is going on has lost the thought before it. */
  thoughtless: boolean;
}

function startDraft(head: string, messages: readonly Message[]): Draft {
  const hash = createHash("sha256").update(head);
  return { messages: [], hash, replayed: [], safeId: safeIds(messages), thoughtless: false };
}

function sealOf({ hash }: Draft): string {
  return hash.copy().digest("base64url");
}

function add(message: Message, draft: Draft, options: RequestOptions): void {
  switch (message.role) {
    case "user":
      draft.thoughtless = false;
      return append(draft, "user", partsOf(message).flatMap(toBlocks));
    case "tool":
      return append(draft, "user", [toResult(message, draft)]);
    case "assistant":
      return addAssistant(message, draft, options);
  }
}

function addAssistant(message: AssistantEntry, draft: Draft, { host, distrusted }: RequestOptions): void {
  const kept = keptFrom(host, message);
  const valid = kept !== null && !distrusted.has(kept.seal) && kept.seal === sealOf(draft);
  const blocks = (valid && replay(message, kept, draft)) || plainBlocks(message.content, message.tool_calls ?? []);
  if (message.tool_calls?.length && !blocks.some(isThought)) draft.thoughtless = true;
  append(
    draft,
    "assistant",
    blocks.map((block) => (block["type"] === "tool_use" ? { ...block, id: draft.safeId(textOf(block["id"])) } : block)),
  );
}

function replay(message: AssistantEntry, kept: Kept, draft: Draft): readonly WireRecord[] | null {
  const blocks = replayedBlocks(message, kept);
  if (blocks) draft.replayed.push(kept.seal);
  return blocks;
}

/** Neighbours of one role become one message: results of parallel calls must come together. */
function append({ messages, hash }: Draft, role: WireMessage["role"], content: readonly WireRecord[]): void {
  if (content.length === 0) return;
  hash.update(JSON.stringify([role, content]));
  const last = messages.at(-1);
  if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...content] };
  else messages.push({ role, content });
}

function toResult(message: ToolEntry, { safeId }: Draft): WireRecord {
  const { tool_call_id: id, content, parts = [], status } = message;
  const failed = status !== "succeeded";
  // The API refuses an error without words.
  const words = failed && content.trim() === "" ? status : wellFormed(content);
  return {
    type: "tool_result",
    tool_use_id: safeId(id),
    content: parts.length === 0 ? words : partsOf(message).flatMap(toBlocks),
    ...(failed && { is_error: true }),
  };
}

/** A part as this API takes it; a sentence in the place of one that it does not. */
function toBlocks(part: ContentPart): readonly WireRecord[] {
  if (part.kind === "text") return textBlocks(part.value);
  const source = sourceOf(part);
  const isUrl = source.kind === "url";
  const wire = isUrl
    ? { type: "url", url: source.url }
    : { type: "base64", media_type: source.mediaType, data: source.data };
  if (part.kind === "image") return [{ type: "image", source: wire }];
  if (part.kind === "file" && (isUrl || source.mediaType === "application/pdf"))
    return [{ type: "document", source: wire, ...(part.name !== undefined && { title: part.name }) }];
  return textBlocks(unsent(part));
}

/** The API takes words beside results only behind them. */
function resultsFirst({ role, content }: WireMessage): WireMessage {
  const rank = ({ type }: WireRecord): number => (type === "tool_result" ? 0 : 1);
  return role === "user" ? { role, content: content.toSorted((a, b) => rank(a) - rank(b)) } : { role, content };
}

/** Ids of calls that another provider made may have signs in them that the API refuses. */
function safeIds(messages: readonly Message[]): (id: string) => string {
  const safe = new Map<string, string>();
  const taken = new Set<string>();
  const ids = messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  );
  for (const id of ids) {
    if (safe.has(id)) continue;
    const base = id.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 60) || "call";
    let name = /^[a-zA-Z0-9_-]+$/.test(id) ? id : base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    taken.add(name);
    safe.set(id, name);
  }
  return (id) => safe.get(id) ?? id;
}

type Head = Pick<MessagesBody, "messages"> & Tools & { readonly system?: readonly { readonly text: string }[] };

/** Servers keep nothing of fewer than 1,024 tokens: below that marks do nothing, and the body is as plain as it can be. */
const leastCharacters = 3_000;

/**
 * Marks four places up to which the server keeps what it has read: tools and system, which stay, and the last two
 * messages of the user: the one before last is where the request before this one ended.
 */
function cached({ system, tools, messages, ...rest }: Head): Pick<MessagesBody, "system" | "messages"> & Tools {
  if (JSON.stringify([system, tools, messages]).length < leastCharacters) {
    const words = system?.map(({ text }) => text).join("");
    return { ...(tools && { tools }), ...rest, ...(words !== undefined && { system: words }), messages };
  }
  const users = messages.flatMap(({ role }, index) => (role === "user" ? [index] : [])).slice(-2);
  return {
    ...(tools && { tools: marked(tools) }),
    ...rest,
    ...(system && { system: marked(system.map((block) => ({ ...block }))) }),
    messages: messages.map((message, index) =>
      users.includes(index) ? { ...message, content: marked(message.content) } : message,
    ),
  };
}

function marked(blocks: readonly WireRecord[]): readonly WireRecord[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
  );
}
