// Recorded conversations over Chat Completions: our requests must hold the same calls and results, in the same order.
import assert from "node:assert/strict";
import * as z from "zod";
import type { ModelEvent, ModelRequest } from "../../src/engine/ports.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { frames, startSse, type Script, type SseServer } from "../support/sse.ts";
import { assistant, assistantOf, chatAt, collect, summary, tool, user } from "../unit/providers/chat.ts";
import { contentOf } from "./streamChat.ts";

const Call = z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const Line = z.looseObject({
  role: z.string(),
  content: Content,
  tool_calls: z.array(Call).nullish(),
  tool_call_id: z.string().optional(),
  reasoning_content: z.string().nullish(),
});
type Line = z.infer<typeof Line>;
const Tool = z.looseObject({
  function: z.looseObject({ name: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }),
});
const Body = z.looseObject({ messages: z.array(Line), tools: z.array(Tool).nullish() });
type Body = z.infer<typeof Body>;
const Usage = z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() });
const Answer = z.looseObject({
  choices: z.array(z.looseObject({ finish_reason: z.string(), message: Line })).min(1),
  usage: Usage.nullish(),
});
type Answer = z.infer<typeof Answer>;
const Interaction = z.object({
  request: z.object({ body: Body }),
  response: z.object({ status: z.number(), body: z.unknown(), sse: z.string().nullish() }),
});
type Interaction = z.infer<typeof Interaction>;
const Recording = z.object({ interactions: z.array(Interaction) });

/** Plays one conversation: the server answers as recorded, tools as the recorded client says, and the model is ours. */
export async function checkHttpChat(raw: unknown): Promise<void> {
  const { interactions } = Recording.parse(raw);
  const server = await startSse(...interactions.map(({ response }) => scriptFor(response)));
  try {
    await play(interactions, server);
  } finally {
    await server.close();
  }
}

async function play(interactions: readonly Interaction[], server: SseServer): Promise<void> {
  const model = chatAt(server.baseUrl);
  const messages: Message[] = [];
  let known = 0;
  for (const [index, { request, response }] of interactions.entries()) {
    messages.push(...request.body.messages.slice(known).flatMap(toMessage));
    const events = await collect(model, requestOf(messages, request.body));
    const asked = server.asked[index];
    assert.ok(asked);
    compareRequests(Body.parse(JSON.parse(asked.body)), request.body);
    known = request.body.messages.length;
    if (response.status !== 200) assert.equal(events.at(-1)?.type, "error");
    else {
      compareWithAnswer(events, response);
      // The next recorded request tells the reply again: we tell it as we read it.
      messages.push(assistantOf(events));
      known += 1;
    }
  }
}

function words(content: z.infer<typeof Content>): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");
}

/** Also what the recorded client made up for the model, such as calls that it ran by itself. */
function toMessage({ role, content, tool_calls: calls, tool_call_id: id = "" }: Line): Message[] {
  if (role === "user") return [user(words(content))];
  if (role === "tool") return [tool(id, words(content))];
  if (role !== "assistant") return [];
  return [
    assistant(
      words(content),
      (calls ?? []).map((call) => ({ id: call.id, ...call.function })),
    ),
  ];
}

function requestOf(messages: readonly Message[], { tools }: Body): ModelRequest {
  return {
    system: "",
    messages: [...messages],
    tools: (tools ?? []).map(({ function: { name, parameters = {} } }) => ({ name, description: "", parameters })),
  };
}

// ── The server ─────────────────────────────────────────────────────────────────────────────────────────────────

function scriptFor({ status, body, sse }: Interaction["response"]): Script {
  if (sse) return { parts: [sse] };
  if (status === 200) return streamed(Answer.parse(body));
  return { status, headers: { "content-type": "application/json" }, parts: [JSON.stringify(body)] };
}

/** We always ask for a stream: an answer that was recorded whole is sent as one. */
function streamed({ choices, usage }: Answer): Script {
  const chunks = choices.flatMap(({ message, finish_reason }) => {
    const calls = (message.tool_calls ?? []).map((call, index) => ({ ...call, index }));
    const delta = { ...message, ...(calls.length > 0 ? { tool_calls: calls } : { tool_calls: null }) };
    return [{ choices: [{ index: 0, delta }] }, { choices: [{ index: 0, delta: {}, finish_reason }] }];
  });
  return { parts: [frames([...chunks, { choices: [], usage }])] };
}

// ── The comparison ─────────────────────────────────────────────────────────────────────────────────────────────

const ends = new Map([
  ["length", "length"],
  ["content_filter", "refusal"],
]);

function compareWithAnswer(events: readonly ModelEvent[], { body, sse }: Interaction["response"]): void {
  const got = summary(events);
  if (sse) {
    const { text, usage } = contentOf(sse);
    assert.equal(got.text, text);
    if (usage) assert.partialDeepStrictEqual(got.usage, usage);
    assert.deepEqual(got.end, { type: "finish", reason: got.calls.length > 0 ? "calls" : "stop" });
    return;
  }
  const { choices, usage } = Answer.parse(body);
  const choice = choices[0];
  assert.ok(choice);
  const calls = (choice.message.tool_calls ?? []).map((call) => call.function);
  assert.equal(got.text, words(choice.message.content));
  assert.deepEqual(got.calls, calls);
  if (usage) assert.partialDeepStrictEqual(got.usage, { input: usage.prompt_tokens, output: usage.completion_tokens });
  const reason = ends.get(choice.finish_reason) ?? (calls.length > 0 ? "calls" : "stop");
  assert.deepEqual(got.end, { type: "finish", reason });
}

function compareRequests(ours: Body, recorded: Body): void {
  assert.deepEqual(ours.messages.flatMap(partOf), recorded.messages.flatMap(partOf));
  const tools = (body: Body): unknown[] =>
    (body.tools ?? []).map(({ function: { name, parameters = {} } }) => [name, parameters]);
  assert.deepEqual(tools(ours), tools(recorded));
}

/** What of a message has to do with calls. */
function partOf({ role, content, tool_calls: calls, tool_call_id: id }: Line): unknown[] {
  if (role === "tool") return [{ id, content: words(content) }];
  const made = (calls ?? []).map((call) => [call.id, call.function.name, JSON.parse(call.function.arguments)]);
  return made.length > 0 ? [{ calls: made, content: words(content) }] : [];
}
