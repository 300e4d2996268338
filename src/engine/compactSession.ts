// A compaction that a person asks for, and what they do with one afterwards: rewrite its summary, or undo it.
import { compactionOf } from "../protocol/compacted.ts";
import type { AgentLoopConfig } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { LoopEvent } from "../protocol/events.ts";
import { isMessage, type CompactionEntry, type CompactionUndoneEntry, type Entry } from "../protocol/messages.ts";
import { compaction as told } from "../protocol/replay.ts";
import { compact } from "./compact.ts";
import { compactedMessage } from "./compacted.ts";
import type { ContextOutput } from "./context.ts";
import { conversation } from "./conversation.ts";
import { estimateTokens, messageTokens } from "./estimate.ts";
import { flushedThisCycle, flushMemory } from "./flush.ts";
import { holdsOf } from "./holds.ts";
import type { Emit, Ports } from "./ports.ts";
import { beginProgress, type Ending } from "./progress.ts";
import { toolSpecs } from "./prompt.ts";
import { launch, nothing, type Done, type Run } from "./run.ts";
import { isStopped, timestamp, type Running } from "./running.ts";
import { thresholds } from "./thresholds.ts";

export interface CompactionRequest {
  readonly sessionId: string;
  /** What the summary should pay attention to. */
  readonly instructions?: string | undefined;
  /** Name of the agent whose model and tools count; absent: the default one. */
  readonly agent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fewer than before a full window: who asks for it wants room. */
const keptMessages = 4;

/**
 * Compacts a session now: a run without a message, with the events, the lock and the transcript of any other.
 * @returns at once; its outcome's `output` is the summary, `""` when there was nothing to summarise
 */
export function compactSession(
  request: CompactionRequest,
  ports: Ports,
  config: AgentLoopConfig,
  listener?: Emit,
): Run {
  const instructions = request.instructions?.trim() || undefined;
  const job = {
    message: null,
    listens: false,
    work: (made: ContextOutput, run: Running) => work(instructions, made, run),
  };
  return launch({ ...request, create: false }, job, { ports, config }, listener);
}

async function work(instructions: string | undefined, made: ContextOutput, run: Running): Promise<Done> {
  const { entries, earlier, systemPrompt: system, tokenEstimate: estimate, anchor } = made;
  const { contextWindow } = run.model;
  const progress = beginProgress({ entries, earlier, system, window: contextWindow, told: estimate, anchor });
  const limits = thresholds({ ...run.config, contextWindow });
  const room = limits.compactAt;
  const tools = toolSpecs(run.tools, run.model, run.config);
  const fixed = estimateTokens({ system, tools, messages: [] });
  if (made.history.length > keptMessages && !flushedThisCycle(entries)) await flushMemory(room, progress, run);
  // How the provider counts is still known after it: the next run goes on from there.
  const took = anchor ? { took: { model: run.model.id, ...anchor } } : {};
  const ended = (ending: Ending): Done => ({ ...nothing, ...ending, ...run.budget.spent(), unread: [], ...took });
  if (isStopped(run)) return ended({ response: "", status: "aborted" });
  const done = await compact({ estimate, room, fixed, keep: keptMessages, instructions }, progress, run);
  const { runId } = run;
  if (done.kind === "nothing")
    run.emit({ type: "loop:notice", runId, level: "info", message: "There is nothing yet that could be summarised." });
  if (done.kind === "done") {
    const { tokensAfter: tokenEstimate } = done.entry;
    const messages = conversation(progress.entries);
    const holds = holdsOf({ system: progress.system, tools, messages }, tokenEstimate, limits);
    run.emit({ type: "context:estimate", runId, tokenEstimate, contextWindow, holds });
  }
  if (done.kind === "ended") return ended(done.ending);
  return ended({ response: done.kind === "done" ? done.entry.summary : "", status: "completed" });
}

/** What a person does with a compaction; `summary` null: it is undone. */
export interface Revision {
  readonly sessionId: string;
  /** As its event named it, or an edit of it. */
  readonly compactionId: string;
  readonly summary: string | null;
}

/**
 * The line that rewrites or undoes a compaction: it belongs to the compaction's own run. Pure.
 * @throws LoopError `summary_refused` when there is no such compaction that still counts, or no text
 */
export function revisionOf(
  entries: readonly Entry[],
  { compactionId, summary }: Pick<Revision, "compactionId" | "summary">,
  about: { readonly id: string; readonly timestamp: string },
): CompactionEntry | CompactionUndoneEntry {
  const own = entries.filter(({ within }) => within === undefined);
  const known = own.find((entry): entry is CompactionEntry => isCompaction(entry) && entry.id === compactionId);
  const rootId = known?.edits ?? compactionId;
  const current = compactionOf(own);
  if (!current || (current.edits ?? current.id) !== rootId)
    throw new LoopError("summary_refused", "This summary is not in use any more.");
  const { runId } = current;
  if (summary === null) return { type: "compaction_undone", ...about, runId, compactionId: rootId };
  if (summary.trim() === "") throw new LoopError("summary_refused", "A summary cannot be empty.");
  const { requests: _requests, ...kept } = current;
  const edited = { ...kept, ...about, runId, summary: summary.trim(), edits: rootId };
  const tokensOf = (entry: CompactionEntry): number => messageTokens([compactedMessage(entry)]);
  return { ...edited, tokensAfter: current.tokensAfter + tokensOf(edited) - tokensOf(current) };
}

function isCompaction(entry: Entry): entry is CompactionEntry {
  return !isMessage(entry) && entry.type === "compaction";
}

/**
 * Rewrites or undoes a compaction under the session's lock, by appending one line.
 * @returns what is to be told of it
 * @throws LoopError `summary_refused`, `session_busy`, `session_not_found`, `disk_write`
 */
export async function reviseCompaction(revision: Revision, ports: Ports): Promise<LoopEvent> {
  const session = await ports.sessions.open(revision.sessionId, { create: false, runId: ports.ids() });
  try {
    const entry = revisionOf(session.history, revision, { id: ports.ids(), timestamp: timestamp(ports) });
    await session.append([entry]);
    return told(entry);
  } finally {
    await session.release();
  }
}
