// What the panel shows of one run, as a pure fold of its events.
import { appended } from "./appended.ts";
import type { AttachedInfo } from "./attachments.ts";
import type { Review } from "./calls.ts";
import type { EventOf, FailureData, LoopEvent } from "./events.ts";
import type { Params, PauseChoice, PauseReason, PlanDecision, PlanStep, RunStatus } from "./messages.ts";
import type { Usage } from "./usage.ts";
import type { EditedTodos } from "./viewTodos.ts";
import { newCall, reduceCall, type CallItem, type HostCallEvent } from "./viewCall.ts";
import { withUndo, type UndoItem } from "./viewUndo.ts";
import { dropWorking, withCompaction, withNote, type CompactionItem, type MemoryItem } from "./viewContext.ts";

export interface TextItem {
  readonly kind: "text";
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
  readonly state: "streaming" | "interim" | "answer" | "interrupted";
}

/** What a person said into the run. */
export interface UserItem {
  readonly kind: "user";
  readonly id: string;
  readonly text: string;
  readonly attached?: readonly AttachedInfo[];
}

/** The calls of one reply as a whole: how they depend on each other, and whether they may start. */
export interface PlanItem {
  readonly kind: "plan";
  readonly id: string;
  readonly steps: readonly PlanStep[];
  /** `shown` needs no decision; `invalid` cannot run, for the reason in `problem`. */
  readonly state: "shown" | "pending" | "decided" | "invalid";
  /** While it waits: why what a person made of it cannot run. */
  readonly problem: string | null;
  /** While it waits: what the model wrote for each call, by id. */
  readonly params: Readonly<Record<string, Params>>;
  readonly decided: { readonly decision: PlanDecision; readonly by: "person" | "policy" } | null;
}

/** A choice that a person has, or had. */
export interface PauseItem {
  readonly kind: "pause";
  readonly id: string;
  readonly reason: PauseReason;
  readonly message: string;
  readonly choices: readonly PauseChoice[];
  readonly choice: PauseChoice | null;
}

export interface NoticeItem {
  readonly kind: "notice";
  readonly id: string;
  readonly level: "info" | "warning";
  readonly message: string;
}

/** A request that failed and is sent again by itself. */
export interface RetryItem {
  readonly kind: "retry";
  readonly id: string;
  readonly reason: string;
  /** How often it was, or will be, sent again. */
  readonly attempts: number;
  /** When it is sent next. */
  readonly until: string;
}

export type Item =
  | TextItem
  | CallItem
  | UserItem
  | PlanItem
  | PauseItem
  | CompactionItem
  | MemoryItem
  | UndoItem
  | NoticeItem
  | RetryItem;

interface RunEnd {
  readonly status: RunStatus;
  readonly duration: number;
  readonly usage: Usage;
  /** US dollars; absent: not known. */
  readonly cost?: number | undefined;
  /** Requests that were sent to the model. */
  readonly iterations: number;
}

export interface Turn {
  readonly runId: string;
  /** Of the message that it began with. */
  readonly messageId: string;
  readonly user: string;
  /** What that message brought with it. */
  readonly attached?: readonly AttachedInfo[];
  readonly at: string;
  readonly agent: string;
  readonly model: string;
  readonly items: readonly Item[];
  /** What a person has made of the to-dos in it, the newest last. */
  readonly edits?: readonly EditedTodos[];
  readonly failure: FailureData | null;
  readonly end: RunEnd | null;
}

type TurnEvent =
  Exclude<LoopEvent, { type: "loop:start" | "loop:context" | "loop:execute" | "context:estimate" }> | HostCallEvent;

/** Folds one event of the run into its turn. Pure: unchanged parts keep their identity. */
export function reduceTurn(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case "stream:delta":
      return withText(turn, event.messageId, (item) => ({ ...item, text: appended(item.text, event.content) }));
    case "stream:thinking":
      return withText(turn, event.messageId, (item) => ({ ...item, thinking: appended(item.thinking, event.content) }));
    case "message:end":
      return endMessage(turn, event);
    case "call:streaming":
      return { ...turn, items: [...turn.items, newCall(event)] };
    case "model:retry":
      return withRetry(turn, event);
    case "run:handover":
      return withNotice(turn, "info", "Another window took this session over. What was done so far is kept.");
    case "memory:write":
      return { ...turn, items: withNote(turn.items, event.note) };
    case "loop:notice":
      return withNotice(turn, event.level, event.message);
    case "loop:error":
      return { ...turn, failure: event.error };
    case "loop:end": {
      const { status, duration, usage, cost, iterations } = event;
      return { ...turn, items: dropWorking(turn.items), end: { status, duration, usage, cost, iterations } };
    }
    // The host says instead what it reads in it.
    case "call:delta":
    case "loop:persist":
    case "context:pruned":
    case "memory:flush":
      return turn;
    case "context:compacting":
    case "context:compacted":
    case "context:undone":
      return { ...turn, items: withCompaction(turn.items, event) };
    case "message:user":
      return { ...turn, items: [...turn.items, { kind: "user", id: event.messageId, text: event.content }] };
    case "message:attached":
      return withAttached(turn, event);
    case "todos:changed":
      return withTodos(turn, event);
    case "changes:undone":
      return { ...turn, items: withUndo(turn.items, event) };
    case "plan:proposed":
    case "plan:decided":
      return withPlan(turn, event);
    case "run:paused":
    case "run:resumed":
      return withPause(turn, event);
    default:
      return withCall(turn, event.toolCallId, (item) => reduceCall(item, event));
  }
}

