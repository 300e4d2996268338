// Before every request: prune, estimate, flush, compact, estimate again; what is still too big is not sent, and nothing of it is lost (C-33).
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { Message } from "../protocol/messages.ts";
import { compact } from "./compact.ts";
import { isUndone } from "./compacted.ts";
import { conversation } from "./conversation.ts";
import { estimateFrom, estimateTokens, inOurs } from "./estimate.ts";
import { flushedThisCycle, flushMemory } from "./flush.ts";
import { holdsOf } from "./holds.ts";
import { formOf } from "./output.ts";
import type { ModelRequest } from "./ports.ts";
import type { Ending, Progress } from "./progress.ts";
import { cutLongest, prune, withPruned } from "./prune.ts";
import { toolSpecs } from "./prompt.ts";
import { isStopped, timestamp, type Running } from "./running.ts";
import { contextActions, thresholds, undoneAt, type Thresholds } from "./thresholds.ts";

export interface Sending {
  /** The last request, without tools: say what is done and what is left. */
  readonly sumUp: boolean;
  /** Writes the system prompt anew. */
  readonly renew: () => Promise<string>;
}

export type Fitted =
  { readonly kind: "fits"; readonly request: ModelRequest } | { readonly kind: "ended"; readonly ending: Ending };

/** How many of the last messages a compaction leaves as they are, if they fit. */
const keptMessages = 10;
/** Of a result that is cut, so many characters stay for each token of the window: about a twelfth of it. */
const charactersPerWindow = 0.3;
/** Of an estimate that the endpoint refused, what is tried next. */
const afterOverflow = 0.75;
/** A change of the estimate by this share of the window is worth telling. */
const noticeable = 0.01;

/** The next request, made to fit (BRAIN-CTX-13). Never throws. */
export async function fit(sending: Sending, progress: Progress, run: Running): Promise<Fitted> {
  try {
    return await makeFit(sending, progress, run);
  } catch (error) {
    return { kind: "ended", ending: { response: "", status: "error", failure: toFailure(error) } };
  }
}

/**
 * The same request once more, after an endpoint has refused it as too long (BRAIN-COMP-8): whatever its window was said to
 * be, it is less. Null when nothing can be taken away.
 */
export async function fitAgain(
  refused: ModelRequest,
  sending: Sending,
  progress: Progress,
  run: Running,
): Promise<Fitted | null> {
  const before = estimateFrom(progress.anchor, refused);
  progress.window = Math.min(progress.window, Math.floor(before * afterOverflow));
  const fitted = await fit(sending, progress, run);
  if (fitted.kind === "fits") return fitted;
  return fitted.ending.failure?.code === "context_overflow" ? null : fitted;
}

async function makeFit(sending: Sending, progress: Progress, run: Running): Promise<Fitted> {
  const sizes = { ...run.config, contextWindow: progress.window };
  const limits = thresholds(sizes);
  const draw = (): Draft => draftOf(sending, progress, run);
  let draft = draw();
  if (draft.estimate > limits.flushAt) draft = pruned(draft, limits, { progress, run, draw });
  const actions = contextActions(draft.estimate, sizes, flushedThisCycle(progress.entries));
  if (actions.includes("memory_flush")) await flushMemory(limits.compactAt, progress, run);
  const most = isUndone(progress.entries) ? undoneAt(sizes) : limits.compactAt;
  if (actions.includes("compaction") && draft.estimate > most && !isStopped(run)) {
    const ending = await shorten(draft, sending, progress, run);
    if (ending) return { kind: "ended", ending };
    draft = draw();
    if (draft.estimate > limits.compactAt) draft = cut(draft, limits, { progress, run, draw });
    if (draft.estimate > limits.compactAt) return { kind: "ended", ending: overflow(draft.estimate, limits) };
  }
  tell(draft, limits, progress, run);
  return { kind: "fits", request: draft.request };
}

interface Draft {
  readonly request: ModelRequest;
  readonly estimate: number;
}

interface Drawing {
  readonly progress: Progress;
  readonly run: Running;
  readonly draw: () => Draft;
}

const summingUp =
  "You have used all that this run may use. Do not call tools. Say in a few sentences what is done, what is left, and what you would do next.";

