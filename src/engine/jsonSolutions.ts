// A Model for models without calls of their own: they answer with one JSON Solution, which is read as it streams.
import { LoopError, toFailure } from "../protocol/errors.ts";
import { handlersPrepare, handlersReceive, type ContextHandler, type Outgoing } from "./handlers.ts";
import type { FinishReason, Ids, JsonSchema, Model, ModelEvent, ModelRequest } from "./ports.ts";
import { solutionSchema } from "./solution.ts";
import type { SolutionEvent } from "./solutionMembers.ts";
import { add, formText, modelTurn, solutionMessages, userTurn } from "./solutionPrompt.ts";
import { solutionReader, type SolutionEnd } from "./solutionStream.ts";

export interface JsonSolutionsOptions {
  /** Names calls: they come without ids. */
  readonly ids: Ids;
  /** Those of the context's messages that have one, in order. */
  readonly handlers?: readonly ContextHandler[];
  /** What the answer must be; absent: text. */
  readonly output?: JsonSchema | undefined;
  /** How often in one request the model is told what was wrong with its reply and asked again; absent: once (C-01). */
  readonly corrections?: number;
}

/**
 * Wraps a Model so that tools are explained in words, and the calls in its text become calls. A reply with an output
 * finishes with `stop`, also when there are calls beside it; with calls alone it finishes with `calls`. A reply without
 * any Solution is the answer. Goes around `retrying`, not into it.
 */
export function jsonSolutions(model: Model, options: JsonSolutionsOptions): Model {
  const { handlers = [] } = options;
  // Its replies have a form of their own.
  const { structures: _, ...rest } = model;
  return {
    ...rest,
    stream: (request, signal) => {
      const hasTools = request.tools.length > 0;
      const first = request.messages.at(-1)?.role === "user";
      return streamSolution(request, { ...options, handlers, model, signal, hasTools, first });
    },
  };
}

interface Sending extends JsonSolutionsOptions {
  readonly model: Model;
  readonly signal: AbortSignal;
  readonly handlers: readonly ContextHandler[];
  readonly hasTools: boolean;
  /** The first request of a task. */
  readonly first: boolean;
}

async function* streamSolution(request: ModelRequest, sending: Sending): AsyncGenerator<ModelEvent> {
  const { model, corrections = 1, signal } = sending;
  if (needsNoForm(request, sending)) return yield* model.stream(request, signal);
  let sent = compose(request, sending);
  // A card that was opened for a call which never came is used by the next one of its tool.
  const announced: Announced[] = [];
  let prose = false;
  for (let left = corrections; ; left -= 1) {
    const draft = startDraft(announced, prose);
    const reason = yield* readReply(sent, sending, draft);
    if (reason === null) return;
    const verdict = judge(draft, reason, sending);
    if (verdict.kind === "finish") return yield* conclude(verdict, draft, sending);
    const started = draft.end.calls > 0 && sending.hasTools;
    if (left <= 0 || draft.answered || started) return yield malformed(verdict.sentence, started);
    sent = corrected(sent, draft.raw, verdict.sentence);
    prose = draft.prose;
  }
}

function* conclude(
  { reason, text }: Extract<Verdict, { kind: "finish" }>,
  { beside, end }: Draft,
  { handlers, first }: Sending,
): Generator<ModelEvent> {
  const told = handlersReceive(handlers, { ...beside, final: end.output, first });
  if (told !== "") yield { type: "thinking", text: told };
  if (text !== "") yield { type: "text", text };
  yield { type: "finish", reason };
}

/** Without tools, and without calls in the conversation, there is nothing to explain and nothing to look for. */
function needsNoForm({ tools, messages }: ModelRequest, { output, handlers }: Sending): boolean {
  const called = messages.some((message) => message.role === "assistant" && (message.tool_calls ?? []).length > 0);
  return tools.length === 0 && !called && !output && handlers.length === 0;
}

function compose({ system, messages, tools }: ModelRequest, { handlers, output, first }: Sending): ModelRequest {
  const references = tools.some(({ parameters }) => "_outputPath" in Object(parameters["properties"]));
  const plain: Outgoing = { solution: { tools, output, references }, system, messages, notes: [] };
  const outgoing = handlersPrepare(handlers, plain, first);
  const form = formText(solutionSchema(outgoing.solution), outgoing.solution.tools);
  return {
    system: [outgoing.system, form].filter((part) => part !== "").join("\n\n"),
    messages: solutionMessages(outgoing.messages, outgoing.notes, output !== undefined),
    tools: [],
  };
}

interface Announced {
  readonly id: string;
  readonly tool: string;
}

/** What is known of one reply. */
interface Draft {
  raw: string;
  /** Words were shown that are not the output. */
  prose: boolean;
  /** A part of the output was shown, so that it cannot be taken back. */
  answered: boolean;
  /** The model's server found calls by itself. */
  native: boolean;
  beside: { meta?: unknown; advisors?: unknown };
  problem: string;
  end: SolutionEnd;
  /** Calls that are shown but not complete. */
  readonly announced: Announced[];
  open: Announced | null;
}

function startDraft(announced: Announced[], prose: boolean): Draft {
  const end: SolutionEnd = { events: [], form: "nothing", object: "", calls: 0, output: false };
  return { raw: "", prose, answered: false, native: false, beside: {}, problem: "", end, announced, open: null };
}

