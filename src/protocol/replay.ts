// Turns a stored transcript back into the events that fold into what was shown. Pure.
import type { EventOf, FailureData, LoopEvent, PanelEvent } from "./events.ts";
import { type AssistantEntry, type Entry, isAboutSession, isMessage, isRevision } from "./messages.ts";
import { noUsage } from "./usage.ts";
import type { CompactionEntry, CompactionUndoneEntry, MemoryFlushEntry, Message } from "./messages.ts";
import type {
  Params,
  RunEndEntry,
  ToolCall,
  TodosEntry,
  ToolEntry,
  UndoEntry,
  UserEntry,
  Verdict,
} from "./messages.ts";
import { renamedDecision, renamedSteps } from "./planIds.ts";
import { shownParts } from "./viewParts.ts";

/** What a call that never came to its end has for a result. */
export const interruptedResult =
  "The run was interrupted before this call ended. It may have done its work, or a part of it: look before you do it again.";

/** A transcript that is read piece by piece, while somebody may still be writing it. */
export interface Replay {
  /** The events of the next entry. */
  readonly next: (entry: Entry) => LoopEvent[];
  /** Nobody writes it any more: a run without `run_end` ends as aborted. */
  readonly end: () => LoopEvent[];
}

/**
 * The events of a whole session, oldest first. Live output, thinking and notices are not in a transcript. What
 * the window held is neither: `loop:context` carries the agent and the model, and 0 of 0 tokens.
 * @param entries as they were loaded; a run without `run_end` ends as aborted
 * @param session what `session:open` says
 */
export function replay(entries: readonly Entry[], session: { id: string; title: string }): PanelEvent[] {
  const { next, end } = createReplay(session.id);
  return [{ type: "session:open", sessionId: session.id, title: session.title }, ...entries.flatMap(next), ...end()];
}

/** Begins with the first entry of a run. */
export function createReplay(sessionId: string): Replay {
  let run: OpenRun | null = null;
  const end = (): LoopEvent[] => {
    const open = run;
    run = null;
    return open ? abort(open) : [];
  };
  return {
    end,
    next(entry) {
      if (isAboutSession(entry)) return [];
      if (isRevision(entry)) return [revised(entry)];
      const events = run && run.runId !== entry.runId ? end() : [];
      if (!run) {
        run = { runId: entry.runId, agent: agentOf(entry), calls: new Map() };
        events.push(...begin(entry, sessionId));
      }
      events.push(...(isUser(entry) && entry.steering === true ? steered(entry) : eventsOf(entry, run)));
      if ("type" in entry && entry.type === "run_end") run = null;
      return events;
    },
  };
}

interface OpenRun {
  readonly runId: string;
  readonly agent: string;
  /** Calls without a result so far, by id. */
  readonly calls: Map<string, ToolCall>;
}

/** The user's line may be lost: then the run is shown without it. */
function begin(entry: Entry, sessionId: string): LoopEvent[] {
  const { runId, id: messageId, timestamp } = entry;
  const { content = "", agent = "" } = isUser(entry) ? entry : {};
  return [
    { type: "loop:start", runId, sessionId, message: content, messageId, timestamp },
    ...(isUser(entry) ? attached(entry) : []),
    ...(agent === "" ? [] : [context(runId, agent, "")]),
  ];
}

function agentOf(entry: Entry): string {
  return isUser(entry) ? (entry.agent ?? "") : "";
}

function isUser(entry: Entry): entry is UserEntry {
  return isMessage(entry) && entry.role === "user";
}

function context(runId: string, agent: string, model: string): EventOf<"loop:context"> {
  return { type: "loop:context", runId, tokenEstimate: 0, contextWindow: 0, agent, model };
}

function steered(entry: UserEntry): LoopEvent[] {
  const { runId, id: messageId, content, timestamp } = entry;
  return [{ type: "message:user", runId, messageId, content, timestamp }, ...attached(entry)];
}

/** What is told of a message's attachments. */
export function attached({ runId, id: messageId, attachments = [], parts }: UserEntry): LoopEvent[] {
  const shown = [...shownParts(parts), ...attachments.map(({ kind, label }) => ({ kind, label }))];
  return shown.length === 0 ? [] : [{ type: "message:attached", runId, messageId, attached: shown }];
}

