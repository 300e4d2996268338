// The spans of a run as its lines tell of them, each by itself, before they are put into a tree. Pure.
import type { AssistantEntry, Entry, PauseEntry, PlanEntry } from "./messages.ts";
import type { ToolCall, ToolEntry } from "./messages.ts";
import type { RequestRecord, Wait } from "./usage.ts";
import { isMessage } from "./messages.ts";
import { nestedId } from "./replay.ts";
import type { OpenCall, Stretch, TraceSpan } from "./trace.ts";

/** A span that does not know its place yet. */
export interface Draft extends Omit<TraceSpan, "parent" | "depth" | "all"> {
  /** What it stands under, if that is known. */
  readonly under: Draft | null;
  /** Else: the call that it is part of the work of; undefined: none, it is the run's own. */
  readonly within: string | undefined;
}

export interface Frame {
  /** When the run began, in milliseconds since 1970, and up to when something is known of it. */
  readonly from: number;
  readonly until: number;
  /** Calls that have not ended, as they are known in the conversation; null: nobody works on them any more. */
  readonly calls: ReadonlyMap<string, OpenCall> | null;
}

interface Collecting {
  readonly frame: Frame;
  readonly drafts: Draft[];
  /** Calls without a result so far, by what they are known by in the conversation. */
  readonly open: Map<string, Unanswered>;
  /** When the last thing ended in each conversation; `""`: the run's own. */
  readonly ends: Map<string, number>;
  isAbout: boolean;
}

interface Unanswered extends Pick<Draft, "number" | "under" | "within"> {
  readonly call: ToolCall;
}

/** Reads the lines of one run. */
export function collected(
  own: readonly Entry[],
  frame: Frame,
): { readonly drafts: readonly Draft[]; readonly isAbout: boolean } {
  const all: Collecting = { frame, drafts: [], open: new Map(), ends: new Map(), isAbout: false };
  for (const entry of own) {
    if (isMessage(entry)) takeMessage(all, entry);
    else takeOther(all, entry);
    const at = Math.max(timeIn(all, entry.timestamp), all.ends.get(entry.within ?? "") ?? 0);
    all.ends.set(entry.within ?? "", at);
  }
  for (const [known, call] of all.open) all.drafts.push(unanswered(all, known, call));
  if (frame.calls && all.open.size === 0) all.drafts.push(awaited(all));
  return all;
}

function takeMessage(all: Collecting, entry: Extract<Entry, { role: string }>): void {
  if (entry.role === "assistant") takeReply(all, entry);
  if (entry.role === "tool") takeResult(all, entry);
}

function takeOther(all: Collecting, entry: Exclude<Entry, { role: string }>): void {
  if (entry.type === "plan" || entry.type === "pause") all.drafts.push(questionDraft(all, entry));
  if (entry.type !== "compaction" && entry.type !== "memory_flush" && entry.type !== "run_end") return;
  const kind = ({ compaction: "summary", memory_flush: "notes", run_end: "request" } as const)[entry.type];
  for (const [index, request] of (entry.requests ?? []).entries()) {
    const about = { id: `${entry.id}-${index}`, kind, within: request.within ?? entry.within };
    all.drafts.push(requestDraft(all, request, about));
  }
}

function questionDraft(all: Collecting, entry: PlanEntry | PauseEntry): Draft {
  const { id, type: kind, within, timestamp, asked = timestamp } = entry;
  const waits = [{ from: timeIn(all, asked), to: timeIn(all, timestamp) }];
  const about = { ...blank, id, kind, waits, within };
  if (entry.type === "plan") return { ...about, number: entry.steps.length };
  return { ...about, label: { verb: entry.message, subject: "" } };
}

const blank: Omit<Draft, "id" | "kind" | "within"> = {
  under: null,
  number: 0,
  label: null,
  state: "succeeded",
  work: null,
  waits: [],
  first: null,
  usage: null,
  cost: null,
  model: "",
  toolCallId: null,
};

