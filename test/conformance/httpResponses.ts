// Recorded conversations over Responses: our requests must hold the same calls, results and reasoning, in the same order.
import assert from "node:assert/strict";
import * as z from "zod";
import type { ModelRequest } from "../../src/engine/ports.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { startSse, type Script, type SseServer } from "../support/sse.ts";
import { assistantOf, collect, tool, user } from "../unit/providers/chat.ts";
import { added, completed, done, eventFrames, responsesAt } from "../unit/providers/responses.ts";
import { Answer, answerOf, compareWithAnswer, eventsIn } from "./streamResponses.ts";

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  id: z.string().nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: z.unknown().optional(),
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish(),
  encrypted_content: z.string().nullish(),
});
type Item = z.infer<typeof Item>;
const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});
const Body = z.looseObject({
  input: z.union([z.string().transform((content): Item[] => [{ role: "user", content }]), z.array(Item)]),
  instructions: z.string().nullish(),
  tools: z.array(Tool).nullish(),
  previous_response_id: z.string().nullish(),
});
type Body = z.infer<typeof Body>;
const Interaction = z.object({
  request: z.object({ body: Body }),
  response: z.object({ status: z.number(), body: z.unknown(), sse: z.string().nullish() }),
});
type Interaction = z.infer<typeof Interaction>;
const Recording = z.object({ interactions: z.array(Interaction) });

/** Plays one conversation: the server answers as recorded, tools as the recorded client says, and the model is ours. */
export async function checkHttpResponses(raw: unknown): Promise<void> {
  const interactions = renamed(Recording.parse(raw).interactions);
  const seeds = seedsOf(interactions[0]?.request.body.input ?? []);
  const server = await startSse(
    ...seeds.flatMap(({ output }) => (output.length > 0 ? [streamed({ status: "completed", output })] : [])),
    ...interactions.map(({ response }) => scriptFor(response)),
  );
  try {
    await play(interactions, seeds, server);
  } finally {
    await server.close();
  }
}

/** One recorded client took the id of a call's item for the call's own: its requests are read as if it had not. */
function renamed(interactions: readonly Interaction[]): Interaction[] {
  const outputs = interactions.flatMap(({ response: { sse, body } }) => {
    if (!sse) return Answer.safeParse(body).data?.output ?? [];
    return eventsIn(sse).flatMap(({ type, item }) => (type === "response.output_item.done" ? [Item.parse(item)] : []));
  });
  const callIds = new Map(outputs.map(({ id, call_id }) => [id, call_id]));
  const rename = (item: Item): Item => {
    const callId = callIds.get(item.call_id);
    return typeof callId === "string" ? { ...item, call_id: callId } : item;
  };
  return interactions.map(({ request: { body }, response }) => ({
    request: { body: { ...body, input: body.input.map(rename) } },
    response,
  }));
}

async function play(interactions: readonly Interaction[], seeds: readonly Seed[], server: SseServer): Promise<void> {
  const model = responsesAt(server.baseUrl);
  const messages: Message[] = [];
  const ask = (body?: Body) => collect(model, requestOf(messages, body));
  for (const { own, output } of seeds) {
    messages.push(...own.map(toMessage));
    if (output.length > 0) messages.push(assistantOf(await ask()));
  }
  const before = server.asked.length;
  let taken = seeds.flatMap(({ own }) => own).length;
  // A refusal may have been answered by our model with a second request of its own: then that was the next one.
  for (let at = 0; at < interactions.length; at = server.asked.length - before) {
    const one = interactions[at];
    assert.ok(one);
    const { body } = one.request;
    const own = body.input.filter(isOwn);
    const fresh = isChained(body) ? own : own.slice(taken);
    messages.push(...(at === 0 ? [] : fresh.map(toMessage)));
    taken = Math.max(taken, own.length);
    const events = await ask(body);
    const said = server.asked[before + at];
    assert.ok(said);
    compareRequests(Body.parse(JSON.parse(said.body)), body);
    const answered = interactions[server.asked.length - before - 1]?.response;
    if (answered?.status !== 200) assert.equal(events.at(-1)?.type, "error");
    else {
      const answer = answered.sse ? answerOf(eventsIn(answered.sse)) : Answer.parse(answered.body);
      assert.ok(answer);
      compareWithAnswer(events, answer);
      messages.push(assistantOf(events));
    }
  }
}

