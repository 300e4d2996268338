// The trace of a run of the open session: read from its transcript when somebody asks for it.
import { closeRuns } from "../brain/interrupted.ts";
import type { Followed } from "../brain/follow.ts";
import type { Begin } from "../brain/tail.ts";
import type { Clock } from "../engine/ports.ts";
import type { OpenCall, Trace } from "../protocol/trace.ts";
import { traceOf, type Ongoing } from "../protocol/traceOf.ts";
import type { View } from "../protocol/view.ts";
import type { CallItem } from "../protocol/viewCall.ts";
import type { Turn } from "../protocol/viewTurn.ts";

/** Entries that are read at once. */
const stretch = 200;

export interface TraceSource {
  readonly sessions: Pick<Followed, "readTail">;
  readonly view: View;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Looks for a run from the end of the open session.
 * @returns null when there is nothing of it
 * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
 */
export async function readTrace({ sessions, view, clock }: TraceSource, runId: string): Promise<Trace | null> {
  const { id } = view.session;
  if (id === null) return null;
  const turn = view.turns.find((one) => one.runId === runId);
  const ongoing = turn && turn.end === null ? { now: clock.now(), calls: openCalls(turn) } : undefined;
  return searched({ sessions, id, runId, ongoing });
}

interface Search extends Pick<TraceSource, "sessions"> {
  readonly id: string;
  readonly runId: string;
  readonly ongoing: Ongoing | undefined;
}

/** Whole runs are read at once, so that a run is in one stretch. */
async function searched({ sessions, id, runId, ongoing }: Search, before?: Begin): Promise<Trace | null> {
  const { entries, begin } = await sessions.readTail(id, stretch, before);
  const found = traceOf(ongoing ? entries : closeRuns(entries), runId, ongoing);
  return found || !begin ? found : searched({ sessions, id, runId, ongoing }, begin);
}

function openCalls({ items }: Turn): ReadonlyMap<string, OpenCall> {
  const calls = items.filter((item): item is CallItem => item.kind === "call");
  return new Map(calls.map(({ id, label, state }) => [id, { label, state: openState(state) }]));
}

function openState(state: CallItem["state"]): OpenCall["state"] {
  return state === "pending" || state === "running" ? state : "blocked";
}