/** Passes on one reply. @returns why it finished; null when it is over without: the last event was passed on, or it was aborted */
async function* readReply(
  sent: ModelRequest,
  sending: Sending,
  draft: Draft,
): AsyncGenerator<ModelEvent, FinishReason | null> {
  const reader = solutionReader();
  for await (const event of sending.model.stream(sent, sending.signal)) {
    if (event.type === "text") {
      draft.raw += event.text;
      yield* reader.read(event.text).flatMap((told) => toModelEvents(told, draft, sending));
    } else if (event.type === "finish") {
      draft.end = reader.end();
      yield* draft.end.events.flatMap((told) => toModelEvents(told, draft, sending));
      if (draft.open) draft.announced.push(draft.open);
      return event.reason;
    } else {
      draft.native ||= event.type === "call";
      yield event;
      if (event.type === "error") return null;
    }
  }
  return null;
}

function toModelEvents(event: SolutionEvent, draft: Draft, sending: Sending): readonly ModelEvent[] {
  switch (event.type) {
    case "prose":
      draft.prose = true;
      // Around a structured answer words would spoil it.
      return [{ type: sending.output ? "thinking" : "text", text: event.text }];
    case "thinking":
      return [event];
    case "output:text":
      return answer(event.text, draft, sending);
    case "output":
      return answer(event.json, draft, sending);
    case "call:start":
      return sending.hasTools ? announce(event.tool, draft, sending.ids) : [];
    case "call":
      return sending.hasTools ? completeCall(event, draft, sending.ids) : [];
    case "meta":
    case "advisors":
      draft.beside[event.type] = event.value;
      return [];
    case "error":
      draft.problem = event.message;
      return [];
  }
}

function answer(text: string, draft: Draft, { output }: Sending): readonly ModelEvent[] {
  const apart = draft.prose && !draft.answered && !output ? "\n\n" : "";
  draft.answered = true;
  return [{ type: "text", text: apart + text }];
}

function announce(tool: string, draft: Draft, ids: Ids): readonly ModelEvent[] {
  const index = draft.announced.findIndex((one) => one.tool === tool);
  const [kept] = index < 0 ? [] : draft.announced.splice(index, 1);
  draft.open = kept ?? { id: ids(), tool };
  return kept ? [] : [{ type: "call:start", id: draft.open.id, name: tool }];
}

function completeCall(event: Extract<SolutionEvent, { type: "call" }>, draft: Draft, ids: Ids): readonly ModelEvent[] {
  const events = draft.open ? [] : announce(event.tool, draft, ids);
  const id = draft.open?.id ?? ids();
  draft.open = null;
  return [...events, { type: "call", call: { id, name: event.tool, arguments: event.arguments } }];
}

type Verdict =
  | { readonly kind: "finish"; readonly reason: FinishReason; readonly text: string }
  | { readonly kind: "malformed"; readonly sentence: string };

/** What a reply amounts to. A reply that was cut at the model's limit, or refused, is not the model's mistake. */
function judge({ end, native, problem }: Draft, reason: FinishReason, { output, hasTools }: Sending): Verdict {
  if (reason === "refusal" || (reason === "length" && end.form !== "solution")) return finish(reason);
  if (native && end.form !== "solution") return finish("calls");
  switch (end.form) {
    case "solution":
      return judgeSolution(end, hasTools);
    case "prose":
      return output ? wrong(words) : finish("stop");
    case "nothing":
      return wrong(empty);
    case "object":
      // Without tools, or when data is asked for, it is the answer without its wrapping.
      return output || !hasTools ? finish("stop", end.object) : wrong(other);
    case "cut":
    case "broken":
      return wrong(problem);
  }
}

function judgeSolution({ output, calls }: SolutionEnd, hasTools: boolean): Verdict {
  if (output) return finish("stop");
  if (!hasTools) return wrong(noTools);
  return calls > 0 ? finish("calls") : wrong(neither);
}

function wrong(sentence: string): Verdict {
  return { kind: "malformed", sentence };
}

function finish(reason: FinishReason, text = ""): Verdict {
  return { kind: "finish", reason, text };
}

const neither =
  "Your Solution has neither calls nor an output. Give at least one call, or, when you are done, an output that is not null.";
const noTools = "You have no tools now: give an output that is not null.";
const words =
  "Your reply holds no Solution. Put the answer into the “output” of one, in the form that its schema asks for.";
const empty = "Your reply was empty. Give a Solution with at least one call, or with an output that is not null.";
const other =
  "Your reply is a JSON object, but no Solution: it has neither “calls” nor “output”. Put calls into the list “calls”, and an answer into “output”.";

function malformed(sentence: string, retryable: boolean): ModelEvent {
  const message = `The model did not keep to the form that its calls need. It was told: “${sentence}”`;
  return { type: "error", failure: toFailure(new LoopError("reply_malformed", message)), retryable };
}

/** How much of a reply that cannot be read the model is shown again, in characters. */
const longestRepeat = 8000;

function corrected(sent: ModelRequest, raw: string, sentence: string): ModelRequest {
  const last = sent.messages.at(-1);
  if (!last) return sent;
  const shown = raw.length > longestRepeat ? `${raw.slice(0, longestRepeat)}…` : raw;
  const messages = [...sent.messages];
  if (shown.trim() !== "") messages.push(modelTurn(last, shown));
  add(messages, userTurn(last, `${sentence} Send the whole Solution again, as one JSON object.`));
  return { ...sent, messages };
}