/** Shows where a person stands with a change that waits. */
export function withReview(turn: Turn, toolCallId: string, review: Review): Turn {
  return withCall(turn, toolCallId, (item) => (item.state === "pending" ? { ...item, review } : item));
}

function withAttached(turn: Turn, { messageId, attached }: EventOf<"message:attached">): Turn {
  if (messageId === turn.messageId) return { ...turn, attached };
  return changeItem(turn, "user", messageId, (item) => ({ ...item, attached }));
}

/** What is told once more, because its line is read again, says nothing new: it may have been overtaken. */
function withTodos(turn: Turn, { todosId: id, todos }: EventOf<"todos:changed">): Turn {
  const { items, edits = [] } = turn;
  if (edits.some((edit) => edit.id === id)) return turn;
  // What only stands for work that goes on may be gone later.
  const after = items.findLast(({ kind }) => kind !== "compaction")?.id ?? null;
  return { ...turn, edits: [...edits, { id, todos, after }] };
}

/** A plan stands in front of its calls. */
function withPlan(turn: Turn, event: EventOf<"plan:proposed" | "plan:decided">): Turn {
  if (event.type === "plan:decided") {
    const { planId, decision, by, steps, problem } = event;
    return changeItem(turn, "plan", planId, (item) =>
      problem === undefined
        ? {
            ...item,
            steps: steps ?? item.steps,
            state: "decided",
            params: {},
            problem: null,
            decided: { decision, by },
          }
        : { ...item, problem },
    );
  }
  const { planId: id, mode, steps, params = {}, problem = null } = event;
  const asked = mode === "lazy" ? "pending" : "shown";
  const plan: PlanItem = {
    kind: "plan",
    id,
    steps,
    state: problem === null ? asked : "invalid",
    problem,
    params,
    decided: null,
  };
  const first = turn.items.findIndex((item) => item.kind === "call" && item.id === steps[0]?.toolCallId);
  return { ...turn, items: turn.items.toSpliced(first === -1 ? turn.items.length : first, 0, plan) };
}

function withPause(turn: Turn, event: EventOf<"run:paused" | "run:resumed">): Turn {
  if (event.type === "run:resumed") {
    const open = turn.items.findLast((item) => item.kind === "pause" && item.choice === null);
    return changeItem(turn, "pause", open?.id ?? "", (item) => ({ ...item, choice: event.choice }));
  }
  const { reason, message, choices } = event;
  const id = `pause-${turn.items.length}`;
  return { ...turn, items: [...turn.items, { kind: "pause", id, reason, message, choices, choice: null }] };
}

function changeItem<K extends Item["kind"]>(
  turn: Turn,
  kind: K,
  id: string,
  change: (item: Extract<Item, { kind: K }>) => Item,
): Turn {
  const isIt = (item: Item): item is Extract<Item, { kind: K }> => item.kind === kind && item.id === id;
  const index = turn.items.findLastIndex(isIt);
  const item = turn.items[index];
  return item && isIt(item) ? { ...turn, items: turn.items.with(index, change(item)) } : turn;
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

/** Tries of one request are one line. */
function withRetry(turn: Turn, { reason, attempt: attempts, until }: EventOf<"model:retry">): Turn {
  const last = turn.items.at(-1);
  const again = last?.kind === "retry" && attempts > 1;
  const id = again ? last.id : `retry-${turn.items.length}`;
  const item: RetryItem = { kind: "retry", id, reason, attempts, until };
  return { ...turn, items: [...(again ? turn.items.slice(0, -1) : turn.items), item] };
}

function withNotice(turn: Turn, level: NoticeItem["level"], message: string): Turn {
  const notice: NoticeItem = { kind: "notice", id: `notice-${turn.items.length}`, level, message };
  return { ...turn, items: [...turn.items, notice] };
}
