// OpenAI Chat Completions, and every server that speaks it, as a Model.
import type { Clock, Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { ReplyOptions } from "../protocol/replyOptions.ts";
import { callIdsOf, newCallId } from "./callIds.ts";
import { idleWatch, type Silence } from "./idleWatch.ts";
import { holdsTo } from "./strictSchema.ts";
import { foldChunk, foldEnd, foldFailure, isOver, startFold, type Fold } from "./openaiChatFold.ts";
import { toRequest, type ChatBody } from "./openaiChatRequest.ts";
import { afterRefusal, usual, type Shape } from "./openaiChatShape.ts";
import { connect } from "./openaiClient.ts";
import { unfoldChat } from "./wholeReply.ts";
import { failureOf, stalledReply, type Endpoint, type ErrorEvent } from "./providerFailure.ts";

export interface OpenaiChatOptions extends Silence {
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
  /** What the server has taught before, and teaches, so that it has to refuse something only once; absent: nothing yet. */
  readonly learnt?: { shape: Shape };
}

/** Milliseconds for what may come behind the reason of a reply's end: usage, and the connection's own end, which some never send. */
const tail = 10_000;

/** Makes a Model that sends each request once; `retrying` adds the tries. Throws TypeError for a `baseUrl` that is none. */
export function openaiChat(options: OpenaiChatOptions): Model {
  const { baseUrl, apiKey, model, contextWindow, clock } = options;
  const endpoint: Endpoint = { host: new URL(baseUrl).host, apiKey, model, now: () => clock.now() };
  const { learnt = { shape: usual } } = options;
  return {
    id: model,
    contextWindow,
    structures: holdsTo(endpoint),
    stream: (request, signal) => streamReply(request, { ...options, endpoint, signal, learnt }),
  };
}

interface Sending extends OpenaiChatOptions {
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  readonly learnt: { shape: Shape };
}

async function* streamReply(request: ModelRequest, sending: Sending): AsyncGenerator<ModelEvent> {
  const { signal, clock, endpoint } = sending;
  if (signal.aborted) return;
  const silence = new AbortController();
  const watch = idleWatch(clock, sending, () => silence.abort());
  let fold: Fold | null = null;
  let hangUp = (): void => undefined;
  const failed = (error: ErrorEvent): ModelEvent[] => (fold ? foldFailure(fold, error) : [error]);
  const last = (otherwise: () => ModelEvent[]): ModelEvent[] => {
    if (isAborted(signal)) return [];
    if (fold && fold.finish !== "") return foldEnd(fold);
    return isAborted(silence.signal) ? failed(stalledReply(endpoint, watch.limit())) : otherwise();
  };
  try {
    const client = await connect({ ...sending, expects: unfoldChat, onBytes: () => watch.touch() });
    watch.wait();
    const reply = await sendShaped(request, sending, (body) => {
      const options = { body, stream: true, signal: AbortSignal.any([signal, silence.signal]) } as const;
      return client.post<AsyncIterable<unknown>>("/chat/completions", options);
    });
    fold = startFold({ endpoint, newId: newCallId, taken: callIdsOf(request) });
    for await (const chunk of reply) {
      watch.rest();
      const step = foldChunk(fold, chunk);
      // Some send empty chunks for as long as the connection stands.
      const isNew = step.events.length > 0 || step.fold.finish !== fold.finish;
      fold = step.fold;
      watch.read(step.events);
      yield* step.events;
      if (isOver(step.events)) return;
      if (isNew) hangUp();
      if (isNew && fold.finish !== "") hangUp = clock.after(tail, () => silence.abort());
      watch.wait();
    }
    // The library ends an aborted stream as if it were complete.
    const whole = fold;
    yield* last(() => foldEnd(whole));
  } catch (thrown) {
    yield* last(() => failed(failureOf(thrown, endpoint, fold ? "streaming" : "connecting")));
  } finally {
    watch.stop();
    hangUp();
    // Closes the connection when the reader left early.
    silence.abort();
  }
}

type Send = (body: ChatBody) => PromiseLike<AsyncIterable<unknown>>;

async function sendShaped(request: ModelRequest, sending: Sending, send: Send): Promise<AsyncIterable<unknown>> {
  const { model, endpoint, learnt, reply } = sending;
  for (let more: Partial<Shape> = {}; ;) {
    const shape = { ...learnt.shape, ...more };
    try {
      const answer = await send(toRequest(request, { model, host: endpoint.host, reply, shape }));
      // Another request may have learnt something meanwhile.
      learnt.shape = { ...learnt.shape, ...more };
      return answer;
    } catch (thrown) {
      const remedy = afterRefusal(thrown, shape);
      if (!remedy) throw thrown;
      more = { ...more, ...remedy };
    }
  }
}

/** Asked through a function, because the signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
