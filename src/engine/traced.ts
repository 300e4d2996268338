// Spans around what the loop does. Without a tracer nothing of it happens.
import type { AgentDefinition } from "../protocol/agents.ts";
import { toFailure } from "../protocol/errors.ts";
import { type CallError, type CallStatus } from "../protocol/messages.ts";
import { addUsage, noUsage, withThoughts, type Usage } from "../protocol/usage.ts";
import type { Span, TraceEnd, Traced } from "../protocol/tracing.ts";
import type { ExecuteOutput } from "./execute.ts";
import type { ModelEvent, ModelRequest } from "./ports.ts";
import type { Running } from "./running.ts";

/** One request to the run's model, with its span. The span ends with an abort, also when the stream does not. */
export function requestStream(request: ModelRequest, run: Running): AsyncIterable<ModelEvent> {
  const { agent, model, signal, span } = run;
  const stream = model.stream(request, signal);
  if (!span) return stream;
  const { system, messages } = request;
  const { id, provider } = model;
  const chat = span.begin({ kind: "chat", model: id, provider, options: agent.options, system, messages });
  return followed(stream, chat, signal);
}

async function* followed(
  stream: AsyncIterable<ModelEvent>,
  chat: Span,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let usage: Usage | undefined;
  let text = "";
  let last: TraceEnd = {};
  const calls: unknown[] = [];
  const end = (how: TraceEnd): void => chat.end({ output: { text, calls }, ...(usage && { usage }), ...how });
  const cut = (): void => end({ error: stopped });
  signal.addEventListener("abort", cut, { once: true });
  try {
    for await (const event of stream) {
      if (event.type === "text") text += event.text;
      if (event.type === "call") calls.push(event.call);
      if (event.type === "usage") usage = addUsage(usage ?? noUsage, withThoughts(event.usage, event.beside));
      if (event.type === "finish") last = { finish: event.reason };
      if (event.type === "error") last = { error: { type: event.failure.code, message: event.failure.message } };
      yield event;
    }
  } catch (error) {
    last = { error: errorOf(error) };
    throw error;
  } finally {
    signal.removeEventListener("abort", cut);
    end(last);
  }
}

const stopped = { type: "aborted", message: "It was stopped." };

/** Does a part of the work inside a span of its own. What it throws is told and goes on. */
export async function within<T>(parent: Span | undefined, what: Traced, work: () => Promise<T> | T): Promise<T> {
  const span = parent?.begin(what);
  try {
    const output = await work();
    span?.end({ output });
    return output;
  } catch (error) {
    span?.end({ error: errorOf(error) });
    throw error;
  }
}

/** An agent, as its span tells of it. */
export function tracedAgent({ name, description }: AgentDefinition, sessionId: string): Traced {
  return { kind: "agent", name, description, sessionId };
}

interface Ended {
  readonly status: CallStatus;
  readonly content: string;
  readonly error?: CallError["type"] | undefined;
}

/** How a call ended, as its span tells it. */
export function endOfCall({ status, error, content }: Ended): TraceEnd {
  if (status === "succeeded") return { output: content };
  const type = error ?? (status === "failed" ? "runtime" : status);
  return { output: content, error: { type, message: content } };
}

/** How a run ended, as its span tells it. */
export function endOfRun({
  status,
  failure,
  response,
}: Pick<ExecuteOutput, "status" | "failure" | "response">): TraceEnd {
  if (status === "completed" || status === "completed_with_errors") return { output: response };
  const { code = status, message = `It ended as ${status}.` } = failure ?? {};
  return { output: response, error: { type: code, message } };
}

function errorOf(error: unknown): NonNullable<TraceEnd["error"]> {
  const { code: type, message } = toFailure(error);
  return { type, message };
}
