// What the panel shows, as a pure fold of events. The host folds the same events and sends its own fold as the snapshot.
import type { FileDiff } from "./calls.ts";
import type { ContextHolds } from "./contextParts.ts";
import type {
  BackgroundInfo,
  EventOf,
  FailureData,
  PanelEvent,
  QueuedMessage,
  Reading,
  Setup,
  ToolInfo,
} from "./events.ts";
import type { Usage } from "./usage.ts";
import { compactionInUse } from "./viewContext.ts";
import type { CallItem } from "./viewCall.ts";
import { maskedIn } from "./viewMasked.ts";
import { reduceTurn, withReview, type PauseItem, type PlanItem, type Turn } from "./viewTurn.ts";

/** How full a model's window is. */
export interface WindowView {
  readonly tokens: number;
  readonly window: number;
  /** What fills it; null: not known. */
  readonly holds: ContextHolds | null;
  /** What the last request took; null: not known. */
  readonly last: Usage | null;
}

export interface View {
  readonly setup: Setup | null;
  readonly session: { readonly id: string | null; readonly title: string };
  readonly turns: readonly Turn[];
  /** There are others before the first of them. */
  readonly more: boolean;
  /** Set while another window has the session: then this one only reads along. */
  readonly reading: Reading | null;
  /** A failure outside any run. */
  readonly failure: FailureData | null;
  /** How full the model's window was at the last request. */
  readonly context: WindowView | null;
  /** Id of the compaction that the model reads in the place of what was before it; null: it reads everything. */
  readonly compaction: string | null;
  /** Messages that wait until the run has ended, oldest first. */
  readonly queue: readonly QueuedMessage[];
  /** Commands that run in the background, of any session, oldest first. */
  readonly commands: readonly BackgroundInfo[];
  /** What a person may put in the place of a call; known once a run has begun. */
  readonly tools: readonly ToolInfo[];
}

export const emptyView: View = {
  setup: null,
  session: { id: null, title: "" },
  turns: [],
  more: false,
  reading: null,
  failure: null,
  context: null,
  compaction: null,
  queue: [],
  commands: [],
  tools: [],
};

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

/** The plan that waits for a person, if there is one. */
export function pendingPlan(view: View): PlanItem | undefined {
  if (!isRunning(view)) return undefined;
  const items = view.turns.at(-1)?.items ?? [];
  return items.find((item): item is PlanItem => item.kind === "plan" && item.state === "pending");
}

/** The choice that the run waits for, if there is one. */
export function pendingPause(view: View): PauseItem | undefined {
  if (!isRunning(view)) return undefined;
  const items = view.turns.at(-1)?.items ?? [];
  return items.findLast((item): item is PauseItem => item.kind === "pause" && item.choice === null);
}

/** Folds one event into the view. Pure: unchanged parts keep their identity, so that drawing can skip them. */
export function reduce(view: View, event: PanelEvent): View {
  switch (event.type) {
    case "panel:setup":
      return { ...view, setup: event.setup };
    case "panel:failure":
      return { ...view, failure: event.failure };
    case "session:open":
      return {
        ...emptyView,
        setup: view.setup,
        commands: view.commands,
        session: { id: event.sessionId, title: event.title },
      };
    case "session:earlier": {
      const turns = [...event.events.reduce<View>(reduce, emptyView).turns, ...view.turns];
      return { ...view, turns, more: event.more, compaction: compactionInUse(turns) };
    }
    case "session:reading":
      return { ...view, reading: event.reading };
    case "run:handover":
      return {
        ...inTurn(view, event.runId, (turn) => reduceTurn(turn, event)),
        reading: { state: "given", host: null },
      };
    case "loop:start":
      return start(view, event);
    case "commands:changed":
      return { ...view, commands: event.commands };
    case "queue:changed":
      return { ...view, queue: event.queue };
    case "review:changed":
      return inTurn(view, event.runId, (turn) => withReview(turn, event.toolCallId, event.review));
    case "loop:execute":
      return { ...view, tools: event.tools };
    case "loop:context":
      return {
        ...inTurn(view, event.runId, (turn) => ({ ...turn, agent: event.agent, model: event.model })),
        context: windowOf(view, event),
      };
    case "context:estimate":
      return { ...view, context: windowOf(view, event) };
    case "message:end": {
      const { turns } = inTurn(view, event.runId, (turn) => reduceTurn(turn, event));
      return { ...view, turns, context: view.context && { ...view.context, last: event.usage ?? view.context.last } };
    }
    case "context:compacted":
    case "context:undone": {
      const { turns } = inTurn(view, event.runId, (turn) => reduceTurn(turn, event));
      return { ...view, turns, compaction: compactionInUse(turns) };
    }
    default:
      return inTurn(view, event.runId, (turn) => reduceTurn(turn, event));
  }
}

function windowOf({ context }: View, event: EventOf<"loop:context" | "context:estimate">): WindowView {
  const { tokenEstimate: tokens, contextWindow: window } = event;
  return { tokens, window, holds: event.holds ?? null, last: context?.last ?? null };
}

function start(view: View, event: EventOf<"loop:start">): View {
  const turn: Turn = {
    runId: event.runId,
    messageId: event.messageId,
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

/** The kinds of secrets that are masked in the result of a call. */
export function masksOf({ result }: Pick<CallItem, "result">): readonly string[] {
  return maskedIn(result);
}

/** A changed file in words. */
export function fileTitle({ path, to, deleted }: Pick<FileDiff, "path" | "to" | "deleted">): string {
  if (deleted) return `${path} (deleted)`;
  return to === undefined ? path : `${path} → ${to}`;
}
