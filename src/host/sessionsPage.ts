// The host's side of the page of sessions: answers what it asks, and tells it what changes on the disk and in the panel.
import type { SearchHit } from "../brain/search.ts";
import type { ListedSession, Look } from "../brain/sessionIndex.ts";
import type { SessionStore } from "../brain/sessions.ts";
import type { Clock } from "../engine/ports.ts";
import type { SessionRow, SessionsAsked, SessionsFound } from "../protocol/sessions.ts";
import { isRunning, pendingCalls, pendingPause, pendingPlan, type View } from "../protocol/view.ts";

export interface PageOptions {
  readonly sessions: () => Pick<SessionStore, "index" | "search" | "deleted">;
  readonly view: () => View;
  readonly clock: Clock;
  readonly tell: (found: SessionsFound) => void;
  /** False while nobody can see the panel: then nothing is looked at. */
  readonly seen: () => boolean;
  readonly failed: (error: unknown) => void;
}

export interface SessionsPage {
  /** The page is open and wants this, in the place of what it has asked for before. */
  readonly find: (asked: SessionsAsked) => void;
  /** Looks at the disk now. */
  readonly look: () => Promise<void>;
  /** Something may have changed in the session that the panel shows. */
  readonly shown: () => void;
  readonly close: () => void;
}

/** Milliseconds without a key before texts are searched. */
const typingPause = 150;
/** Milliseconds between two looks at the least; a look that takes long is followed by a longer rest. */
const lookEvery = 2_000;
const restFor = 20;
/** Rows that are sent together: the first ones soon. */
const firstRows = 100;
const mostRows = 2_000;
/** Hits that are told of together, once a screen is full of them. */
const screen = 20;

interface Asked extends SessionsAsked {
  readonly abort: AbortController;
  /** Ids of rows that the page has. */
  readonly sent: Set<string>;
  /** By id, where something is searched: sessions with the words in their title too. */
  readonly found: Map<string, SessionRow["found"]>;
}

interface Desk {
  readonly options: PageOptions;
  asked: Asked | null;
  looking: Promise<void> | null;
}

export function createSessionsPage(options: PageOptions): SessionsPage {
  const desk: Desk = { options, asked: null, looking: null };
  let open = openIn(options.view());
  let cancel = (): void => undefined;
  const rest = (from: number): void => {
    const took = options.clock.now() - from;
    cancel();
    cancel = options.clock.after(Math.max(lookEvery, took * restFor), () => void beat());
  };
  const beat = async (): Promise<void> => {
    const from = options.clock.now();
    if (options.seen()) await lookOnce(desk);
    if (desk.asked) rest(from);
  };
  const close = (): void => {
    desk.asked?.abort.abort();
    desk.asked = null;
    cancel();
  };
  return {
    find(what) {
      close();
      const from = options.clock.now();
      desk.asked = { ...what, abort: new AbortController(), sent: new Set(), found: new Map() };
      const { asked } = desk;
      answer(desk, asked).then(() => void (desk.asked === asked && rest(from)), options.failed);
    },
    look: () => lookOnce(desk),
    shown() {
      const before = open;
      open = openIn(options.view());
      if (!desk.asked || !options.seen() || (before.id === open.id && before.state === open.state)) return;
      const ids = new Set([before.id, open.id]);
      update(desk, { changed: indexed(desk).filter(({ summary }) => ids.has(summary.id)), gone: [] });
    },
    close,
  };
}

async function answer(desk: Desk, asked: Asked): Promise<void> {
  const { signal } = asked.abort;
  if (asked.deleted) {
    await tellDeleted(desk, asked);
    return;
  }
  if (asked.text.trim() !== "") {
    await pause(desk.options.clock, typingPause);
    if (signal.aborted) return;
    await lookOnce(desk);
    await search(desk, asked);
    return;
  }
  const all = byUse(indexed(desk));
  for (let at = 0; at < all.length; at += at === 0 ? firstRows : mostRows)
    update(desk, { changed: all.slice(at, at === 0 ? firstRows : at + mostRows), gone: [] });
  await lookOnce(desk);
  if (!signal.aborted) tell(desk, asked, { done: true });
}