function eventsOf(entry: Entry, run: OpenRun): LoopEvent[] {
  if (!isMessage(entry)) return otherEvents(entry, run);
  switch (entry.role) {
    case "user":
      return [];
    case "assistant":
      for (const call of entry.tool_calls ?? []) run.calls.set(idIn(entry.within, call.id), call);
      return [...(entry.model === undefined ? [] : [context(run.runId, run.agent, entry.model)]), ...reply(entry)];
    case "tool": {
      const id = idIn(entry.within, entry.tool_call_id);
      const call = run.calls.get(id);
      run.calls.delete(id);
      return result(entry, id, call);
    }
  }
}

function otherEvents(entry: Exclude<Entry, Message>, run: OpenRun): LoopEvent[] {
  const { runId } = entry;
  // How a delegate kept its own conversation short was not shown.
  if (entry.within !== undefined && (entry.type === "compaction" || entry.type === "memory_flush")) return [];
  switch (entry.type) {
    case "run_end":
      return [...unanswered(run), ...end(entry)];
    case "plan": {
      const { id: planId, steps, revised, by } = entry;
      const name = (id: string): string => idIn(entry.within, id);
      const decision = renamedDecision(entry.decision, name);
      const left = revised && { steps: renamedSteps(revised, name) };
      return [
        { type: "plan:proposed", runId, planId, mode: "lazy", steps: renamedSteps(steps, name) },
        { type: "plan:decided", runId, planId, decision, by, ...left },
      ];
    }
    case "pause": {
      const { reason, message, choice } = entry;
      return [
        { type: "run:paused", runId, reason, message, choices: [choice] },
        { type: "run:resumed", runId, choice },
      ];
    }
    case "begun":
    case "title":
    case "fork":
      return [];
    case "compaction":
    case "compaction_undone":
      return [compaction(entry)];
    case "memory_flush":
      return flushed(entry);
    case "undo":
    case "todos":
      return [revised(entry)];
  }
}

/** What is told of a compaction, of its edit and of its undoing. */
export function compaction(entry: CompactionEntry | CompactionUndoneEntry): LoopEvent {
  const { runId } = entry;
  if (entry.type === "compaction_undone") return { type: "context:undone", runId, compactionId: entry.compactionId };
  const { id: compactionId, summary, carried, leftOut = 0, firstKeptId, messages } = entry;
  const { tokensBefore, tokensAfter, instructions, edits } = entry;
  return {
    type: "context:compacted",
    runId,
    compactionId,
    summary,
    carried,
    leftOut,
    firstKeptId,
    messages,
    tokensBefore,
    tokensAfter,
    ...(instructions !== undefined && { instructions }),
    ...(edits !== undefined && { edits }),
  };
}

function revised(entry: Extract<Entry, { type: "undo" | "todos" | "compaction" | "compaction_undone" }>): LoopEvent {
  if (entry.type === "todos") return todosChanged(entry);
  return entry.type === "undo" ? undone(entry) : compaction(entry);
}

/** What is told of a list of to-dos that the person has changed. */
export function todosChanged({ runId, id: todosId, todos }: TodosEntry): EventOf<"todos:changed"> {
  return { type: "todos:changed", runId, todosId, todos };
}

/** What is told of an undo. */
export function undone(entry: UndoEntry): EventOf<"changes:undone"> {
  const { runId, id: undoId, calls, undoes, changes, left, places } = entry;
  const about = { type: "changes:undone", runId, undoId, calls, changes, left } as const;
  return { ...about, ...(undoes !== undefined && { undoes }), ...(places !== undefined && { places }) };
}

/** What is told of the hidden turn: the notes that it made, and that it is over. */
export function flushed({ runId, wrote, calls }: MemoryFlushEntry): LoopEvent[] {
  const notes = calls.flatMap(({ status, arguments: text }) => (status === "succeeded" ? noteIn(text) : []));
  return [
    ...notes.map((note) => ({ type: "memory:write", runId, note }) as const),
    { type: "memory:flush", runId, wrote },
  ];
}

function noteIn(text: string): string[] {
  const { note } = objectIn(text);
  return typeof note === "string" ? [note] : [];
}

/** Calls of a delegate have the id of the call that they work for in front of their own, as they had when they ran. */
function idIn(within: string | undefined, id: string): string {
  return within === undefined ? id : nestedId(within, id);
}

