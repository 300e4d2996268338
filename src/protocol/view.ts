// What the panel shows, as a pure fold of events. The host folds the same events and sends its own fold as the snapshot.
import type { Label, Preview } from "./calls.ts";
import type { EventOf, FailureData, PanelEvent, Setup } from "./events.ts";
import type { CallStatus, Decision, Params, RunStatus, Usage } from "./messages.ts";

export interface TextItem {
  readonly kind: "text";
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
  readonly state: "streaming" | "interim" | "answer" | "interrupted";
}

export interface Ask {
  readonly params: Params;
  readonly schema: Params;
  readonly why: string;
  readonly reason?: string | undefined;
  /** Why the last decision was not taken: the changed parameters were refused. */
  readonly problem?: string | undefined;
}

export interface CallItem {
  readonly kind: "call";
  readonly id: string;
  readonly toolName: string;
  readonly label: Label;
  readonly state: "streaming" | "blocked" | "ready" | "pending" | "running" | CallStatus;
  /** Calls it waits for, by id; empty unless blocked. */
  readonly waitsFor: readonly string[];
  readonly params: Params | null;
  readonly preview: Preview | null;
  readonly ask: Ask | null;
  readonly decided: { readonly decision: Decision; readonly by: "person" | "policy" } | null;
  /** The end of the live output. */
  readonly output: string;
  readonly result: string;
  readonly duration: number;
}

export interface NoticeItem {
  readonly kind: "notice";
  readonly id: string;
  readonly level: "info" | "warning";
  readonly message: string;
}

export type Item = TextItem | CallItem | NoticeItem;

interface RunEnd {
  readonly status: RunStatus;
  readonly duration: number;
  readonly usage: Usage;
  /** Requests that were sent to the model. */
  readonly iterations: number;
}

export interface Turn {
  readonly runId: string;
  readonly user: string;
  readonly at: string;
  readonly agent: string;
  readonly model: string;
  readonly items: readonly Item[];
  readonly failure: FailureData | null;
  readonly end: RunEnd | null;
}

export interface View {
  readonly setup: Setup | null;
  readonly session: { readonly id: string | null; readonly title: string };
  readonly turns: readonly Turn[];
  /** A failure outside any run. */
  readonly failure: FailureData | null;
  /** How full the model's window was at the last request. */
  readonly context: { readonly tokens: number; readonly window: number } | null;
}

export const emptyView: View = {
  setup: null,
  session: { id: null, title: "" },
  turns: [],
  failure: null,
  context: null,
};

/** Characters of live output kept in the view; the whole is in the result. */
const outputTail = 16_384;

/** True while the last turn has not ended. */
export function isRunning(view: View): boolean {
  const last = view.turns.at(-1);
  return last !== undefined && last.end === null;
}

/** The calls that wait for a person, oldest first. */
export function pendingCalls(view: View): readonly CallItem[] {
  const items = view.turns.at(-1)?.items ?? [];
  return items.filter((item): item is CallItem => item.kind === "call" && item.state === "pending");
}

/** Folds one event into the view. Pure: unchanged parts keep their identity, so that drawing can skip them. */
export function reduce(view: View, event: PanelEvent): View {
  switch (event.type) {
    case "panel:setup":
      return { ...view, setup: event.setup };
    case "panel:failure":
      return { ...view, failure: event.failure };
    case "session:open":
      return { ...emptyView, setup: view.setup, session: { id: event.sessionId, title: event.title } };
    case "loop:start":
      return start(view, event);
    case "loop:context":
      return {
        ...inTurn(view, event.runId, (turn) => ({ ...turn, agent: event.agent, model: event.model })),
        context: { tokens: event.tokenEstimate, window: event.contextWindow },
      };
    default:
      return inTurn(view, event.runId, (turn) => reduceTurn(turn, event));
  }
}

type TurnEvent = Exclude<PanelEvent, { type: `panel:${string}` | "session:open" | "loop:start" | "loop:context" }>;

function start(view: View, event: EventOf<"loop:start">): View {
  const turn: Turn = {
    runId: event.runId,
    user: event.message,
    at: event.timestamp,
    agent: "",
    model: "",
    items: [],
    failure: null,
    end: null,
  };
  const title = view.session.title === "" ? titleOf(event.message) : view.session.title;
  return { ...view, failure: null, session: { id: event.sessionId, title }, turns: [...view.turns, turn] };
}

/** First line of a message, shortened: what a session is called until it is renamed. */
export function titleOf(message: string): string {
  const first = message.trim().split("\n", 1)[0] ?? "";
  return first.length > 80 ? `${first.slice(0, 79)}…` : first;
}

