// Search through the titles and messages of sessions, the last used first; streamed, so that the first hits are there at once.
import * as z from "zod";
import { nestedId } from "../protocol/replay.ts";
import type { BrainLayout } from "./layout.ts";
import { listSessions } from "./sessionList.ts";
import type { SessionSummary } from "./summary.ts";
import { linesOf } from "./lines.ts";

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string;
  /** When the session was last used. */
  readonly updated: string;
  /** Who said it; a tool: what it returned. */
  readonly role: "title" | "user" | "assistant" | "tool";
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
/** Characters of text shown before and after what was found. */
const around = 60;

/** Upper and lower case are the same. Sessions that cannot be read have no hits. */
export async function* searchSessions(
  layout: BrainLayout,
  text: string,
  { signal, among, hits = 500, hitsPerSession = 5 }: SearchLimits = {},
): AsyncGenerator<SearchHit> {
  const wanted = wantedOf(text);
  if (wanted.text === "") return;
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

interface Wanted {
  readonly text: string;
  /** As it is written inside of JSON. */
  readonly json: string;
}

function wantedOf(text: string): Wanted {
  const wanted = text.trim().toLowerCase();
  return { text: wanted, json: JSON.stringify(wanted).slice(1, -1).toLowerCase() };
}

async function searchOne(
  layout: BrainLayout,
  { id, title, updated }: SessionSummary,
  wanted: Wanted,
  { signal, hitsPerSession }: Bounds,
): Promise<readonly SearchHit[]> {
  const about = { sessionId: id, title, updated };
  const named = title.toLowerCase().includes(wanted.text);
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

/** Most lines are no hits: they are not parsed. */
function saidIn(json: string, wanted: Wanted): Omit<SearchHit, "sessionId" | "title" | "updated" | "line"> | null {
  // Another program may have written letters as escapes.
  if (!json.toLowerCase().includes(wanted.json) && !json.includes("\\u")) return null;
  const entry = Said.safeParse(parse(json)).data;
  const at = entry?.content.toLowerCase().indexOf(wanted.text) ?? -1;
  if (!entry || at === -1) return null;
  const { role, id, runId, content } = entry;
  return { role, entryId: id, runId, item: itemOf(entry), excerpt: excerptOf(content, at, wanted.text.length) };
}

const Said = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  id: z.string(),
  runId: z.string(),
  content: z.string(),
  within: z.string().optional(),
  tool_call_id: z.string().optional(),
});

function itemOf({ id, within, tool_call_id: call }: z.infer<typeof Said>): string {
  if (call === undefined) return within ?? id;
  return within === undefined ? call : nestedId(within, call);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function excerptOf(content: string, at: number, length: number): string {
  const start = Math.max(0, at - around);
  const end = Math.min(content.length, at + length + around);
  const part = content.slice(start, end).replaceAll(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${end < content.length ? "…" : ""}`;
}
