// OpenAI Responses, and every server that speaks it, as a Model.
import type { Clock, Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { ReplyOptions } from "../protocol/replyOptions.ts";
import { callIdsOf, newCallId } from "./callIds.ts";
import { idleWatch, type Silence } from "./idleWatch.ts";
import { holdsTo } from "./strictSchema.ts";
import { connect } from "./openaiClient.ts";
import { beginsReasoning } from "./openaiResponsesEvent.ts";
import { foldEnd, foldEvent, isOver, startFold } from "./openaiResponsesFold.ts";
import { broken } from "./openaiResponsesKept.ts";
import { afterRefusal } from "./openaiResponsesRefused.ts";
import { all, toRequest, type Accepted } from "./openaiResponsesRequest.ts";
import { unfoldResponse } from "./wholeReply.ts";
import { failureOf, stalledReply, type Endpoint } from "./providerFailure.ts";

export interface OpenaiResponsesOptions extends Silence {
  readonly baseUrl: string;
  /** `""` for servers without keys. */
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  /** Absent: replies as the model gives them by default. */
  readonly reply?: ReplyOptions;
  /** It may think before it answers. */
  readonly thinks?: boolean;
  /** Sends requests; absent: the global one. */
  readonly fetch?: typeof fetch;
  readonly clock: Clock;
  /** What the server has taught before, and teaches, so that it has to refuse something only once; absent: nothing yet. */
  readonly learnt?: { accepted: Accepted };
}

/** Milliseconds to wait for the connection's own end behind a reply's: read to its end, it serves the next request too. */
const tail = 1000;

/**
 * Makes a Model that sends each request once; `retrying` adds the tries. Only what a server refuses by its form is sent
 * again without it. Throws TypeError for a `baseUrl` that is none.
 */
export function openaiResponses(options: OpenaiResponsesOptions): Model {
  const { baseUrl, apiKey, model, contextWindow, clock } = options;
  const endpoint: Endpoint = { host: new URL(baseUrl).host, apiKey, model, now: () => clock.now() };
  const { learnt = { accepted: all } } = options;
  // Who cannot read the reasoning of one conversation reads that of the next: it is theirs.
  let reasoning = true;
  const learn = (less: Partial<Accepted>): void => {
    reasoning &&= less.reasoning ?? true;
    learnt.accepted = { ...learnt.accepted, ...less, reasoning: true };
  };
  return {
    id: model,
    contextWindow,
    structures: holdsTo(endpoint),
    stream: (request, signal) =>
      streamReply(request, {
        ...options,
        endpoint,
        signal,
        accepted: () => ({ ...learnt.accepted, reasoning }),
        learn,
      }),
  };
}

interface Sending extends OpenaiResponsesOptions {
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  readonly accepted: () => Accepted;
  /** Told what had to be left out; another request may have learnt something meanwhile. */
  readonly learn: (less: Partial<Accepted>) => void;
}

async function* streamReply(request: ModelRequest, sending: Sending): AsyncGenerator<ModelEvent> {
  const { signal, clock, endpoint } = sending;
  if (signal.aborted) return;
  const silence = new AbortController();
  const watch = idleWatch(clock, sending, () => silence.abort());
  let phase: "connecting" | "streaming" | "over" = "connecting";
  let fold = startFold({ endpoint, newId: newCallId, taken: callIdsOf(request) });
  let hangUp = (): void => undefined;
  try {
    const send = await sender(sending, { onBytes: () => watch.touch(), silence: silence.signal });
    watch.wait();
    const reply = await sendAccepted(request, sending, send);
    phase = "streaming";
    for await (const event of reply) {
      if (isDone(phase)) continue;
      watch.rest();
      const step = foldEvent(fold, event);
      fold = step.fold;
      watch.read(withThought(event, step.events));
      yield* step.events;
      if (isOver(step.events)) {
        phase = "over";
        hangUp = clock.after(tail, () => silence.abort());
      } else watch.wait();
    }
    if (isDone(phase) || isAborted(signal)) return;
    // The library ends an aborted stream as if it were complete.
    yield* isAborted(silence.signal) ? broken(fold, stalledReply(endpoint, watch.limit())) : foldEnd(fold);
  } catch (thrown) {
    if (phase === "over" || isAborted(signal)) return;
    const stalled = isAborted(silence.signal);
    yield* broken(fold, stalled ? stalledReply(endpoint, watch.limit()) : failureOf(thrown, endpoint, phase));
  } finally {
    watch.stop();
    hangUp();
    // Closes the connection when the reader left early.
    silence.abort();
  }
}

/** A thought that begins is one for whoever waits, though nothing of it is shown yet. */
function withThought(event: unknown, events: readonly ModelEvent[]): readonly ModelEvent[] {
  return beginsReasoning(event) ? [...events, { type: "thinking", text: "" }] : events;
}

type Send = (body: object) => PromiseLike<AsyncIterable<unknown>>;

interface Line {
  readonly onBytes: () => void;
  readonly silence: AbortSignal;
}

/** Posted as it is: the library's types know only OpenAI's own items, and a kept item may have more in it. */
async function sender(sending: Sending, { onBytes, silence }: Line): Promise<Send> {
  const client = await connect({ ...sending, expects: unfoldResponse, onBytes });
  const signal = AbortSignal.any([sending.signal, silence]);
  return (body) => client.post<AsyncIterable<unknown>>("/responses", { body, stream: true, signal });
}

async function sendAccepted(request: ModelRequest, sending: Sending, send: Send): Promise<AsyncIterable<unknown>> {
  const { model, endpoint, accepted, learn, reply, thinks } = sending;
  for (let less: Partial<Accepted> = {}; ;) {
    const tried = { ...accepted(), ...less };
    try {
      const answer = await send(toRequest(request, { model, host: endpoint.host, accepted: tried, reply, thinks }));
      learn(less);
      return answer;
    } catch (thrown) {
      const remedy = afterRefusal(thrown, tried);
      if (!remedy) throw thrown;
      less = { ...less, ...remedy };
    }
  }
}

/** Asked through functions, because both change behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function isDone(phase: string): boolean {
  return phase === "over";
}
