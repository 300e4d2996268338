// Recorded traffic of real providers, cut at random places, through the loopback server and the real library.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod";
import { cutAt, frames, startSse } from "../support/sse.ts";
import { chatAt, collect, summary } from "../unit/providers/chat.ts";

const Call = z.object({ function: z.object({ name: z.string(), arguments: z.string() }) });
const Sibling = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string(),
      message: z.object({
        content: z.string().nullish(),
        tool_calls: z.array(Call).nullish(),
      }),
    }),
  ),
});
const Recording = z.object({
  chunks: z.union([z.string(), z.array(z.unknown())]),
  non_streaming_sibling: Sibling.nullish(),
});

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
const Words = z
  .union([z.string(), z.array(Part).transform((parts) => parts.map(({ text }) => text ?? "").join(""))])
  .nullish();
const Piece = z.object({
  choices: z
    .array(z.object({ delta: z.object({ content: Words, reasoning_content: z.string().nullish() }) }))
    .optional(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  x_groq: z
    .object({ usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).optional() })
    .optional(),
});

/** One recording, cut at several sets of places: it must always read as what was recorded. */
export async function checkStreamChat(raw: unknown): Promise<void> {
  const recording = Recording.parse(raw);
  const { chunks } = recording;
  const bytes = Buffer.from(typeof chunks === "string" ? chunks : frames(chunks));
  const expected = contentOf(bytes.toString());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (places) => {
      const server = await startSse({ parts: cutAt(bytes, places) });
      try {
        const { text, thinking, usage, calls, end } = summary(await collect(chatAt(server.baseUrl)));
        assert.deepEqual({ text, thinking }, { text: expected.text, thinking: expected.thinking });
        if (expected.usage) assert.partialDeepStrictEqual(usage, expected.usage);
        assert.deepEqual(end, { type: "finish", reason: calls.length > 0 ? "calls" : "stop" });
        compareWithSibling(recording, { calls, hasText: text !== "" });
      } finally {
        await server.close();
      }
    }),
    { numRuns: 4 },
  );
}

/** What the recorded chunks hold, added up in the plainest way. */
export function contentOf(stream: string): { text: string; thinking: string; usage: object | null } {
  const pieces = stream
    .split(/\r?\n/)
    .filter((line) => /^data: ?\{/.test(line))
    .map((line) => Piece.parse(JSON.parse(line.slice("data:".length))));
  const deltas = pieces.map((piece) => piece.choices?.[0]?.delta);
  const usage = pieces.map((piece) => piece.usage ?? piece.x_groq?.usage).findLast((found) => found);
  return {
    text: deltas.map((delta) => delta?.content ?? "").join(""),
    thinking: deltas.map((delta) => delta?.reasoning_content ?? "").join(""),
    usage: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null,
  };
}

/** The sibling is another answer to the same request: its words differ, its calls and its kind of end do not. */
function compareWithSibling(
  { non_streaming_sibling: sibling }: z.infer<typeof Recording>,
  got: { readonly calls: readonly { name: string; arguments: string }[]; readonly hasText: boolean },
): void {
  const choice = sibling?.choices[0];
  if (!choice) return;
  const parsed = (list: readonly { name: string; arguments: string }[]): unknown[] =>
    list.map((call) => [call.name, JSON.parse(call.arguments)]);
  assert.deepEqual(parsed(got.calls), parsed((choice.message.tool_calls ?? []).map((call) => call.function)));
  assert.equal(got.hasText, (choice.message.content ?? "") !== "");
  assert.equal(choice.finish_reason, got.calls.length > 0 ? "tool_calls" : "stop");
}
