// From chunks of a Chat Completions stream to ModelEvents: a pure state machine, one chunk at a time.
import type { ModelEvent } from "../engine/ports.ts";
import { appended } from "../protocol/appended.ts";
import { readChunk, type WireCall, type WireChunk } from "./openaiChatChunk.ts";
import { finishOf, leavesCallHalf } from "./openaiChatFinish.ts";
import { brokenReply, failureOf, type Endpoint, type ErrorEvent } from "./providerFailure.ts";
import type { Report } from "./reportedCost.ts";
import { textOf, type WireRecord } from "./wireValue.ts";

export interface FoldOptions {
  readonly endpoint: Endpoint;
  /** Makes an id for a call that came without one, or with one that is taken. */
  readonly newId: () => string;
  /** Ids of earlier calls in the conversation: some servers count from zero in every reply. */
  readonly taken: ReadonlySet<string>;
}

interface OpenCall {
  readonly index: number;
  readonly id: string;
  /** The id as the server gave it; `""` when it gave none. */
  readonly wireId: string;
  readonly name: string;
  readonly arguments: string;
}

/** What is known of a reply so far. */
export interface Fold {
  readonly options: FoldOptions;
  readonly open: OpenCall | null;
  /** Wire ids of completed calls by their index. */
  readonly closed: ReadonlyMap<number, string>;
  readonly ids: ReadonlySet<string>;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly thinking: string;
  readonly details: readonly WireRecord[];
  readonly refused: boolean;
  readonly report: Report | null;
  /** The finish reason as the server gave it; `""` before it came. */
  readonly finish: string;
}

export interface Step {
  readonly fold: Fold;
  /** When one of them is an `error` it is the last, and the reply is over. */
  readonly events: readonly ModelEvent[];
}

export function startFold(options: FoldOptions): Fold {
  return {
    options,
    open: null,
    closed: new Map(),
    ids: options.taken,
    extra: {},
    thinking: "",
    details: [],
    refused: false,
    report: null,
    finish: "",
  };
}

/**
 * Takes in one chunk. A call is complete at the next call, at following text, or at the finish reason, and never
 * because its JSON parses (C-47).
 */
export function foldChunk(fold: Fold, raw: unknown): Step {
  const chunk = readChunk(raw);
  if (chunk.error !== null)
    return { fold, events: foldFailure(fold, failureOf({ error: chunk.error }, fold.options.endpoint, "streaming")) };
  const events = said(chunk);
  let next: Fold = {
    ...fold,
    thinking: appended(fold.thinking, chunk.thinking),
    details: chunk.details.reduce(withDetail, fold.details),
    refused: fold.refused || chunk.refusal !== "",
    report: chunk.report ?? fold.report,
    finish: chunk.finish || fold.finish,
  };
  if (chunk.text.trim() !== "" && chunk.calls.length === 0) next = close(next, events);
  for (const call of chunk.calls) {
    next = takeCall(next, call, events);
    if (isOver(events)) return { fold: next, events };
  }
  if (chunk.finish !== "") next = leavesCallHalf(chunk.finish) ? { ...next, open: null } : close(next, events);
  return { fold: next, events };
}

/** Whether a step ended the reply with an error. */
export function isOver(events: readonly ModelEvent[]): boolean {
  return events.at(-1)?.type === "error";
}

function said({ thinking, text, refusal }: WireChunk): ModelEvent[] {
  const events: ModelEvent[] = [];
  if (thinking !== "") events.push({ type: "thinking", text: thinking });
  if (text + refusal !== "") events.push({ type: "text", text: text + refusal });
  return events;
}

/** What remains to be said when the stream has ended by itself. */
export function foldEnd(fold: Fold): ModelEvent[] {
  const { options, finish, refused, open, closed } = fold;
  const { endpoint } = options;
  // What was refused is refused, whether or not the server says goodbye; a call begun behind the reason of the end has no end.
  if (open || (finish === "" && !refused)) return foldFailure(fold, brokenReply(endpoint));
  return [...used(fold), ...kept(fold), finishOf(finish, { calls: closed.size > 0, refused, endpoint })];
}

/** The last events of a reply that broke: what its calls need is kept, because their results go back (C-05). */
export function foldFailure(fold: Fold, error: ErrorEvent): ModelEvent[] {
  return [...used(fold), ...kept(fold), error];
}

