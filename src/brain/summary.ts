// What a list of sessions shows of each: folded from its entries, kept in `session.json`, and rebuilt whenever that is gone.
import * as z from "zod";
import {
  addUsage,
  type Entry,
  ForkEntry,
  isMessage,
  type Message,
  noUsage,
  type RunEndEntry,
  RunStatus,
  Usage,
} from "../protocol/messages.ts";
import { titleOf } from "../protocol/view.ts";
import { readIfThere, writeAtomic } from "./files.ts";

export const SessionSummary = z.looseObject({
  id: z.string(),
  title: z.string(),
  /** Times of the first and the last entry; `""` when there is none. A new title is no use of the session. */
  created: z.string(),
  updated: z.string(),
  messageCount: z.number(),
  /** Summed over all runs. */
  usage: Usage,
  /** US dollars for all of that (BRAIN-PERS-3); absent: not known of every run. */
  cost: z.number().optional(),
  /** As of the last run; null when the transcript does not say. */
  agent: z.string().nullable(),
  model: z.string().nullable(),
  /** How the last run ended; null while it has not. */
  status: RunStatus.nullable(),
  /** Absent: it began as a session of its own. */
  forkedFrom: ForkEntry.shape.forkedFrom.optional(),
  /** Set by hand to refuse further runs (C-38). */
  terminated: z.boolean().optional(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** The summary of an empty session. */
export function emptySummary(id: string): SessionSummary {
  const counts = { messageCount: 0, usage: noUsage };
  return { id, title: "", created: "", updated: "", ...counts, agent: null, model: null, status: null };
}

/** Folds one more entry into a summary. A title that was given stays until another is given. */
export function addEntry(summary: SessionSummary, entry: Entry): SessionSummary {
  if (!isMessage(entry) && entry.type === "title") return { ...summary, title: entry.title };
  const next: SessionSummary = {
    ...summary,
    created: summary.created || entry.timestamp,
    updated: entry.timestamp,
    messageCount: summary.messageCount + (isMessage(entry) && entry.within === undefined ? 1 : 0),
  };
  // What a delegate said belongs to its call.
  if (entry.within !== undefined) return next;
  return isMessage(entry) ? addMessage(next, entry) : addOther(next, entry);
}

function addMessage(summary: SessionSummary, entry: Message): SessionSummary {
  if (entry.role === "assistant") return { ...summary, model: entry.model ?? summary.model };
  if (entry.role === "tool") return summary;
  const title = summary.title || titleOf(entry.content);
  return { ...summary, title, agent: entry.agent ?? summary.agent, status: null };
}

function addOther(summary: SessionSummary, entry: Exclude<Entry, Message>): SessionSummary {
  switch (entry.type) {
    case "fork":
      return { ...summary, forkedFrom: entry.forkedFrom };
    case "run_end":
      return addRun(summary, entry);
    default:
      return summary;
  }
}

function addRun({ cost: before, ...summary }: SessionSummary, { status, usage, cost }: RunEndEntry): SessionSummary {
  const [known, added] = [costOf(summary.usage, before), costOf(usage, cost)];
  const next = { ...summary, status, usage: addUsage(summary.usage, usage) };
  return known === undefined || added === undefined || isNothing(next.usage) ? next : { ...next, cost: known + added };
}

/** What used nothing cost nothing, whatever its price. */
function costOf(usage: Usage, cost: number | undefined): number | undefined {
  return isNothing(usage) ? 0 : cost;
}

function isNothing({ input, output }: Usage): boolean {
  return input + output === 0;
}

/** The summary in a `session.json`; null when there is none or it cannot be read. */
export async function readSummary(path: string): Promise<SessionSummary | null> {
  try {
    const text = await readIfThere(path);
    return text === null ? null : SessionSummary.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Never fails: what is not written now can be rebuilt. */
export async function writeSummary(path: string, summary: SessionSummary): Promise<void> {
  await writeAtomic(path, `${JSON.stringify(summary, null, 2)}\n`).catch(() => undefined);
}
