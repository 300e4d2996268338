// Recorded conversations with the Messages API: the server answers as it did, and each further request must carry what was recorded.
import assert from "node:assert/strict";
import * as z from "zod";
import { conversation } from "../../src/engine/conversation.ts";
import type { Model, ModelEvent, ModelRequest, ToolSpec } from "../../src/engine/ports.ts";
import type { Entry, ToolCall } from "../../src/protocol/messages.ts";
import { eventsOfMessage, namedFrames } from "../support/messagesWire.ts";
import { startSse, type Script } from "../support/sse.ts";
import { assistant, tool, user } from "../unit/providers/chat.ts";
import { messagesAt, messagesIn } from "../unit/providers/messages.ts";

const Block = z.looseObject({ type: z.string() });
type Block = z.infer<typeof Block>;
const Content = z.union([z.string().transform((text): Block[] => [{ type: "text", text }]), z.array(Block)]);
const Request = z.looseObject({
  body: z.object({
    messages: z.array(z.object({ role: z.string(), content: Content })),
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
});
const Answer = z.object({ content: z.array(z.record(z.string(), z.unknown())), stop_reason: z.string() });
const Response = z.object({ status: z.number(), body: z.unknown(), sse: z.string().nullish() });
const Recording = z.object({ interactions: z.array(z.object({ request: Request, response: Response })) });
type Interaction = z.infer<typeof Recording>["interactions"][number];
type WireMessage = Interaction["request"]["body"]["messages"][number];

/** Plays a recording through the model; throws when a request does not carry the calls and results of the rounds before it. */
export async function checkHttpMessages(raw: unknown): Promise<void> {
  const { interactions } = Recording.parse(raw);
  const server = await startSse(...interactions.map(({ response }) => scriptOf(response)));
  try {
    const model = messagesAt(server.baseUrl);
    let told = nothing;
    for (const [index, { request, response }] of interactions.entries()) {
      const messages = request.body.messages.filter(({ role }) => role !== "system");
      // A recording may hold conversations that do not continue each other.
      const before = continues(messages, told) ? told : nothing;
      const entries = [...before.entries, ...messages.slice(before.length).flatMap(toEntries)];
      const tools = (request.body.tools ?? []).map(toSpec);
      const events = await send(model, { system: "", messages: conversation(entries), tools });
      assert.equal(server.asked.length, index + 1);
      assert.deepEqual(
        comparable(messagesIn(server.asked[index]), before.replies),
        comparable(messages, before.replies),
      );
      checkEnd(events, response);
      told = {
        entries: [...entries, replyOf(events)],
        length: messages.length + 1,
        replies: new Set(before.replies).add(messages.length),
      };
    }
  } finally {
    await server.close();
  }
}

/** What the model has been told, and has said, in one conversation. */
interface Told {
  readonly entries: readonly Entry[];
  /** How many messages of the wire that is. */
  readonly length: number;
  /** Which of them the model said here; others are only known from the recording. */
  readonly replies: ReadonlySet<number>;
}

const nothing: Told = { entries: [], length: 0, replies: new Set() };

function scriptOf({ status, body, sse }: z.infer<typeof Response>): Script {
  if (sse) return { parts: [sse] };
  if (status >= 400) return { status, headers: { "content-type": "application/json" }, parts: [JSON.stringify(body)] };
  return { parts: [namedFrames(eventsOfMessage(Answer.parse(body)))] };
}

function continues(messages: readonly WireMessage[], { length }: Told): boolean {
  return messages[length - 1]?.role === "assistant" && messages.length > length;
}

/** What Brain would have in its transcript for this message. */
function toEntries({ role, content }: WireMessage): Entry[] {
  if (role === "assistant")
    return [assistant(wordsOf(content), content.filter(({ type }) => type === "tool_use").map(toCall))];
  return content.flatMap((block): Entry[] => {
    if (block.type !== "tool_result") return block.type === "text" ? [user(String(block["text"]))] : [];
    const entry = tool(String(block["tool_use_id"]), resultText(block["content"]));
    return [Object.assign(entry, block["is_error"] === true && { status: "failed" })];
  });
}

function toCall(block: Block): ToolCall {
  return { id: String(block["id"]), name: String(block["name"]), arguments: JSON.stringify(block["input"]) };
}

function wordsOf(content: readonly Block[]): string {
  return content.map((block) => (block.type === "text" ? String(block["text"]) : "")).join("");
}

function resultText(content: unknown): string {
  return typeof content === "string" ? content : wordsOf(z.array(Block).catch([]).parse(content));
}

function toSpec({ name }: { readonly name: string }): ToolSpec {
  return { name, description: "", parameters: { type: "object" } };
}

async function send(model: Model, request: ModelRequest): Promise<ModelEvent[]> {
  return Array.fromAsync(model.stream(request, new AbortController().signal));
}

function replyOf(events: readonly ModelEvent[]): Entry {
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
  const provider = events.find((event) => event.type === "provider");
  return assistant(text, calls, provider && { providerData: provider.data });
}

function checkEnd(events: readonly ModelEvent[], { status, body }: z.infer<typeof Response>): void {
  const last = events.at(-1);
  if (status < 400) return assert.equal(last?.type, "finish");
  assert.ok(last?.type === "error");
  const said = z.object({ error: z.object({ message: z.string() }) }).safeParse(body);
  if (said.success) assert.ok(last.failure.message.includes(said.data.error.message.slice(0, 200)));
}

const kept = ["id", "name", "input", "signature", "data"];

/**
 * Roles, kinds of blocks, ids, order; results by their words. Left out is what Brain cannot have said, such as a
 * picture, and of replies that were not given here all but the calls.
 */
function comparable(messages: readonly WireMessage[], replies: ReadonlySet<number>): unknown[] {
  return messages.map(({ role, content }, index) => ({
    role,
    blocks: content.flatMap((block) => {
      if (block.type === "tool_result")
        return [[block.type, block["tool_use_id"], resultText(block["content"]), block["is_error"] === true]];
      const same = role === "user" ? block.type === "text" : replies.has(index) || block.type === "tool_use";
      return same ? [[block.type, ...kept.map((key) => block[key])]] : [];
    }),
  }));
}
