// Templates: the text they render to, the pieces it is made of, and the messages of a rendered text.
import assert from "node:assert/strict";
import * as z from "zod";
import { messagesOf, type Rich } from "../../src/agents/promptyMessages.ts";
import { render } from "../../src/agents/promptyRender.ts";
import type { Segment } from "../../src/agents/promptySegments.ts";
import { LoopError } from "../../src/protocol/errors.ts";
import type { ContentPart } from "../../src/protocol/messages.ts";

const Input = z.object({
  template: z.string(),
  engine: z.enum(["jinja2", "mustache"]),
  inputs: z.record(z.string(), z.unknown()),
  strict_props: z.array(z.string()).default([]),
});
const Tagged = z.object({ _kind: z.string() });

async function segmentsOf({
  template,
  engine,
  inputs,
  strict_props,
}: z.infer<typeof Input>): Promise<readonly Segment[]> {
  const declared = Object.entries(inputs).map(([name, value]) => {
    const tagged = Tagged.safeParse(value);
    return { name, kind: tagged.success ? tagged.data._kind : "string", strict: strict_props.includes(name) };
  });
  const prompty = {
    kind: "prompt",
    name: "case",
    inputs: declared,
    outputs: [],
    tools: [],
    template: { format: { kind: engine }, parser: { kind: "prompty" } },
    // As a file is read.
    instructions: template.replaceAll("\r\n", "\n"),
  } as const;
  return (await render(prompty, inputs)).segments;
}

const RenderCase = z.looseObject({
  input: Input,
  expected: z.looseObject({
    rendered: z.string().optional(),
    nonce_pattern: z.string().optional(),
    error: z.string().optional(),
  }),
});

export async function checkRender(raw: unknown): Promise<void> {
  const { input, expected } = RenderCase.parse(raw);
  if (expected.error !== undefined) return assert.rejects(segmentsOf(input), LoopError);
  const text = (await segmentsOf(input)).map((segment) => segment.text).join("");
  if (expected.nonce_pattern === undefined) assert.equal(text, expected.rendered);
  else assert.match(text, new RegExp(expected.nonce_pattern));
}

const SegmentsCase = z.looseObject({
  input: Input,
  expected: z.union([z.strictObject({ segments: z.array(z.unknown()) }), z.strictObject({ error: z.string() })]),
});

export async function checkSegments(raw: unknown): Promise<void> {
  const { input, expected } = SegmentsCase.parse(raw);
  if ("segments" in expected) return assert.deepEqual(await segmentsOf(input), expected.segments);
  await assert.rejects(segmentsOf(input), (error) => error instanceof LoopError && error.code === "input_invalid");
}

const Part = z.object({ kind: z.literal("text"), value: z.string() });
const Message = z.looseObject({ role: z.string(), content: z.array(Part) });
const ParseCase = z.looseObject({
  input: z.object({ rendered: z.string(), thread_inputs: z.record(z.string(), z.array(Message)).default({}) }),
  expected: z.object({ messages: z.array(z.unknown()) }),
});

export function checkParse(raw: unknown): Promise<void> {
  const { input, expected } = ParseCase.parse(raw);
  const rich = new Map<string, Rich>();
  for (const [name, messages] of Object.entries(input.thread_inputs))
    rich.set(name, {
      kind: "thread",
      messages: messages.map(({ role, content }) => ({ role, content: parts(content) })),
    });
  assert.deepEqual(messagesOf(piecesOf(input.rendered), rich), expected.messages);
  return Promise.resolve();
}

function parts(content: readonly z.infer<typeof Part>[]): readonly ContentPart[] {
  return content;
}

/** What a render would have given, taken apart at its markers. */
function piecesOf(rendered: string): readonly Segment[] {
  const text = (words: string): Segment => ({ kind: "literal", text: words, source: null, strict: false });
  return rendered.split(/(__PROMPTY_[A-Z]+_[0-9a-f]+_\w+?__)/).map((piece) => {
    const [, source = null] = /^__PROMPTY_[A-Z]+_[0-9a-f]+_(\w+)__$/.exec(piece) ?? [];
    return source === null ? text(piece) : { kind: "rich", text: piece, source, strict: false };
  });
}