function used({ report }: Fold): ModelEvent[] {
  return report ? [{ type: "usage", ...report }] : [];
}

function kept(fold: Fold): ModelEvent[] {
  const data = keptFor(fold);
  return data ? [{ type: "provider", data }] : [];
}

/** Some servers refuse the results of calls whose reasoning or signature did not come back with them. */
function keptFor(fold: Fold): Readonly<Record<string, unknown>> | null {
  const { thinking, details, extra, closed, options } = fold;
  const { host, model } = options.endpoint;
  if (closed.size === 0) return null;
  if (details.length > 0) return { host, thinking: "", extra, details: { of: model, items: details } };
  return thinking === "" && Object.keys(extra).length === 0 ? null : { host, thinking, extra };
}

const grown = ["text", "summary", "data"] as const;

/** Pieces of one kind at one place are one detail; its id and its signature come with any of them. */
function withDetail(all: readonly WireRecord[], piece: WireRecord): readonly WireRecord[] {
  const last = all.at(-1);
  if (!last || last["type"] !== piece["type"] || last["index"] !== piece["index"] || isSealed(last, piece))
    return [...all, piece];
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const texts = grown.flatMap((name) =>
    name in piece ? [[name, appended(textOf(last[name]), textOf(piece[name]))]] : [],
  );
  return all.with(all.length - 1, { ...last, ...Object.fromEntries(said), ...Object.fromEntries(texts) });
}

/** What is encrypted comes whole, each with an id of its own. */
function isSealed(last: WireRecord, piece: WireRecord): boolean {
  return "data" in piece && textOf(last["id"]) !== textOf(piece["id"]);
}

function takeCall(fold: Fold, piece: WireCall, events: ModelEvent[]): Fold {
  const index = piece.index ?? fold.open?.index ?? 0;
  const { open } = fold;
  if (open?.index === index && !startsAnother(open, piece)) {
    events.push(...delta(open.id, piece.arguments));
    const grown = { ...open, arguments: appended(open.arguments, piece.arguments) };
    return { ...fold, open: grown, extra: withExtra(fold.extra, open.id, piece.extra) };
  }
  const repeated = piece.id !== "" && fold.closed.get(index) === piece.id;
  if (piece.name === "" || repeated) {
    if (piece.arguments.trim() !== "")
      events.push(...foldFailure(fold, brokenReply(fold.options.endpoint, "mixed up the parts of its calls")));
    return fold;
  }
  return start(close(fold, events), { ...piece, index }, events);
}

/** Servers that do not count reuse one index; others repeat the name or give a new id with every piece of one call. */
function startsAnother(open: OpenCall, piece: WireCall): boolean {
  if (piece.name === "") return false;
  if (piece.name !== open.name) return true;
  if (piece.id !== "" && open.wireId !== "") return piece.id !== open.wireId;
  return piece.arguments.startsWith("{") && open.arguments.trimEnd().endsWith("}");
}

function start(fold: Fold, piece: WireCall & { readonly index: number }, events: ModelEvent[]): Fold {
  const id = piece.id === "" || fold.ids.has(piece.id) ? fold.options.newId() : piece.id;
  events.push({ type: "call:start", id, name: piece.name }, ...delta(id, piece.arguments));
  return {
    ...fold,
    open: { index: piece.index, id, wireId: piece.id, name: piece.name, arguments: piece.arguments },
    ids: new Set(fold.ids).add(id),
    extra: withExtra(fold.extra, id, piece.extra),
  };
}

function delta(id: string, text: string): ModelEvent[] {
  return text === "" ? [] : [{ type: "call:delta", id, text }];
}

function close(fold: Fold, events: ModelEvent[]): Fold {
  const { open } = fold;
  if (!open) return fold;
  const given = open.arguments.trim() === "" ? "{}" : open.arguments;
  events.push({ type: "call", call: { id: open.id, name: open.name, arguments: given } });
  return { ...fold, open: null, closed: new Map(fold.closed).set(open.index, open.wireId) };
}

function withExtra(all: Fold["extra"], id: string, extra: unknown): Fold["extra"] {
  return extra === undefined ? all : { ...all, [id]: extra };
}
