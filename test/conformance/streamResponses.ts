// Recorded Responses streams of real providers, cut at random places, through the loopback server and the real library.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod";
import type { ModelEvent } from "../../src/engine/ports.ts";
import { cutAt, startSse } from "../support/sse.ts";
import { collect, summary } from "../unit/providers/chat.ts";
import { eventFrames, responsesAt } from "../unit/providers/responses.ts";

const Part = z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() });
const OutputItem = z.looseObject({
  type: z.string(),
  content: z.array(Part).nullish(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.string().optional(),
});
const Usage = z.looseObject({ input_tokens: z.number(), output_tokens: z.number() });
/** A response as the server gives it whole. */
export const Answer = z.looseObject({ status: z.string(), output: z.array(OutputItem), usage: Usage.nullish() });
const Chunk = z.looseObject({
  type: z.string().optional(),
  delta: z.unknown().optional(),
  response: z.unknown().optional(),
});
const Recording = z.object({
  chunks: z.union([z.string(), z.array(Chunk)]),
  elided: z.number(),
  non_streaming_sibling: Answer.nullish(),
});
type Chunks = readonly z.infer<typeof Chunk>[];

/** One recording, each of its replies cut at several sets of places: it must always read as what was recorded. */
export async function checkStreamResponses(raw: unknown): Promise<void> {
  const { chunks, elided, non_streaming_sibling: sibling } = Recording.parse(raw);
  const events = typeof chunks === "string" ? eventsIn(chunks) : chunks;
  const replies = repliesOf(events.filter((chunk) => chunk.type !== undefined));
  assert.ok(replies.length > 0, "nothing is recorded");
  for (const reply of replies) await checkReply(reply, elided > 0);
  const last = replies.map(answerOf).at(-1);
  if (sibling && last) assert.deepEqual(shapeOf(last), shapeOf(sibling));
}

/** The events of a stream as text. */
export function eventsIn(stream: string): Chunks {
  return stream
    .split(/\r?\n/)
    .filter((line) => /^data: ?\{/.test(line))
    .map((line) => Chunk.parse(JSON.parse(line.slice("data:".length))));
}

/** A recording of a whole run holds the replies of all its requests, one behind the other. */
function repliesOf(chunks: Chunks): Chunks[] {
  const starts = chunks.flatMap((chunk, index) => (chunk.type === "response.created" ? [index] : []));
  return starts.map((start, index) => chunks.slice(start, starts[index + 1]));
}

/** What the reply came to by its own last event, or null when it has none. */
export function answerOf(reply: Chunks): z.infer<typeof Answer> | null {
  const last = reply.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type ?? ""));
  return last ? Answer.parse(last.response) : null;
}

async function checkReply(reply: Chunks, elided: boolean): Promise<void> {
  const bytes = Buffer.from(eventFrames(reply));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (places) => {
      const server = await startSse({ parts: cutAt(bytes, places) });
      try {
        const events = await collect(responsesAt(server.baseUrl));
        const answer = answerOf(reply);
        if (!answer) return assert.equal(events.at(-1)?.type, "error");
        // What is elided is not among the pieces, and is not made up from the closing list either.
        if (!elided) assert.equal(bare(summary(events).thinking), bare(thinkingOf(reply)));
        compareWithAnswer(events, answer, elided);
      } finally {
        await server.close();
      }
    }),
    { numRuns: 4 },
  );
}

/** What was decoded against the same answer as the server gives it whole. */
export function compareWithAnswer(events: readonly ModelEvent[], answer: z.infer<typeof Answer>, elided = false): void {
  const { text, calls, usage, end } = summary(events);
  if (!elided) assert.equal(text, textOf(answer));
  assert.deepEqual(calls, callsOf(answer));
  if (answer.usage) assert.partialDeepStrictEqual(usage, usageOf(answer.usage));
  const done = calls.length > 0 ? "calls" : "stop";
  if (answer.status === "failed") assert.equal(end?.type, "error");
  else if (answer.status === "incomplete") assert.ok(end?.type === "finish" && end.reason !== done);
  else assert.deepEqual(end, { type: "finish", reason: done });
  assert.deepEqual(idsOf(events, "call:start"), idsOf(events, "call"));
}

function idsOf(events: readonly ModelEvent[], type: "call:start" | "call"): string[] {
  return events.flatMap((event) => {
    if (event.type !== type) return [];
    return [event.type === "call" ? event.call.id : event.id];
  });
}

function usageOf({ input_tokens, output_tokens }: z.infer<typeof Usage>): object {
  return { input: input_tokens, output: output_tokens };
}

/** The reasoning in its pieces; of two kinds the one that comes first. */
function thinkingOf(reply: Chunks): string {
  const kind = reply.find(({ type = "" }) => /reasoning.*\.delta$/.test(type))?.type;
  return reply.map(({ type, delta }) => (type === kind && typeof delta === "string" ? delta : "")).join("");
}

function bare(text: string): string {
  return text.replaceAll(/\s/g, "");
}

/** The words of an answer. */
function textOf({ output }: z.infer<typeof Answer>): string {
  return output
    .filter(({ type }) => type === "message")
    .map(({ content }) => (content ?? []).map(({ text, refusal }) => text ?? refusal ?? "").join(""))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Its calls; a free-form one is told as parameters with the one name `input`. */
function callsOf({ output }: z.infer<typeof Answer>): object[] {
  return output.flatMap(({ type, name, arguments: text, input }) => {
    if (type === "custom_tool_call") return [{ name, arguments: JSON.stringify({ input }) }];
    return type === "function_call" ? [{ name, arguments: text === "" ? "{}" : text }] : [];
  });
}

/** The sibling is another answer to the same request: its words differ, its calls and its kind of end do not. */
function shapeOf(answer: z.infer<typeof Answer>): object {
  const calls = answer.output.flatMap(({ type, name, arguments: text = "{}", input }) =>
    type.endsWith("_call") ? [[name, input ?? JSON.parse(text || "{}")]] : [],
  );
  return { status: answer.status, calls, hasText: textOf(answer) !== "" };
}
