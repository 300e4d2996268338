// The open session as others write it: shown from its end, followed as it grows, read along while they have it, and taken over.
import { hostname } from "node:os";
import { closeRuns } from "../brain/interrupted.ts";
import type { Owner } from "../brain/lock.ts";
import type { Followed } from "../brain/follow.ts";
import { type Begin, type Growth, type Mark, unread } from "../brain/tail.ts";
import type { Clock } from "../engine/ports.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { PanelEvent, Reading } from "../protocol/events.ts";
import { type Entry, isRevision } from "../protocol/messages.ts";
import { createReplay, type Replay } from "../protocol/replay.ts";
import type { View } from "../protocol/view.ts";
import type { Fold } from "./fold.ts";

export interface FollowingOptions {
  readonly fold: Pick<Fold, "view" | "event">;
  readonly sessions: () => Followed;
  /** True while this window neither writes the open session nor is opening another one. */
  readonly idle: () => boolean;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

export interface Following {
  /**
   * Reads the end of a session, to be followed from there.
   * @returns the events that show it
   * @throws LoopError `session_not_found`, or `disk_write` when it cannot be read
   */
  show(id: string): Promise<readonly PanelEvent[]>;
  /** Shows the runs before the first one that is shown, if there are any. */
  readonly earlier: () => Promise<void>;
  /** Shows the runs from this one on, however far up it is; false when the open session has no such run. */
  reach(runId: string): Promise<boolean>;
  /** Asks whoever has the session to stop; where nobody has it any more, this window may write at once. */
  readonly takeOver: () => Promise<void>;
  /** Looks now; what cannot be read now is looked at again soon. Never throws. */
  look(): Promise<void>;
  /** @throws LoopError `session_busy` while the open session is another window's */
  checkOurs(): void;
  readonly end: () => void;
}

/** Entries that are read at once. */
const stretch = 200;
/** Where what is far up is looked for. */
const longStretch = 2_000;
/** Milliseconds between two looks, where the disk does not tell. */
const lookEvery = 1_000;
/** Milliseconds in which an owner that lives has answered. */
const patience = 10_000;

interface Shown {
  readonly id: string;
  readonly replay: Replay;
  mark: Mark;
  /** Null: all is shown. */
  begin: Begin | null;
  /** What was done later to compactions, which may be of a run that is not shown yet. */
  readonly revisions: Entry[];
}

interface Desk {
  readonly options: FollowingOptions;
  shown: Shown | null;
  unwatch: () => void;
  /** The lease that was asked for. */
  asked: string | null;
  /** The stretch before what is shown, while it is being read. */
  loading: Promise<void> | null;
  /** Looks again soon, on the disk's word. */
  readonly poke: () => void;
}

/** Follows the session that the panel shows, until it is ended. */
export function createFollowing(options: FollowingOptions): Following {
  const { fold, clock } = options;
  const desk: Desk = {
    options,
    shown: null,
    unwatch: () => undefined,
    asked: null,
    loading: null,
    poke: () => void look(),
  };
  let looking: Promise<void> | null = null;
  let again = false;
  let over = false;
  let said = "";
  const failed = (error: unknown): void => {
    const { code, message } = toFailure(error);
    // Nothing may have been written of it yet. What stays wrong is said once.
    if (code !== "session_not_found" && message !== said) options.log(`The session cannot be followed: ${message}`);
    said = message;
  };
  const look = (): Promise<void> => {
    again = looking !== null;
    looking ??= lookOnce(desk)
      .catch(failed)
      .finally(() => {
        looking = null;
        if (again && !over) void look();
      });
    return looking;
  };
  const beat = (): void => {
    if (!over) cancel = clock.after(lookEvery, () => void look().then(beat));
  };
  let cancel = (): void => undefined;
  beat();
  return {
    async show(id) {
      const { shown, events } = await read(desk, id);
      follow(desk, shown);
      return events;
    },
    earlier: () => desk.loading ?? earlier(desk, stretch),
    reach: (runId) => reach(desk, runId),
    takeOver: () => takeOver(desk),
    look,
    checkOurs() {
      if (fold.view().reading)
        throw new LoopError("session_busy", "Another window has this session; here it is only read along.");
    },
    end() {
      over = true;
      cancel();
      desk.unwatch();
    },
  };
}

async function read(
  { options }: Desk,
  id: string,
): Promise<{ readonly shown: Shown; readonly events: readonly PanelEvent[] }> {
  const sessions = options.sessions();
  // In this order: who has ended by now has written everything before.
  const owner = await sessions.owner(id);
  const { entries, begin, mark, title } = await sessions.readTail(id, stretch);
  const replay = createReplay(id);
  const events: PanelEvent[] = [
    { type: "session:open", sessionId: id, title },
    ...(owner ? entries : closeRuns(entries)).flatMap(replay.next),
    ...(owner ? [] : replay.end()),
    ...(begin ? [{ type: "session:earlier", events: [], more: true } as const] : []),
    ...(owner ? [{ type: "session:reading", reading: readingOf(owner) } as const] : []),
  ];
  return { shown: { id, replay, mark, begin, revisions: entries.filter(isRevision) }, events };
}

function follow(desk: Desk, shown: Shown): void {
  if (desk.shown?.id !== shown.id) {
    desk.unwatch();
    desk.unwatch = desk.options.sessions().watch(shown.id, desk.poke);
  }
  desk.shown = shown;
  desk.asked = null;
}

async function lookOnce(desk: Desk): Promise<void> {
  const { fold, idle, sessions } = desk.options;
  const { id } = fold.view().session;
  if (id === null || !idle()) return;
  const shown = shownOf(desk, id);
  const owner = await sessions().owner(id);
  const growth = await sessions().readGrowth(id, shown.mark);
  const other = growth ? null : await read(desk, id);
  const current = desk.shown === shown && fold.view().session.id === id && idle();
  if (!current) return;
  if (other) {
    follow(desk, other.shown);
    tell(desk, other.events);
    return;
  }
  // Before what they write: a reader who looks elsewhere is not taken to it.
  if (owner) settle(desk, owner);
  if (growth) grow(desk, shown, growth);
  if (owner) return;
  tell(desk, shown.replay.end());
  settle(desk, owner);
}

/** Of a session that began in this window the view has all that this window has written. */
function shownOf(desk: Desk, id: string): Shown {
  if (desk.shown?.id === id) return desk.shown;
  const fresh: Shown = { id, replay: createReplay(id), mark: unread, begin: null, revisions: [] };
  follow(desk, fresh);
  return fresh;
}

function tell({ options }: Desk, events: readonly PanelEvent[]): void {
  for (const event of events) options.fold.event(event);
}

function grow(desk: Desk, shown: Shown, { entries, mark }: Growth): void {
  const ended = endedRuns(desk.options.fold.view());
  shown.mark = mark;
  shown.revisions.push(...entries.filter(isRevision));
  // This window's own runs, and the ends that were added to others, are shown already.
  for (const entry of entries.filter((one) => isRevision(one) || !ended.has(one.runId)))
    tell(desk, shown.replay.next(entry));
}

function endedRuns({ turns }: View): ReadonlySet<string> {
  return new Set(turns.filter(({ end }) => end !== null).map(({ runId }) => runId));
}

/** Tells the panel who has the session, where that has changed. */
function settle(desk: Desk, owner: Owner | null): void {
  const { fold } = desk.options;
  const { reading } = fold.view();
  const waits = owner !== null && owner.token === desk.asked;
  const given = owner === null && reading?.state === "given";
  if (waits || given) return;
  desk.asked = null;
  const next = readingOf(owner);
  if (reading?.state !== next?.state || reading?.host !== next?.host)
    fold.event({ type: "session:reading", reading: next });
}

function readingOf(owner: Owner | null): Reading | null {
  return owner && { state: "working", host: ["", hostname()].includes(owner.host) ? null : owner.host };
}

function earlier(desk: Desk, count: number): Promise<void> {
  desk.loading = readEarlier(desk, count).finally(() => (desk.loading = null));
  return desk.loading;
}

async function readEarlier(desk: Desk, count: number): Promise<void> {
  const { shown, options } = desk;
  if (!shown?.begin) return;
  const { entries, begin } = await options.sessions().readTail(shown.id, count, shown.begin);
  if (desk.shown !== shown) return;
  const { next } = createReplay(shown.id);
  const events = [...closeRuns(entries), ...shown.revisions].flatMap(next);
  shown.begin = begin;
  shown.revisions.push(...entries.filter(isRevision));
  options.fold.event({ type: "session:earlier", events, more: begin !== null });
}

async function reach(desk: Desk, runId: string): Promise<boolean> {
  const { fold } = desk.options;
  const { id } = fold.view().session;
  const isShown = (): boolean => fold.view().turns.some((turn) => turn.runId === runId);
  const isOpen = (): boolean => fold.view().session.id === id;
  while (isOpen() && !isShown() && desk.shown?.id === id && desk.shown.begin)
    await (desk.loading ?? earlier(desk, longStretch));
  return isOpen() && isShown();
}

async function takeOver(desk: Desk): Promise<void> {
  const { fold, sessions, clock } = desk.options;
  const { id } = fold.view().session;
  if (id === null || !fold.view().reading) return;
  const owner = await sessions().owner(id);
  if (!owner) return fold.event({ type: "session:reading", reading: null });
  await sessions().askOwner(id, owner);
  desk.asked = owner.token;
  const host = readingOf(owner)?.host ?? null;
  fold.event({ type: "session:reading", reading: { state: "asked", host } });
  clock.after(patience, () => {
    const still = desk.asked === owner.token && fold.view().reading?.state === "asked";
    if (still) fold.event({ type: "session:reading", reading: { state: "silent", host } });
  });
}