/** What the recorded client had from before it gives in its first request: as messages, and as replies to be had first. */
interface Seed {
  readonly own: readonly Item[];
  readonly output: readonly Item[];
}

function seedsOf(input: readonly Item[]): Seed[] {
  const seeds: Seed[] = [];
  let own: Item[] = [];
  let output: Item[] = [];
  for (const item of input) {
    if (isOwn(item) && output.length > 0) {
      seeds.push({ own, output });
      own = [];
      output = [];
    }
    if (isOwn(item)) own.push(item);
    else if (isModels(item)) output.push(item.type === undefined ? asMessage(item) : item);
  }
  return [...seeds, { own, output }];
}

/** An assistant's words without a type, as the list of a reply has them. */
function asMessage({ content }: Item): Item {
  return { type: "message", role: "assistant", content: [{ type: "output_text", text: words(content) }] };
}

function isOwn({ role, type }: Item): boolean {
  return role === "user" || type === "function_call_output";
}

function isModels({ role, type }: Item): boolean {
  return role === "assistant" || type === "reasoning" || type === "function_call";
}

function isChained({ previous_response_id: previous }: Body): boolean {
  return typeof previous === "string";
}

function words(content: Item["content"]): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");
}

function toMessage({ role, call_id = "", content, output }: Item): Message {
  return role === "user"
    ? user(words(content))
    : tool(call_id, typeof output === "string" ? output : JSON.stringify(output));
}

function requestOf(messages: readonly Message[], body?: Body): ModelRequest {
  return {
    system: body?.instructions ?? "",
    messages: [...messages],
    tools: (body?.tools ?? []).flatMap(({ name, description, parameters }) =>
      name === undefined ? [] : [{ name, description: description ?? "", parameters: parameters ?? {} }],
    ),
  };
}

// ── The server ─────────────────────────────────────────────────────────────────────────────────────────────────

function scriptFor({ status, body, sse }: Interaction["response"]): Script {
  if (sse) return { parts: [sse] };
  if (status === 200) return streamed(Answer.parse(body));
  return { status, headers: { "content-type": "application/json" }, parts: [JSON.stringify(body)] };
}

/** We always ask for a stream: an answer that was recorded whole is sent as one, item by item. */
function streamed(answer: { readonly status: string; readonly output: readonly object[] }): Script {
  const items = answer.output.flatMap((item, index) => [
    added(index, { ...item, content: [], summary: [], arguments: "" }),
    done(index, item),
  ]);
  return { parts: [eventFrames([...items, completed([...answer.output], answer)])] };
}

// ── The comparison ─────────────────────────────────────────────────────────────────────────────────────────────

function compareRequests(ours: Body, recorded: Body): void {
  const parts = recorded.input.flatMap(partOf);
  const known = new Set(parts.map(({ key }) => key));
  const sent = ours.input
    .flatMap(partOf)
    .filter(({ key, type }) => known.has(key) || (!isChained(recorded) && isTools(type)));
  assert.deepEqual(sent, parts);
  const names = (body: Body): unknown[] =>
    (body.tools ?? []).flatMap(({ name, parameters }) => (name ? [[name, parameters]] : []));
  assert.deepEqual(names(ours), names(recorded));
}

function isTools(type: string): boolean {
  return type === "function_call" || type === "function_call_output";
}

interface Part {
  readonly key: string;
  readonly type: string;
  readonly rest: unknown;
}

/** What of an item has to do with calls: the call, its result, the reasoning that led to it, and messages that have an id. */
function partOf(item: Item): Part[] {
  const { type = "", call_id, id, name, content, encrypted_content: secret } = item;
  switch (type) {
    case "function_call":
      return [{ key: `call ${call_id}`, type, rest: [name, JSON.parse(item.arguments ?? "")] }];
    case "function_call_output":
      return [{ key: `result ${call_id}`, type, rest: item.output }];
    case "reasoning":
      // Without its text, in clear or encrypted, it is only a name for something that the server has stored.
      return secret || words(content) !== "" ? [{ key: `reasoning ${id}`, type, rest: id }] : [];
    case "message":
      return typeof id === "string" ? [{ key: `message ${id}`, type, rest: [item["phase"], words(content)] }] : [];
    default:
      return [];
  }
}
