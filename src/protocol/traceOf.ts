// Makes the trace of a run from its transcript. Pure.
import { type Entry, isAboutSession, isMessage, isRevision } from "./messages.ts";
import { addUsage, noUsage } from "./usage.ts";
import type { RunEndEntry } from "./messages.ts";
import type { RequestRecord, Usage } from "./usage.ts";
import type { OpenCall, Stretch, Trace } from "./trace.ts";
import { collected, type Frame, timeOf } from "./traceDrafts.ts";
import { arranged } from "./traceTree.ts";

/** What is known of a run that goes on. */
export interface Ongoing {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Calls that have not ended, as they are known in the conversation. */
  readonly calls: ReadonlyMap<string, OpenCall>;
}

/**
 * The trace of one run.
 * @param entries of its session, in their order; those of other runs are passed over
 * @param ongoing absent: nobody works on it any more
 * @returns null when there is nothing of the run
 */
export function traceOf(entries: readonly Entry[], runId: string, ongoing?: Ongoing): Trace | null {
  const own = entries.filter((entry) => entry.runId === runId && !isAboutSession(entry) && !isRevision(entry));
  const [first] = own;
  if (!first) return null;
  const end = own.find(isEnd) ?? null;
  const frame = frameOf(own, first, end, ongoing);
  const duration = Math.max(0, frame.until - frame.from);
  const { drafts, isAbout } = collected(own, frame);
  const spans = arranged(drafts, duration);
  return {
    runId,
    at: new Date(frame.from).toISOString(),
    message: isMessage(first) && first.role === "user" ? first.content : "",
    status: end?.status ?? (ongoing ? null : "aborted"),
    duration,
    waited: lengthOf(spans.flatMap(({ waits }) => waits)),
    ...(end ? { usage: end.usage, cost: end.cost ?? null } : summed(own.flatMap(requestsIn))),
    isAbout,
    spans,
  };
}

function frameOf(own: readonly Entry[], first: Entry, end: RunEndEntry | null, ongoing: Ongoing | undefined): Frame {
  if (end) {
    const until = timeOf(end.timestamp, 0);
    return { from: until - end.duration, until, calls: null };
  }
  const last = timeOf((own.at(-1) ?? first).timestamp, 0);
  const until = ongoing?.now ?? last;
  return { from: timeOf(first.timestamp, until), until, calls: ongoing?.calls ?? null };
}

/** What the requests took of which a line tells: the one that it answers, or those that left no line of their own. */
export function requestsIn(entry: Entry): readonly RequestRecord[] {
  if (isMessage(entry)) return entry.role === "assistant" && entry.request ? [entry.request] : [];
  if (entry.type === "compaction" && entry.edits !== undefined) return [];
  const tells = entry.type === "run_end" || entry.type === "compaction" || entry.type === "memory_flush";
  return tells ? (entry.requests ?? []) : [];
}

/** What requests took together; the cost is null where that of one is not known, or none was sent. */
export function summed(requests: readonly RequestRecord[]): { readonly usage: Usage; readonly cost: number | null } {
  const usage = requests.reduce((sum, request) => addUsage(sum, request.usage), noUsage);
  const costs = requests.flatMap(({ cost }) => cost ?? []);
  const isKnown = costs.length === requests.length && usage.input + usage.output > 0;
  return { usage, cost: isKnown ? costs.reduce((sum, cost) => sum + cost, 0) : null };
}

function isEnd(entry: Entry): entry is RunEndEntry {
  return !isMessage(entry) && entry.type === "run_end";
}

/** How long stretches are together; where they meet, it counts once. */
function lengthOf(stretches: readonly Stretch[]): number {
  let length = 0;
  let done = 0;
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, done));
    done = Math.max(done, to);
  }
  return length;
}
