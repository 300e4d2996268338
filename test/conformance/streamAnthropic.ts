// Recorded streams of the Messages API, cut at random places, with names of events and without, through the real library.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod";
import { namedFrames } from "../support/messagesWire.ts";
import { cutAt, startSse } from "../support/sse.ts";
import { collect, summary } from "../unit/providers/chat.ts";
import { messagesAt } from "../unit/providers/messages.ts";

const Block = z.looseObject({ type: z.string(), name: z.string().optional() });
const Sibling = z.object({ content: z.array(Block), stop_reason: z.string() });
const Counts = z.looseObject({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() });
const Chunk = z.looseObject({
  type: z.string(),
  message: z.object({ usage: Counts.optional() }).optional(),
  content_block: Block.optional(),
  delta: z
    .object({
      text: z.string().optional(),
      thinking: z.string().optional(),
      partial_json: z.string().optional(),
      stop_reason: z.string().nullish(),
      stop_details: z.object({ explanation: z.string().nullish() }).nullish(),
    })
    .optional(),
  usage: Counts.optional(),
});
type Chunk = z.infer<typeof Chunk>;
const Recording = z.object({ chunks: z.array(Chunk), non_streaming_sibling: Sibling.nullish() });

/** One recording, cut at several sets of places: it must always read as what was recorded. */
export async function checkStreamAnthropic(raw: unknown): Promise<void> {
  const { chunks, non_streaming_sibling: sibling } = Recording.parse(raw);
  const expected = contentOf(chunks);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), async (places, named) => {
      const server = await startSse({ parts: cutAt(Buffer.from(namedFrames(chunks, named)), places) });
      try {
        const { usage, end, ...got } = summary(await collect(messagesAt(server.baseUrl)));
        assert.deepEqual(parsed(got), parsed(expected));
        assert.partialDeepStrictEqual(usage, usageOf(chunks));
        const reason = chunks.findLast(({ delta }) => delta?.stop_reason)?.delta?.stop_reason ?? "";
        assert.deepEqual(end, { type: "finish", reason: kindOf(reason, got.calls.length) });
        if (sibling) compareWithSibling(sibling, got, reason);
      } finally {
        await server.close();
      }
    }),
    { numRuns: 4 },
  );
}

interface Content {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/** What the recorded chunks hold, added up in the plainest way. */
function contentOf(chunks: readonly Chunk[]): Content {
  const calls: { name: string; arguments: string }[] = [];
  for (const { content_block: block, delta } of chunks) {
    if (block?.type === "tool_use") calls.push({ name: block.name ?? "", arguments: "" });
    else if (block && "input" in block) calls.push({ name: "", arguments: "" });
    const last = calls.at(-1);
    if (last) last.arguments += delta?.partial_json ?? "";
  }
  const explanation = chunks.map(({ delta }) => delta?.stop_details?.explanation ?? "").join("");
  return {
    // A person is told why a request was refused.
    text: chunks.map(({ delta }) => delta?.text ?? "").join("") + explanation,
    thinking: chunks.map(({ delta }) => delta?.thinking ?? "").join(""),
    // Calls of the server's own tools are its own matter.
    calls: calls.filter(({ name }) => name !== "").map((call) => ({ ...call, arguments: call.arguments || "{}" })),
  };
}

function parsed({ calls, ...rest }: Content): unknown {
  return { ...rest, calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]) };
}

function usageOf(chunks: readonly Chunk[]): object {
  const reports = chunks.flatMap(({ message, usage }) => [message?.usage, usage]);
  const parts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  const last = (name: string): number =>
    reports.map((report) => report?.[name]).findLast((count) => typeof count === "number") ?? 0;
  return { input: parts.map(last).reduce((sum, count) => sum + count, 0), output: last("output_tokens") };
}

function kindOf(reason: string, calls: number): string {
  const kinds: Readonly<Record<string, string>> = {
    refusal: "refusal",
    max_tokens: "length",
    model_context_window_exceeded: "length",
  };
  return kinds[reason] ?? (calls > 0 ? "calls" : reason === "pause_turn" ? "length" : "stop");
}

/** The sibling is another answer to the same request: its words differ, its calls and its kind of end do not. */
function compareWithSibling({ content, stop_reason }: z.infer<typeof Sibling>, got: Content, reason: string): void {
  const calls = content.filter(({ type }) => type === "tool_use").map((block) => [block.name, block["input"]]);
  assert.deepEqual(
    got.calls.map((call) => [call.name, JSON.parse(call.arguments)]),
    calls,
  );
  assert.equal(reason, stop_reason);
  if (reason !== "refusal")
    assert.equal(
      got.text !== "",
      content.some(({ type }) => type === "text"),
    );
}