function inTurn(view: View, runId: string, change: (turn: Turn) => Turn): View {
  const index = view.turns.findLastIndex((turn) => turn.runId === runId);
  const turn = view.turns[index];
  if (!turn) return view;
  const changed = change(turn);
  return changed === turn ? view : { ...view, turns: view.turns.with(index, changed) };
}

function reduceTurn(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case "stream:delta":
      return withText(turn, event.messageId, (item) => ({ ...item, text: item.text + event.content }));
    case "stream:thinking":
      return withText(turn, event.messageId, (item) => ({ ...item, thinking: item.thinking + event.content }));
    case "message:end":
      return endMessage(turn, event);
    case "call:streaming":
      return { ...turn, items: [...turn.items, newCall(event)] };
    case "model:retry":
      return withNotice(turn, "warning", `${event.reason} Trying again in ${Math.ceil(event.delay / 1000)} s.`);
    case "memory:write":
      return withNotice(turn, "info", "Memory updated.");
    case "loop:notice":
      return withNotice(turn, event.level, event.message);
    case "loop:error":
      return { ...turn, failure: event.error };
    case "loop:end":
      return {
        ...turn,
        end: { status: event.status, duration: event.duration, usage: event.usage, iterations: event.iterations },
      };
    case "loop:execute":
    case "loop:persist":
      return turn;
    default:
      return withCall(turn, event.toolCallId, (item) => reduceCall(item, event));
  }
}

type CallEvent = EventOf<
  "call:blocked" | "call:ready" | "call:pending" | "call:decided" | "tool:start" | "tool:output" | "tool:end"
>;

function reduceCall(item: CallItem, event: CallEvent): CallItem {
  switch (event.type) {
    case "call:blocked":
      return { ...item, state: "blocked", label: event.label, waitsFor: event.waitsFor };
    case "call:ready":
      return {
        ...item,
        state: "ready",
        label: event.label,
        params: event.params,
        preview: event.preview ?? null,
        waitsFor: [],
      };
    case "call:pending": {
      const { params, schema, why, reason } = event;
      return {
        ...item,
        state: "pending",
        label: event.label,
        params,
        ask: { params, schema, why, reason, problem: item.ask?.problem },
      };
    }
    case "call:decided":
      if (event.problem !== undefined) return { ...item, ask: item.ask && { ...item.ask, problem: event.problem } };
      return { ...item, state: "ready", decided: { decision: event.decision, by: event.by } };
    case "tool:start":
      return { ...item, state: "running", label: event.label, ask: null };
    case "tool:output":
      return { ...item, output: (item.output + event.chunk).slice(-outputTail) };
    case "tool:end":
      return { ...item, state: event.status, ask: null, result: event.result, duration: event.duration };
  }
}

function newCall(event: EventOf<"call:streaming">): CallItem {
  return {
    kind: "call",
    id: event.toolCallId,
    toolName: event.toolName,
    label: { verb: event.toolName, subject: "" },
    state: "streaming",
    waitsFor: [],
    params: null,
    preview: null,
    ask: null,
    decided: null,
    output: "",
    result: "",
    duration: 0,
  };
}

function withText(turn: Turn, id: string, change: (item: TextItem) => TextItem): Turn {
  const index = turn.items.findLastIndex((item) => item.kind === "text" && item.id === id);
  const item = turn.items[index];
  if (item?.kind === "text") return { ...turn, items: turn.items.with(index, change(item)) };
  const fresh: TextItem = { kind: "text", id, text: "", thinking: "", state: "streaming" };
  return { ...turn, items: [...turn.items, change(fresh)] };
}

function endMessage(turn: Turn, event: EventOf<"message:end">): Turn {
  if (!turn.items.some((item) => item.kind === "text" && item.id === event.messageId)) return turn;
  const settled = event.interim ? "interim" : "answer";
  return withText(turn, event.messageId, (item) => ({ ...item, state: event.interrupted ? "interrupted" : settled }));
}

function withCall(turn: Turn, id: string, change: (item: CallItem) => CallItem): Turn {
  const index = turn.items.findLastIndex((item) => item.kind === "call" && item.id === id);
  const item = turn.items[index];
  return item?.kind === "call" ? { ...turn, items: turn.items.with(index, change(item)) } : turn;
}

function withNotice(turn: Turn, level: NoticeItem["level"], message: string): Turn {
  const notice: NoticeItem = { kind: "notice", id: `notice-${turn.items.length}`, level, message };
  return { ...turn, items: [...turn.items, notice] };
}
