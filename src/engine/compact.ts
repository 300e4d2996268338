// COMPACTION: the earlier part of a conversation gives way to a summary and to what is carried word for word. The transcript only grows (C-07).
import { compactionOf } from "../protocol/compacted.ts";
import { toFailure } from "../protocol/errors.ts";
import type { CompactionEntry, Entry, Message } from "../protocol/messages.ts";
import type { RequestRecord } from "../protocol/usage.ts";
import { compaction as told } from "../protocol/replay.ts";
import { collectCarried, type Trace, tracesOf } from "./carried.ts";
import { compactedMessage } from "./compacted.ts";
import { conversation } from "./conversation.ts";
import { charactersPerToken, inOurs, inTheirs, messageTokens } from "./estimate.ts";
import type { Ending, Progress } from "./progress.ts";
import { withPruned } from "./prune.ts";
import { timestamp, type Running } from "./running.ts";
import { summarise, type Summarised } from "./summarise.ts";
import { keepEnd } from "./units.ts";

export interface Compacting {
  /** Tokens that a request takes now, as the provider counts, and that it may take. */
  readonly estimate: number;
  readonly room: number;
  /** Tokens of every request that are no messages: system prompt and tools. */
  readonly fixed: number;
  /** How many of the last messages stay as they are, if they fit. */
  readonly keep: number;
  /** What the person asks of the summary. */
  readonly instructions?: string | undefined;
}

export type Compacted =
  | { readonly kind: "done"; readonly entry: CompactionEntry }
  /** Nothing is old enough to give way. */
  | { readonly kind: "nothing" }
  /** The summary failed, or the run was stopped; nothing has changed (BRAIN-COMP-4). */
  | { readonly kind: "ended"; readonly ending: Ending };

/** Shares of the window: what is carried, the summary, and all of a request afterwards, so that there is room to go on. */
const shares = { carried: 0.2, summary: 0.08, after: 0.6 } as const;
/** Tokens: a summary that is longer than this in a large window would be no summary. */
const longestSummary = 4_000;

/** Compacts the conversation of a run. Never throws. */
export async function compact(work: Compacting, progress: Progress, run: Running): Promise<Compacted> {
  const { entries, anchor } = progress;
  const [window, room] = [inOurs(progress.window, anchor), inOurs(work.room, anchor)];
  const own = entries.filter(({ within }) => within === undefined);
  const before = compactionOf(own);
  const whole = conversation(own).slice(before ? 1 : 0);
  const length = Math.min(longestSummary, Math.floor(window * shares.summary));
  const carriedRoom = Math.floor(window * shares.carried);
  const tokens = room * shares.after - work.fixed - length - carriedRoom;
  const { gone, kept } = keepEnd(withPruned(whole, progress.pruned), { messages: work.keep, tokens });
  if (gone.length === 0) return { kind: "nothing" };
  const about = { id: run.ports.ids(), runId: run.runId, timestamp: timestamp(run.ports) };
  const tokensBefore = work.estimate;
  run.emit({ type: "context:compacting", runId: run.runId, compactionId: about.id, tokensBefore });
  const { instructions } = work;
  const soFar = before?.summary ?? "";
  // A summary is made from what there was, not from what the model was still shown of it.
  const messages = whole.slice(0, gone.length);
  const requests: RequestRecord[] = [];
  const asked = (request: RequestRecord): void => void requests.push(request);
  const summary = await summarise({ messages, soFar, instructions, room, length, asked }, run);
  if (summary.kind !== "summary") {
    run.unwritten(requests);
    return { kind: "ended", ending: endingOf(summary) };
  }
  const earlier = await tracesBefore(progress, run);
  const carried = carriedIn(own, { earlier, before, kept, room: carriedRoom * charactersPerToken });
  const made = { type: "compaction", ...about, summary: summary.text, ...carried } as const;
  const draft = { ...made, messages: gone.length, tokensBefore, tokensAfter: 0 };
  const after = work.fixed + messageTokens([compactedMessage(draft), ...kept]);
  const tokensAfter = inTheirs(after, anchor);
  const beside = { ...(instructions !== undefined && { instructions }), ...(requests.length > 0 && { requests }) };
  const entry = { ...draft, tokensAfter, ...beside };
  entries.push(entry);
  void run.record(entry);
  run.emit(told(entry));
  return { kind: "done", entry };
}

function endingOf(summary: Exclude<Summarised, { kind: "summary" }>): Ending {
  if (summary.kind === "stopped") return { response: "", status: "aborted" };
  return { response: "", status: "error", failure: summary.failure };
}

/** What cannot be read now was carried by the compaction before, as far as it had room. */
async function tracesBefore({ earlier }: Progress, run: Running): Promise<readonly Trace[]> {
  try {
    return await earlier(tracesOf);
  } catch (error) {
    run.ports.log(`What came before the last compaction was not looked at again: ${toFailure(error).message}`);
    return [];
  }
}

interface Carrying {
  readonly earlier: readonly Trace[];
  readonly before: CompactionEntry | undefined;
  readonly kept: readonly Message[];
  /** Characters. */
  readonly room: number;
}

/** The newest message of the person is always there whole: kept as it is, or else carried. */
function carriedIn(
  own: readonly Entry[],
  { earlier, before, kept, room }: Carrying,
): Pick<CompactionEntry, "carried" | "leftOut" | "firstKeptId"> {
  const firstKeptId = kept[0]?.id ?? "";
  const first = own.findIndex(({ id }) => id === firstKeptId);
  const traces = own.map(tracesOf);
  const gone = [...earlier, ...traces.slice(0, first === -1 ? own.length : first).flat()];
  const all = [...earlier, ...traces.flat()];
  const last = (kind: Trace["kind"], of = all): Trace | undefined => of.findLast((trace) => trace.kind === kind);
  const about = { room, whole: last("message")?.id, newerTodos: last("todos") !== last("todos", gone) };
  const { parts, leftOut } = collectCarried(gone, before?.carried ?? [], about);
  return { carried: [...parts], firstKeptId, ...(leftOut > 0 && { leftOut }) };
}