/** One look at a time: what two of them find would be told by one only. Never throws. */
function lookOnce(desk: Desk): Promise<void> {
  const { asked } = desk;
  if (asked?.deleted === true) return tellDeleted(desk, asked);
  desk.looking ??= (async () => {
    for await (const look of desk.options.sessions().index.look()) update(desk, look);
  })()
    .catch(desk.options.failed)
    .finally(() => void (desk.looking = null));
  return desk.looking;
}

function update(desk: Desk, { changed, gone }: Look): void {
  const { asked } = desk;
  if (!asked || asked.deleted) return;
  const wanted = asked.text.trim() === "" ? changed : changed.filter(({ summary }) => asked.found.has(summary.id));
  tell(desk, asked, { rows: wanted.map((one) => rowOf(one, desk.options.view(), asked.found)), gone });
}

function tell(desk: Desk, asked: Asked, news: Partial<SessionsFound>): void {
  const { rows = [], done = false } = news;
  const gone = (news.gone ?? []).filter((id) => asked.sent.delete(id));
  for (const { id } of rows) asked.sent.add(id);
  if (rows.length + gone.length > 0 || done) desk.options.tell({ number: asked.number, rows, gone, done });
}

async function search(desk: Desk, asked: Asked): Promise<void> {
  const { signal } = asked.abort;
  const among = byUse(indexed(desk)).map(({ summary }) => summary);
  const fresh = new Set<string>();
  const flush = (): void => {
    update(desk, { changed: indexed(desk).filter(({ summary }) => fresh.has(summary.id)), gone: [] });
    fresh.clear();
  };
  for await (const hit of desk.options.sessions().search(asked.text, { signal, among, hitsPerSession: 1 })) {
    asked.found.set(hit.sessionId, foundOf(hit));
    fresh.add(hit.sessionId);
    if (asked.found.size <= screen || fresh.size >= screen) flush();
  }
  if (signal.aborted) return;
  flush();
  tell(desk, asked, { done: true });
}

function foundOf({ role, excerpt, runId, item }: SearchHit): SessionRow["found"] {
  if (role === "title" || runId === null || item === null) return undefined;
  return { by: role, excerpt, at: { runId, item } };
}

async function tellDeleted(desk: Desk, asked: Asked): Promise<void> {
  const text = asked.text.trim().toLowerCase();
  const deleted = await desk.options.sessions().deleted();
  if (asked.abort.signal.aborted) return;
  const rows = deleted.flatMap(({ summary, deletedAt }) =>
    summary.title.toLowerCase().includes(text)
      ? { ...rowOf({ summary, pinned: false, owned: false }, null, new Map()), at: deletedAt, state: null }
      : [],
  );
  const still = new Set(rows.map(({ id }) => id));
  const gone = [...asked.sent].filter((id) => !still.has(id));
  tell(desk, asked, { rows: rows.filter(({ id }) => !asked.sent.has(id)), gone, done: true });
}

function indexed({ options }: Desk): readonly ListedSession[] {
  return options.sessions().index.all();
}

function byUse(sessions: readonly ListedSession[]): readonly ListedSession[] {
  const used = ({ summary }: ListedSession): number => Date.parse(summary.updated) || 0;
  return sessions.toSorted((a, b) => used(b) - used(a));
}

function rowOf({ summary, pinned, owned }: ListedSession, view: View | null, found: Asked["found"]): SessionRow {
  const { id, title, updated, agent, model, messageCount, cost, status } = summary;
  const open = view !== null && view.session.id === id;
  const unfinished = status === null && messageCount > 0 ? "unfinished" : null;
  const elsewhere = owned && (!open || view.reading !== null) ? "elsewhere" : null;
  const place = found.get(id);
  return {
    id,
    title,
    at: updated,
    agent,
    model,
    messages: messageCount,
    ...(cost !== undefined && { cost }),
    pinned,
    state: (open ? openIn(view).state : null) ?? elsewhere ?? unfinished,
    open,
    ...(place && { found: place }),
  };
}

/** What this window does in the session that it shows. */
function openIn(view: View): { readonly id: string | null; readonly state: "running" | "waiting" | null } {
  const { id } = view.session;
  if (view.reading || !isRunning(view)) return { id, state: null };
  const waits = pendingCalls(view).length > 0 || pendingPlan(view) || pendingPause(view);
  return { id, state: waits ? "waiting" : "running" };
}

function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void clock.after(milliseconds, resolve));
}
