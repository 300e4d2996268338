// The list of sessions: from each one's `session.json`; a transcript is read only where that is missing or behind.
import { readdir, stat } from "node:fs/promises";
import pLimit from "p-limit";
import { type BrainLayout, isSessionId, type SessionLayout } from "./layout.ts";
import { isThere } from "./sessionFolder.ts";
import { addEntry, emptySummary, readCache, type SessionSummary, writeSummary } from "./summary.ts";
import { readEntries } from "./transcript.ts";

/** How many sessions are looked at at the same time. */
const parallelReads = 16;

/** Every session with something in it, the last used first. Never throws: what cannot be read is not listed. */
export async function listSessions(layout: BrainLayout): Promise<readonly SessionSummary[]> {
  const names = await readdir(layout.sessions).catch(() => []);
  const limit = pLimit(parallelReads);
  const summaries = names.filter(isSessionId).map((id) => limit(() => summaryOf(layout.session(id), id)));
  const found = (await Promise.all(summaries)).filter((summary) => summary !== null);
  return found.toSorted((a, b) => (Date.parse(b.updated) || 0) - (Date.parse(a.updated) || 0));
}

/** What a list shows of one session; null when there is nothing in it. Never throws. */
export async function summaryOf(session: SessionLayout, id: string): Promise<SessionSummary | null> {
  const { cached, isKnown } = await known(session);
  if (cached && !(await isBehind(session))) return { ...cached, id };
  const entries = await readEntries(session.transcript).catch(() => []);
  if (entries.length === 0) return cached && { ...cached, id };
  const summary = entries.reduce(addEntry, { ...cached, ...emptySummary(id), title: cached?.title ?? "" });
  // Who runs it writes down more than was found here.
  if (isKnown && !(await isThere(session.lock))) await writeSummary(session.summary, summary);
  return summary;
}

/** One that cannot be read now may hold what is nowhere else: it is not replaced. */
async function known({ summary }: SessionLayout): Promise<{ cached: SessionSummary | null; isKnown: boolean }> {
  try {
    return { cached: (await readCache(summary))?.summary ?? null, isKnown: true };
  } catch {
    return { cached: null, isKnown: false };
  }
}

/** After a crash, or when somebody has written into the transcript; a run writes the summary last. */
async function isBehind({ summary, transcript }: SessionLayout): Promise<boolean> {
  const times = [transcript, summary].map((path) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  const [written = 0, cached = 0] = await Promise.all(times);
  return written > cached;
}