function draftOf({ sumUp }: Sending, progress: Progress, run: Running): Draft {
  const { system, notes } = progress;
  const output = formOf(run.agent, run.model);
  const messages = withPruned(conversation(progress.entries), progress.pruned);
  const request: ModelRequest = {
    system,
    // What is said above the conversation stays as it is, so that caches hold.
    messages: [...messages, ...notesFor(sumUp ? [...notes, summingUp] : notes, run)],
    tools: sumUp ? [] : toolSpecs(run.tools, run.model, run.config),
    ...(output && { output }),
  };
  return { request, estimate: estimateFrom(progress.anchor, request) };
}

/** What the model must know for this request only: the latest, behind everything that a cache may keep. */
function notesFor(notes: readonly string[], run: Running): Message[] {
  if (notes.length === 0) return [];
  const about = { id: "note", runId: run.runId, timestamp: timestamp(run.ports) };
  return [{ role: "user", content: notes.join("\n\n"), ...about }];
}

/** Old results give way; of the last ones only those that no request could ever hold. */
function pruned(draft: Draft, limits: Thresholds, drawing: Drawing): Draft {
  const { progress, run, draw } = drawing;
  const before = progress.pruned;
  progress.pruned = prune(draft.request.messages, before);
  const next = progress.pruned === before ? draft : draw();
  const room = inOurs(limits.compactAt, progress.anchor) - estimateTokens({ ...draft.request, messages: [] });
  const least = charactersFor(progress);
  const giant = (message: Message): boolean => message.role === "tool" && estimateTokens(alone(message)) > room;
  const giants = next.request.messages.filter(giant);
  if (giants.length > 0) progress.pruned = cutLongest(giants, progress.pruned, least, Number.MAX_SAFE_INTEGER);
  if (progress.pruned === before) return draft;
  const after = draw();
  const results = [...progress.pruned].filter(([id, left]) => before.get(id) !== left).length;
  run.emit({ type: "context:pruned", runId: run.runId, results, tokenEstimate: after.estimate });
  return after;
}

function alone(message: Message): ModelRequest {
  return { system: "", tools: [], messages: [message] };
}

/** The last resort: the longest results lose their middle, so that the run can go on. */
function cut(first: Draft, { compactAt }: Thresholds, { progress, draw }: Drawing): Draft {
  let draft = first;
  // More than once, because the provider may count otherwise than we do.
  for (let tries = 0; tries < 4 && draft.estimate > compactAt; tries += 1) {
    const over = draft.estimate - compactAt;
    progress.pruned = cutLongest(draft.request.messages, progress.pruned, charactersFor(progress), over);
    draft = draw();
  }
  return draft;
}

function charactersFor({ window, anchor }: Progress): number {
  return Math.floor(inOurs(window, anchor) * charactersPerWindow);
}

/** Compacts, and reads memory anew; what ends the run, if it failed. */
async function shorten(
  { request, estimate }: Draft,
  { renew }: Sending,
  progress: Progress,
  run: Running,
): Promise<Ending | null> {
  const room = thresholds({ ...run.config, contextWindow: progress.window }).compactAt;
  const fixed = estimateTokens({ ...request, messages: [] });
  const undone = isUndone(progress.entries);
  const compacted = await compact({ estimate, room, fixed, keep: keptMessages }, progress, run);
  if (compacted.kind === "ended") return compacted.ending;
  if (compacted.kind === "done") progress.system = await renew();
  if (compacted.kind === "done" && undone) {
    const message = `You undid the last summary of this session, but without one it no longer fits: ${numbersOf(estimate, room)}. Its earlier part is summarised again.`;
    run.emit({ type: "loop:notice", runId: run.runId, level: "info", message });
  }
  return null;
}

function numbersOf(estimate: number, room: number): string {
  return `about ${estimate.toLocaleString("en")} tokens, and this model takes ${room.toLocaleString("en")}`;
}

function overflow(estimate: number, { compactAt }: Thresholds): Ending {
  const numbers = numbersOf(estimate, compactAt);
  const error = new LoopError("context_overflow", `This session has grown too long for the model: ${numbers}.`);
  return { response: "", status: "error", failure: toFailure(error) };
}

function tell({ request, estimate: tokenEstimate }: Draft, limits: Thresholds, progress: Progress, run: Running): void {
  const { window: contextWindow } = progress;
  if (Math.abs(tokenEstimate - progress.told) < contextWindow * noticeable) return;
  progress.told = tokenEstimate;
  const holds = holdsOf(request, tokenEstimate, limits);
  run.emit({ type: "context:estimate", runId: run.runId, tokenEstimate, contextWindow, holds });
}
