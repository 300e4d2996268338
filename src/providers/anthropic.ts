// Anthropic Messages, and every server that speaks it, as a Model.
import { randomUUID } from "node:crypto";
import type { Clock, Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { ReplyOptions } from "../protocol/replyOptions.ts";
import { connect, type SendMessages } from "./anthropicClient.ts";
import { foldEnd, foldEvent, foldFailure, startFold, type Fold } from "./anthropicFold.ts";
import { toRequest, type WireRequest } from "./anthropicRequest.ts";
import { idleWatch, type Silence } from "./idleWatch.ts";
import { holdsTo } from "./strictSchema.ts";
import { failureOf, stalledReply, type Endpoint, type ErrorEvent } from "./providerFailure.ts";

export interface AnthropicOptions extends Silence {
  /** With or without `/v1` at its end. */
  readonly baseUrl: string;
  /** `""` for servers without keys. */
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  /** Absent: replies as the model gives them by default. */
  readonly reply?: ReplyOptions;
  /** Sends requests; absent: the global one. */
  readonly fetch?: typeof fetch;
  readonly clock: Clock;
}

/** The API wants a limit for the tokens of a reply, thoughts included; never over half of the window. */
const usualOutput = 32_000;

/** Milliseconds in which a server may close its answer by itself, so that the connection can be used again. */
const lingering = 1_000;

/** Milliseconds for what may come behind the reason of a reply's end. */
const tail = 10_000;

/** Makes a Model that sends each request once; `retrying` adds the tries. Throws TypeError for a `baseUrl` that is none. */
export function anthropic(options: AnthropicOptions): Model {
  const { baseUrl, apiKey, model, contextWindow, clock } = options;
  const endpoint: Endpoint = { host: new URL(baseUrl).host, apiKey, model, now: () => clock.now() };
  const distrusted = new Set<string>();
  return {
    id: model,
    contextWindow,
    structures: holdsTo(endpoint),
    stream: (request, signal) => streamReply(request, { ...options, endpoint, distrusted, signal }),
  };
}

interface Sending extends AnthropicOptions {
  readonly endpoint: Endpoint;
  /** Seals of kept replies that the endpoint has refused. */
  readonly distrusted: Set<string>;
  readonly signal: AbortSignal;
}

async function* streamReply(request: ModelRequest, sending: Sending): AsyncGenerator<ModelEvent> {
  const { signal, clock, endpoint } = sending;
  if (signal.aborted) return;
  const silence = new AbortController();
  const hush = (): void => silence.abort();
  const watch = idleWatch(clock, sending, hush);
  let fold: Fold | null = null;
  let hangUp = (): void => undefined;
  try {
    const send = await connect({ ...sending, onBytes: () => watch.touch() });
    watch.wait();
    const { reply, seal } = await ask(send, request, { ...sending, signal: AbortSignal.any([signal, silence.signal]) });
    fold = startFold({ endpoint, newId, taken: callIds(request), seal });
    for await (const event of reply) {
      if (fold.over) continue;
      watch.rest();
      const step = foldEvent(fold, event);
      const hasEnded = step.fold.over || step.fold.finish !== fold.finish;
      fold = step.fold;
      watch.read(step.events);
      yield* step.events;
      if (hasEnded) {
        hangUp();
        hangUp = clock.after(fold.over ? lingering : tail, hush);
      }
      watch.wait();
    }
    if (!isAborted(signal)) yield* foldEnd(fold);
  } catch (thrown) {
    if (isAborted(signal)) return;
    const phase = fold ? "streaming" : "connecting";
    const stalled = isAborted(silence.signal);
    yield* lastOf(fold, stalled ? stalledReply(endpoint, watch.limit()) : failureOf(thrown, endpoint, phase));
  } finally {
    watch.stop();
    hangUp();
    // Closes the connection when the reader left early.
    silence.abort();
  }
}

/** What was cut off behind the word on how it ended is whole. */
function lastOf(fold: Fold | null, error: ErrorEvent): readonly ModelEvent[] {
  if (!fold) return [error];
  return fold.finish === "" ? foldFailure(fold, error) : foldEnd(fold);
}

interface Asked {
  readonly reply: AsyncIterable<unknown>;
  readonly seal: string;
}

/** A session whose kept thoughts are refused would be refused for ever: it is sent again, at once, without them. */
async function ask(send: SendMessages, request: ModelRequest, sending: Sending): Promise<Asked> {
  const wire = wireOf(request, sending);
  try {
    return { reply: await send(wire.body, sending.signal), seal: wire.seal };
  } catch (thrown) {
    if (wire.replayed.length === 0 || !refusesThoughts(thrown, sending.endpoint)) throw thrown;
    for (const seal of wire.replayed) sending.distrusted.add(seal);
    const { body, seal } = wireOf(request, sending);
    return { reply: await send(body, sending.signal), seal };
  }
}

function wireOf(request: ModelRequest, sending: Sending): WireRequest {
  const { model, endpoint, contextWindow, reply, distrusted } = sending;
  const maxTokens = Math.min(reply?.maxOutputTokens ?? usualOutput, Math.floor(contextWindow / 2));
  return toRequest(request, { model, host: endpoint.host, maxTokens, reply, distrusted });
}

function refusesThoughts(thrown: unknown, endpoint: Endpoint): boolean {
  const { code, message } = failureOf(thrown, endpoint, "connecting").failure;
  return code === "request_refused" && /thinking|signature/i.test(message);
}

/** Asked through a function, because the signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function newId(): string {
  return `toolu_${randomUUID().replaceAll("-", "")}`;
}

function callIds({ messages }: ModelRequest): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [])),
  );
}