/** What a call of a delegate is known by outside of it. */
export function nestedId(within: string, id: string): string {
  return `${within}/${id}`;
}

function reply(entry: AssistantEntry): LoopEvent[] {
  const { runId, id: messageId, iteration, content, interrupted = false, within } = entry;
  const calls = entry.tool_calls ?? [];
  if (within !== undefined)
    return calls.map(({ id, name: toolName }) => {
      const toolCallId = nestedId(within, id);
      return { type: "call:streaming", runId, toolCallId, toolName, messageId, iteration, within };
    });
  return [
    ...(content === "" ? [] : [{ type: "stream:delta", runId, content, messageId, iteration } as const]),
    ...calls.map(
      ({ id: toolCallId, name: toolName }) =>
        ({ type: "call:streaming", runId, toolCallId, toolName, messageId, iteration }) as const,
    ),
    { type: "message:end", runId, messageId, iteration, interim: calls.length > 0, interrupted },
  ];
}

function result(entry: ToolEntry, toolCallId: string, call: ToolCall | undefined): LoopEvent[] {
  const {
    runId,
    name: toolName,
    label,
    verdict,
    status,
    duration,
    content,
    preview,
    error,
    after = [],
    changes,
  } = entry;
  const about = { runId, toolCallId };
  const waitsFor = after.map((id) => idIn(entry.within, id));
  return [
    ...(label && after.length > 0 ? [{ type: "call:blocked", ...about, label, waitsFor } as const] : []),
    ...(label
      ? [{ type: "call:ready", ...about, label, params: paramsOf(call, verdict), ...(preview && { preview }) } as const]
      : []),
    ...(verdict && !wentWithoutSaying(verdict) ? [decided(about, verdict)] : []),
    { type: "tool:start", ...about, toolName, label: label ?? { verb: toolName, subject: "" } },
    ...(changes ? [{ type: "call:changes", ...about, changes } as const] : []),
    { type: "tool:end", ...about, toolName, result: content, duration, status, ...(error && { error }) },
  ];
}

/** What needs no rule was never put to anybody, so nothing was told of it either. */
function wentWithoutSaying({ decision, by, rule }: Verdict): boolean {
  return by === "policy" && decision.kind === "approve" && rule === undefined;
}

function decided(
  about: { runId: string; toolCallId: string },
  { decision, by, rule }: Verdict,
): EventOf<"call:decided"> {
  return { type: "call:decided", ...about, decision, by, ...(rule !== undefined && { rule }) };
}

/** As the tool got them: what a person changed counts, and what begins with `_` is between the model and the loop. */
function paramsOf(call: ToolCall | undefined, verdict: Verdict | undefined): Params {
  if (verdict?.decision.kind === "modify") return verdict.decision.params;
  if (verdict?.decision.kind === "replace") return verdict.decision.call.params;
  return Object.fromEntries(Object.entries(objectIn(call?.arguments ?? "")).filter(([name]) => !name.startsWith("_")));
}

function objectIn(text: string): Params {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function end(entry: RunEndEntry): LoopEvent[] {
  const { runId, status, duration, usage, cost, iterations = 0, error } = entry;
  const paid = cost === undefined ? {} : { cost };
  return [
    ...(error ? [{ type: "loop:error", runId, error: failure(error) } as const] : []),
    { type: "loop:end", runId, success: status === "completed", duration, status, usage, ...paid, iterations },
  ];
}

function failure(error: NonNullable<RunEndEntry["error"]>): FailureData {
  const { code, status, message, next, action, details } = error;
  return {
    code,
    status,
    message,
    next,
    ...(typeof action === "string" && { action }),
    ...(Array.isArray(details) && { details: details.map(String) }),
  };
}

function abort(run: OpenRun): LoopEvent[] {
  const { runId } = run;
  return [
    ...unanswered(run),
    { type: "loop:end", runId, success: false, duration: 0, status: "aborted", usage: noUsage, iterations: 0 },
  ];
}

function unanswered({ runId, calls }: OpenRun): LoopEvent[] {
  return [...calls].map(([toolCallId, { name: toolName }]) => ({
    type: "tool:end",
    runId,
    toolCallId,
    toolName,
    result: interruptedResult,
    duration: 0,
    status: "cancelled",
  }));
}
