// Replies, whole or in pieces, as the result that a prompt gives.
import assert from "node:assert/strict";
import * as z from "zod";
import type { ModelEvent } from "../../src/engine/ports.ts";
import * as messages from "../../src/providers/anthropicFold.ts";
import * as chat from "../../src/providers/openaiChatFold.ts";
import * as responses from "../../src/providers/openaiResponsesFold.ts";
import { failureOf } from "../../src/providers/providerFailure.ts";
import { unfoldChat, unfoldMessage, unfoldResponse } from "../../src/providers/wholeReply.ts";

const endpoint = { host: "example.test", apiKey: "", model: "m", now: () => 0 };
const options = { endpoint, newId: () => "made-up", taken: new Set<string>(), seal: "" };

interface Wire {
  readonly unfold: (body: Record<string, unknown>) => readonly unknown[] | null;
  readonly fold: (events: readonly unknown[]) => readonly ModelEvent[];
}

/** Feeds a state machine event by event, up to its last word. */
function folding<F>(
  start: F,
  step: (fold: F, event: unknown) => { fold: F; events: readonly ModelEvent[] },
  end: (fold: F) => readonly ModelEvent[],
): Wire["fold"] {
  return (events) => {
    let fold = start;
    const said: ModelEvent[] = [];
    for (const event of events) {
      const next = step(fold, event);
      fold = next.fold;
      said.push(...next.events);
      if (isLast(said)) return said;
    }
    return [...said, ...end(fold)];
  };
}

function isLast(said: readonly ModelEvent[]): boolean {
  const type = said.at(-1)?.type;
  return type === "finish" || type === "error";
}

const wires: Readonly<Record<string, Wire>> = {
  "openai/chat": { unfold: unfoldChat, fold: folding(chat.startFold(options), chat.foldChunk, chat.foldEnd) },
  "openai/responses": {
    unfold: unfoldResponse,
    fold: folding(responses.startFold(options), responses.foldEvent, responses.foldEnd),
  },
  "anthropic/chat": {
    unfold: unfoldMessage,
    fold: folding(messages.startFold(options), messages.foldEvent, messages.foldEnd),
  },
};

function wireOf(provider: string, api: string): Wire {
  const wire = wires[`${provider}/${api}`];
  assert.ok(wire, `there is no wire ${provider}/${api}`);
  return wire;
}

const Case = z.looseObject({
  input: z.looseObject({
    provider: z.string(),
    apiType: z.string(),
    response: z.record(z.string(), z.unknown()),
    has_outputs: z.boolean().default(false),
  }),
  expected: z.looseObject({ result: z.unknown().optional(), error: z.unknown().optional() }),
});

export function checkProcess(raw: unknown): Promise<"skipped" | void> {
  const { input, expected } = Case.parse(raw);
  if (input.apiType === "embedding" || input.apiType === "image") return Promise.resolve("skipped");
  const { unfold, fold } = wireOf(input.provider, input.apiType);
  const events = fold(unfold(input.response) ?? []);
  if (expected.error !== undefined) assert.equal(events.at(-1)?.type, "error");
  else assert.deepEqual(resultOf(events, input.has_outputs), expected.result);
  return Promise.resolve();
}

/** Calls before words; words as a value where one is asked for and they are one. */
function resultOf(events: readonly ModelEvent[], asValue: boolean): unknown {
  const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
  if (calls.length > 0) return calls;
  const text = textOf(events);
  if (!asValue) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

const StreamCase = z.looseObject({
  input: z.object({
    provider: z.string(),
    apiType: z.string().default("chat"),
    events: z.array(z.looseObject({ kind: z.string(), value: z.unknown().optional() })),
  }),
  expected: z.looseObject({
    chunks: z.array(z.looseObject({ kind: z.string() })),
    partialText: z.string().optional(),
    completionCommitted: z.boolean().optional(),
  }),
});

export function checkProcessStream(raw: unknown): Promise<void> {
  const { input, expected } = StreamCase.parse(raw);
  const { fold } = wireOf(input.provider, input.apiType);
  const [pieces, broken] = [input.events.filter(isPiece), input.events.find((event) => !isPiece(event))];
  const events = fold(pieces.map(({ value }) => value));
  const end = broken ? failureOf(broken.value, endpoint, "streaming") : events.at(-1);
  const refused = end?.type === "finish" && end.reason === "refusal";
  const failure = expected.chunks.find(({ kind }) => kind === "failure");
  if (failure && refused) assert.partialDeepStrictEqual(failure, { failure: refusal(textOf(events)) });
  else assert.equal(end?.type === "error", failure !== undefined);
  if (expected.partialText !== undefined) assert.equal(refused ? "" : textOf(events), expected.partialText);
  if (expected.completionCommitted !== undefined)
    assert.equal(end?.type === "finish" && !refused, expected.completionCommitted);
  return Promise.resolve();
}

function isPiece({ kind }: { readonly kind: string }): boolean {
  return kind === "provider";
}

/** A refusal is an end of its own: nothing was cut off, and asking again changes nothing (C-42). */
function refusal(said: string): object {
  return { outcome: "determinate", message: `Model refused: ${said}` };
}
