// What a list of sessions shows of each: folded from its entries, kept in `session.json`, and rebuilt whenever that is gone.
import { stat } from "node:fs/promises";
import * as z from "zod";
import { type Entry, ForkEntry, isMessage, type Message, type RunEndEntry, RunStatus } from "../protocol/messages.ts";
import { addUsage, noUsage, Usage } from "../protocol/usage.ts";
import { titleOf } from "../protocol/view.ts";
import { diskError, readIfThere, writeAtomic } from "./files.ts";
import type { SessionLayout } from "./layout.ts";

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

const Resume = z.object({
  /** The byte of the transcript where the part begins that a request can still read, and the id of the entry there. */
  from: z.number().int().positive(),
  first: z.string(),
  /** Of what is before it, and whether its title was given there. */
  summary: SessionSummary,
  titled: z.boolean(),
});
/** Where a transcript is read on from: kept beside the summary, so that a long one need not be read again. */
export type Resume = z.infer<typeof Resume>;

const Stamp = z.object({
  /** Bytes. */
  size: z.number(),
  /** When the file was last changed, in milliseconds since 1970. */
  changed: z.number(),
});
/** What tells the transcript that something was written about from another one. */
export type Stamp = z.infer<typeof Stamp>;

interface Cache {
  readonly summary: SessionSummary;
  /** Undefined: there is nothing to pass over, or it cannot be read. */
  readonly resume: (Resume & Stamp) | undefined;
}

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

/**
 * What is in a `session.json`; null when there is none, or nothing that makes sense.
 * @throws LoopError `disk_write` when it is there and cannot be read: then it must not be replaced
 */
export async function readCache(path: string): Promise<Cache | null> {
  let text: string | null;
  try {
    text = await readIfThere(path);
  } catch (error) {
    throw diskError(path, error, "read");
  }
  const found = SessionSummary.safeParse(text === null ? null : jsonOf(text)).data;
  if (!found) return null;
  const { resume, ...summary } = found;
  return { summary, resume: z.intersection(Resume, Stamp).safeParse(resume).data };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Never fails: what is not written now can be rebuilt.
 * @param resume with the stamp of the transcript that both are about
 */
export async function writeSummary(path: string, summary: SessionSummary, resume?: Resume & Stamp): Promise<void> {
  const all = { ...summary, ...(resume && { resume }) };
  await writeAtomic(path, `${JSON.stringify(all, null, 2)}\n`).catch(() => undefined);
}

/** Writes the summary of a session with where to read on, for whoever holds its lock. Never fails. */
export async function writeCache(session: SessionLayout, summary: SessionSummary, resume?: Resume): Promise<void> {
  const now = resume && (await stat(session.transcript).catch(() => undefined));
  const stamped = resume && now && { ...resume, size: now.size, changed: now.mtimeMs };
  await writeSummary(session.summary, summary, stamped);
}
