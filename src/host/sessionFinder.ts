// Finds sessions while a person types, without any editor: the newest search counts, and what is found is shown as it comes.
import type { SearchHit } from "../brain/search.ts";
import type { SessionStore } from "../brain/sessions.ts";
import type { SessionSummary } from "../brain/summary.ts";

/** One session in a list, in words. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly detail: string;
}

export interface FinderOptions {
  readonly sessions: Pick<SessionStore, "list" | "search">;
  /** The session that the panel shows. */
  readonly openId: string | null;
  /** Told what is found so far; `done` with the last of it. */
  readonly show: (rows: readonly SessionRow[], done: boolean) => void;
  /** Waits until nobody has typed for a moment. */
  readonly pause: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

export interface Finder {
  /** Ends the search before it. An empty text finds all. */
  readonly find: (text: string) => void;
  readonly stop: () => void;
}

/** Rows that are shown one by one; after them only every so many, because each time the whole list is drawn. */
const shownAtOnce = 20;
/** Rows of a list that nothing was typed for: older ones are found by what is in them. */
const mostRows = 2_000;

export function createFinder(options: FinderOptions): Finder {
  let current = new AbortController();
  let listed: Promise<readonly SessionSummary[]> | null = null;
  const look = async (text: string, signal: AbortSignal): Promise<void> => {
    const all = await (listed ??= options.sessions.list());
    if (text !== "") await options.pause();
    if (signal.aborted) return;
    if (text === "") options.show(rowsOf(all.slice(0, mostRows), options.openId), true);
    else await search(options, { text, all, signal });
  };
  return {
    find(text) {
      current.abort();
      current = new AbortController();
      look(text.trim(), current.signal).catch(options.failed);
    },
    stop: () => current.abort(),
  };
}

interface Wanted {
  readonly text: string;
  readonly all: readonly SessionSummary[];
  readonly signal: AbortSignal;
}

async function search({ sessions, show, openId }: FinderOptions, { text, all, signal }: Wanted): Promise<void> {
  const found = new Map<string, SessionSummary>();
  const said = new Map<string, SearchHit>();
  const rows = (): readonly SessionRow[] =>
    rowsOf([...found.values()], openId).map((row) => ({ ...row, detail: wordsOf(said.get(row.id)) ?? row.detail }));
  const byId = new Map(all.map((session) => [session.id, session]));
  for await (const hit of sessions.search(text, { signal, among: all, hitsPerSession: 1 })) {
    if (signal.aborted) return;
    const session = byId.get(hit.sessionId);
    if (!session) continue;
    found.set(hit.sessionId, session);
    if (hit.role !== "title") said.set(hit.sessionId, hit);
    if (found.size <= shownAtOnce || found.size % shownAtOnce === 0) show(rows(), false);
  }
  if (!signal.aborted) show(rows(), true);
}

function rowsOf(sessions: readonly SessionSummary[], openId: string | null): readonly SessionRow[] {
  return sessions.map(({ id, title, updated, messageCount }) => ({
    id,
    title: titleOrNone(title),
    description: `${whenOf(updated)}${id === openId ? ", open now" : ""}`,
    detail: messageCount === 1 ? "1 message" : `${messageCount} messages`,
  }));
}

const speakers = { title: "Title", user: "You", assistant: "Brain", tool: "Result" } as const;

function wordsOf(hit: SearchHit | undefined): string | undefined {
  return hit && `${speakers[hit.role]}: ${hit.excerpt}`;
}

/** What a session is called in a list. */
export function titleOrNone(title: string): string {
  return title === "" ? "Untitled" : title;
}

/** A time as people of this place write it; `""` for what is none. */
export function whenOf(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? "" : new Date(time).toLocaleString();
}

/** A file's name made from a title: without what file systems do not take, and never empty or hidden. */
export function fileNameOf(title: string): string {
  const plain = title.replaceAll(/[^\p{L}\p{N} ._()-]+/gu, " ").replaceAll(/\s+/g, " ");
  const name = plain
    .replace(/^[ .]+/, "")
    .slice(0, 60)
    .replace(/[ .]+$/, "");
  return name === "" ? "session" : name;
}
