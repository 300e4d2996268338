// Search through the titles and messages of sessions, the last used first; streamed, so that the first hits are there at once.
import type { SoughtPlace } from "../protocol/sessions.ts";
import { type BrainLayout, isSessionId } from "./layout.ts";
import { linesBack, linesOf } from "./lines.ts";
import { type Said, saidIn, type Wanted, wantedOf } from "./said.ts";
import { listSessions } from "./sessionList.ts";
import type { SessionSummary } from "./summary.ts";

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string;
  /** When the session was last used. */
  readonly updated: string;
  /** Who said it; a tool: what it returned; a call: what it is about. */
  readonly role: "title" | Said["role"];
  /** Line of the transcript, from 1; null for a title. */
  readonly line: number | null;
  /** Id of the entry on that line; null for a title. */
  readonly entryId: string | null;
  /** The run that it is in; null for a title. */
  readonly runId: string | null;
  /** What shows it in the conversation, by id: the message, or the call; of a delegate's talk the call that it works for; null for a title. */
  readonly item: string | null;
  /** The text around it, in one line. */
  readonly excerpt: string;
}

export interface SearchLimits {
  readonly signal?: AbortSignal | undefined;
  /** Hits in all; default 500. */
  readonly hits?: number;
  /** Hits in one session beside its title; default 5. */
  readonly hitsPerSession?: number;
  /** The sessions to look through, in this order; default: all. */
  readonly among?: readonly SessionSummary[] | undefined;
}

/** How many sessions are read at the same time. */
const parallelReads = 8;
/** Upper and lower case are the same. Sessions that cannot be read have no hits. */
export async function* searchSessions(
  layout: BrainLayout,
  text: string,
  { signal, among, hits = 500, hitsPerSession = 5 }: SearchLimits = {},
): AsyncGenerator<SearchHit> {
  const wanted = wantedOf(text);
  if (!wanted) return;
  let count = 0;
  for await (const hit of allHits(layout, wanted, { signal, hitsPerSession, among })) {
    yield hit;
    if (++count >= hits) return;
  }
}

interface Bounds {
  readonly signal: AbortSignal | undefined;
  readonly among: readonly SessionSummary[] | undefined;
  readonly hitsPerSession: number;
}

async function* allHits(layout: BrainLayout, wanted: Wanted, bounds: Bounds): AsyncGenerator<SearchHit> {
  const sessions = bounds.among ?? (await listSessions(layout));
  for (let at = 0; at < sessions.length; at += parallelReads) {
    const found = sessions.slice(at, at + parallelReads).map((session) => searchOne(layout, session, wanted, bounds));
    for (const hits of found) yield* untilAborted(await hits, bounds.signal);
    if (bounds.signal?.aborted === true) return;
  }
}

function* untilAborted<T>(list: readonly T[], signal: AbortSignal | undefined): Generator<T> {
  for (const one of list) {
    if (signal?.aborted === true) return;
    yield one;
  }
}

async function searchOne(
  layout: BrainLayout,
  { id, title, updated }: SessionSummary,
  wanted: Wanted,
  { signal, hitsPerSession }: Bounds,
): Promise<readonly SearchHit[]> {
  const about = { sessionId: id, title, updated };
  const named = wanted.text.test(title);
  const hits: SearchHit[] = named ? [{ ...about, ...inTitle, excerpt: title }] : [];
  const most = hits.length + hitsPerSession;
  let line = 0;
  try {
    for await (const { bytes } of linesOf(layout.session(id).transcript)) {
      if (signal?.aborted === true || hits.length >= most) break;
      line++;
      const said = saidIn(bytes.toString("utf8"), wanted);
      if (said) hits.push({ ...about, ...said, line });
    }
  } catch {
    // What cannot be read now may be readable when it is opened.
  }
  return hits;
}

const inTitle = { role: "title", line: null, entryId: null, runId: null, item: null } as const;

/**
 * Where words stand in one session, each message and call once, the last one first; as a person can see it: a delegate's
 * talk is not shown. A session that cannot be read, or is not written yet, has no hits.
 */
export async function* findInSession(
  layout: BrainLayout,
  id: string,
  text: string,
  signal?: AbortSignal,
): AsyncGenerator<SoughtPlace> {
  const wanted = wantedOf(text);
  if (!wanted || !isSessionId(id)) return;
  const known = new Set<string>();
  try {
    for await (const bytes of linesBack(layout.session(id).transcript)) {
      if (signal?.aborted === true) return;
      const said = saidIn(bytes.toString("utf8"), wanted);
      if (!said || !isShown(said) || known.has(keyOf(said))) continue;
      known.add(keyOf(said));
      yield { runId: said.runId, item: said.item };
    }
  } catch {
    // What cannot be read now may be readable when somebody looks again.
  }
}

function isShown({ role, entryId, item }: Said): boolean {
  return role === "tool" || role === "call" || entryId === item;
}

function keyOf({ runId, item }: Said): string {
  return `${runId} ${item}`;
}
