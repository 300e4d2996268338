// One request to the model: its stream becomes events, and its calls are handed on as they become complete.
import { appended } from "../protocol/appended.ts";
import { toFailure, type Failure } from "../protocol/errors.ts";
import type { ToolCall } from "../protocol/messages.ts";
import type { Usage } from "../protocol/usage.ts";
import { addUsage, noUsage, withThoughts } from "../protocol/usage.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest, Price } from "./ports.ts";
import type { Running } from "./running.ts";
import { requestStream } from "./traced.ts";

/** What one try of a request used, as its end said it. */
export interface Try {
  readonly usage: Usage;
  /** US dollars, as the endpoint itself says; undefined: it does not. */
  readonly cost: number | undefined;
  /** Of the model that was asked. */
  readonly price: Price | undefined;
}

/** What one request brought: a Solution in the making. */
export interface Reply {
  readonly messageId: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Of all attempts together: what is to be paid. */
  readonly usage: Usage;
  /** Of the attempt that this reply is from: what the request takes of the window. */
  readonly took: Usage;
  /** Those that used anything, as far as it was said. */
  readonly tries: readonly Try[];
  /** When it was sent, in milliseconds since 1970. */
  readonly sent: number;
  /** Milliseconds until the first piece of it came; null: none came. */
  readonly first: number | null;
  /** Milliseconds until it had ended. */
  readonly duration: number;
  readonly providerData: unknown;
  /** Who wrote it, where that is not the run's own model. */
  readonly model: Pick<Model, "id" | "price"> | undefined;
  readonly end:
    | { readonly kind: "finished"; readonly reason: FinishReason }
    | { readonly kind: "failed"; readonly failure: Failure; readonly retryable: boolean }
    | { readonly kind: "aborted" };
}

/** What has come of a reply that is still being written. */
export type Begun = Pick<Reply, "messageId" | "text" | "calls" | "model">;

interface Draft {
  readonly messageId: string;
  readonly calls: ToolCall[];
  text: string;
  usage: Usage;
  took: Usage;
  readonly tries: Try[];
  readonly sent: number;
  first: number | null;
  duration: number;
  providerData: unknown;
  model: Reply["model"];
  end: Reply["end"];
}

/**
 * Sends one request and follows its stream to the end. Never throws.
 * @param onCall told of every call the moment it is complete (C-05, C-47)
 */
export async function sendRequest(
  request: ModelRequest,
  iteration: number,
  run: Running,
  onCall: (call: ToolCall, soFar: Begun) => void,
): Promise<Reply> {
  const draft: Draft = {
    messageId: run.ports.ids(),
    calls: [],
    text: "",
    usage: noUsage,
    took: noUsage,
    tries: [],
    sent: run.ports.clock.now(),
    first: null,
    duration: 0,
    providerData: undefined,
    model: undefined,
    end: { kind: "aborted" },
  };
  const takeCall = (call: ToolCall): void => {
    draft.calls.push(call);
    onCall(call, draft);
  };
  try {
    for await (const event of untilAborted(requestStream(request, run), run.signal))
      take(event, draft, { iteration, run, takeCall });
  } catch (error) {
    draft.end = { kind: "failed", failure: toFailure(error), retryable: false };
  }
  if (run.signal.aborted) draft.end = { kind: "aborted" };
  draft.duration = elapsed(draft, run);
  run.emit({
    type: "message:end",
    runId: run.runId,
    messageId: draft.messageId,
    iteration,
    interim: draft.calls.length > 0,
    interrupted: draft.end.kind !== "finished",
    ...(draft.took.input > 0 && { usage: draft.took }),
  });
  return draft;
}

function elapsed({ sent }: Draft, { ports }: Running): number {
  return Math.max(0, ports.clock.now() - sent);
}

const pieces: ReadonlySet<ModelEvent["type"]> = new Set(["text", "thinking", "call:start", "call"]);

interface Taking {
  readonly iteration: number;
  readonly run: Running;
  readonly takeCall: (call: ToolCall) => void;
}

function take(event: ModelEvent, draft: Draft, { iteration, run, takeCall }: Taking): void {
  const { runId } = run;
  const { messageId } = draft;
  if (pieces.has(event.type)) draft.first ??= elapsed(draft, run);
  switch (event.type) {
    case "text":
      draft.text = appended(draft.text, event.text);
      return run.emit({ type: "stream:delta", runId, content: event.text, messageId, iteration });
    case "thinking":
      return run.emit({ type: "stream:thinking", runId, content: event.text, messageId });
    case "call:start":
      return run.emit({
        type: "call:streaming",
        runId,
        toolCallId: event.id,
        toolName: event.name,
        messageId,
        iteration,
      });
    case "call:delta":
      return run.emit({ type: "call:delta", runId, toolCallId: event.id, text: event.text });
    case "call":
      return takeCall(event.call);
    case "usage":
      return count(event, draft, run);
    case "provider":
      draft.providerData = event.data;
      return;
    case "model":
      draft.model = event.model;
      draft.took = noUsage;
      if (event.notice === null) return;
      return run.emit({ type: "loop:notice", runId, level: "warning", message: event.notice });
    case "retry": {
      draft.took = noUsage;
      const until = new Date(run.ports.clock.now() + event.delay).toISOString();
      return run.emit({ ...event, type: "model:retry", runId, until });
    }
    case "finish":
      draft.end = { kind: "finished", reason: event.reason };
      return;
    case "error":
      draft.end = { kind: "failed", failure: event.failure, retryable: event.retryable };
  }
}

function count(event: Extract<ModelEvent, { type: "usage" }>, draft: Draft, run: Running): void {
  const { cost, beside } = event;
  const usage = withThoughts(event.usage, beside);
  draft.usage = addUsage(draft.usage, usage);
  draft.took = usage;
  const { price } = draft.model ?? run.model;
  if (cost !== undefined || usage.input + usage.output > 0) draft.tries.push({ usage, cost, price });
}

/** The stream's events, and an end as soon as the signal is aborted, even when the stream itself does not heed it. */
async function* untilAborted<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = stream[Symbol.asyncIterator]();
  // A promise of its own for each step: one that outlives them all would keep something of every token.
  let leave = (): void => undefined;
  const abort = (): void => leave();
  signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<T> | null>((resolve, reject) => {
        leave = () => resolve(null);
        if (signal.aborted) leave();
        else iterator.next().then(resolve, reject);
      });
      if (next === null || next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    // Not awaited: a stream that hangs would hold the run with it.
    if (signal.aborted) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