function takeReply(all: Collecting, entry: AssistantEntry): void {
  const { within, request, iteration, model = "", tool_calls: calls = [] } = entry;
  // A question about a host stands under its command, and no model has asked it.
  const isAsked = request !== undefined || iteration > 0;
  const under = isAsked ? { ...replyDraft(all, entry), number: iteration, model } : null;
  if (under) all.drafts.push(under);
  all.isAbout ||= isAsked && request === undefined;
  for (const [index, call] of calls.entries())
    all.open.set(idOf(call.id, within), { call, number: index + 1, under, within });
}

function replyDraft(all: Collecting, { id, within, request, timestamp, interrupted }: AssistantEntry): Draft {
  const about = { id, kind: "request", within } as const;
  if (request) return requestDraft(all, request, about);
  const to = timeIn(all, timestamp);
  const from = Math.min(all.ends.get(within ?? "") ?? beginOf(all, within), to);
  return { ...blank, ...about, state: interrupted ? "failed" : "succeeded", work: { from, to } };
}

/** A delegate begins with its call, as far as that is known. */
function beginOf({ ends }: Collecting, within: string | undefined): number {
  return within === undefined ? 0 : (ends.get("") ?? 0);
}

function requestDraft(all: Collecting, request: RequestRecord, about: Pick<Draft, "id" | "kind" | "within">): Draft {
  const { at, duration, first = null, usage, cost = null, model = "", ended } = request;
  const from = timeIn(all, at);
  const state = ended === undefined ? "succeeded" : ended === "failed" ? "failed" : "cancelled";
  return { ...blank, ...about, state, work: { from, to: from + duration }, first, usage, cost, model };
}

function takeResult(all: Collecting, entry: ToolEntry): void {
  const { id, within, tool_call_id: callId, name, status, label, duration, waited = [] } = entry;
  const known = idOf(callId, within);
  const from = entry.at === undefined ? timeIn(all, entry.timestamp) - duration : timeIn(all, entry.at);
  const { under = null, number = 0 } = all.open.get(known) ?? {};
  all.open.delete(known);
  all.drafts.push({
    ...blank,
    id,
    kind: "call",
    number,
    label: label ?? { verb: name, subject: "" },
    state: status,
    work: { from, to: from + duration },
    waits: waited.map((wait) => waitOf(all, wait)),
    toolCallId: known,
    under,
    within,
  });
}

function waitOf(all: Collecting, { at, duration }: Wait): Stretch {
  const from = timeIn(all, at);
  return { from, to: from + duration };
}

/** A call of which no end is known. */
function unanswered(all: Collecting, known: string, { call, ...place }: Unanswered): Draft {
  const { calls, until, from: zero } = all.frame;
  const { state, label } = { ...unknown(call, calls !== null), ...calls?.get(known) };
  const from = Math.min(place.under?.work?.to ?? all.ends.get(place.within ?? "") ?? 0, until - zero);
  const stretch = { from, to: state === "pending" || state === "running" ? until - zero : from };
  const at = state === "pending" ? { waits: [stretch] } : { work: stretch };
  return { ...blank, ...place, id: `${known}-open`, kind: "call", label, state, toolCallId: known, ...at };
}

function unknown({ name }: ToolCall, isOngoing: boolean): Pick<Draft, "state" | "label"> {
  return { state: isOngoing ? "running" : "cancelled", label: { verb: name, subject: "" } };
}

/** The request that a run waits for that goes on and has no call that does. */
function awaited({ ends, frame }: Collecting): Draft {
  const work = { from: ends.get("") ?? 0, to: frame.until - frame.from };
  return { ...blank, id: "awaited", kind: "request", state: "running", work, within: undefined };
}

function idOf(callId: string, within: string | undefined): string {
  return within === undefined ? callId : nestedId(within, callId);
}

/** Milliseconds since the run's beginning. */
function timeIn({ frame: { from }, ends }: Collecting, timestamp: string): number {
  const last = ends.get("") ?? 0;
  return timeOf(timestamp, from + last) - from;
}

/** Milliseconds since 1970. @param otherwise for what is no time */
export function timeOf(timestamp: string, otherwise: number): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? otherwise : time;
}
