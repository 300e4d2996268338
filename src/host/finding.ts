// Finds words in the open session for the panel's find box: in all of it, also what is not shown and not even loaded.
import type { SessionStore } from "../brain/sessions.ts";
import type { Clock } from "../engine/ports.ts";
import type { FindAsked, SoughtPlace } from "../protocol/sessions.ts";
import type { View } from "../protocol/view.ts";
import type { ToWebview } from "../protocol/wire.ts";
import type { Handlers } from "./bridge.ts";

export interface FindingOptions {
  /** Throws where there is no folder. */
  readonly sessions: () => Pick<SessionStore, "find">;
  readonly view: () => View;
  /** Has a run shown; false when there is none. */
  readonly reach: (runId: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly ask: (message: ToWebview) => void;
}

/** Milliseconds without a key before the session is searched. */
const typingPause = 100;
/** Nobody steps through more. */
const mostPlaces = 1_000;

interface Desk {
  readonly options: FindingOptions;
  asked: Pick<FindAsked, "number" | "text">;
  /** Of the last question. */
  abort: AbortController;
  /** The answer is to be gone to. */
  goes: boolean;
  /** Null: at the end. */
  reader: SoughtPlace | null;
  places: readonly SoughtPlace[];
  more: boolean;
  /** The one that is shown. */
  place: SoughtPlace | null;
  /** What the session was when it was searched. */
  searched: string;
}

/**
 * What a find box may ask for. A question is answered once the typing pauses, unless there is another one by then; a step
 * goes to the place so many farther up than the one that is shown, around the ends.
 */
export function createFinding(options: FindingOptions): Pick<Handlers, "session:find" | "session:findNext"> {
  const nothing = { asked: { number: 0, text: "" }, places: [], more: false, place: null, reader: null, searched: "" };
  const desk: Desk = { options, abort: new AbortController(), goes: false, ...nothing };
  return {
    async "session:find"({ number, text, reader, go }) {
      desk.abort.abort();
      desk.abort = new AbortController();
      const { signal } = desk.abort;
      desk.asked = { number, text };
      desk.goes ||= go;
      desk.reader = reader ?? desk.reader;
      if (reader && !go) desk.place = reader;
      await new Promise<void>((resolve) => void options.clock.after(text.trim() === "" ? 0 : typingPause, resolve));
      if (await search(desk, signal)) answer(desk);
    },
    async "session:findNext"({ by }) {
      // Since then a run has begun or ended: its messages count, too.
      if (desk.searched !== stateOf(options.view())) await search(desk, desk.abort.signal);
      const at = indexOf(desk, desk.place);
      const { length } = desk.places;
      show(desk, at === -1 ? nearest(desk) : (at + (by % length) + length) % length);
      tell(desk);
    },
  };
}

/** @returns false when something else is asked by now */
async function search(desk: Desk, signal: AbortSignal): Promise<boolean> {
  const view = desk.options.view();
  const { text } = desk.asked;
  const places: SoughtPlace[] = [];
  if (!signal.aborted && text.trim() !== "" && view.session.id !== null)
    for await (const place of desk.options.sessions().find(view.session.id, text, signal)) {
      places.push(place);
      if (places.length > mostPlaces) break;
    }
  if (isOver(signal)) return false;
  const rank = rankIn(view);
  // What is written down when it has ended may have begun before its neighbour.
  desk.places = places.slice(0, mostPlaces).toSorted((a, b) => rank(b) - rank(a));
  desk.more = places.length > mostPlaces;
  desk.searched = stateOf(view);
  return true;
}

function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

function answer(desk: Desk): void {
  if (desk.goes) {
    desk.place = null;
    show(desk, nearest(desk));
  }
  desk.goes = false;
  tell(desk);
}

function tell({ options, asked: { number }, places, more, ...desk }: Desk): void {
  const at = indexOf({ places }, desk.place) + 1;
  options.ask({ type: "session:found", number, count: places.length, more, at });
}

function show(desk: Desk, index: number): void {
  const place = desk.places[index];
  if (!place) return;
  desk.place = place;
  desk.reader = place;
  const words = desk.asked.text.trim().replaceAll(/\s+/g, " ");
  void desk.options.reach(place.runId).then((isThere) => {
    // Reading what is far up takes a while: by then a person may want another place, or other words.
    if (isThere && desk.place === place) desk.options.ask({ type: "sought:show", ...place, words, stay: true });
  });
}

/** The last place up to where the reader is, or else the first one behind; -1 when there is none. */
function nearest({ places, reader, options }: Desk): number {
  const rank = rankIn(options.view());
  const limit = reader ? rank(reader) : Infinity;
  const before = places.findIndex((place) => rank(place) <= limit);
  return before === -1 ? places.length - 1 : before;
}

/** Where a place stands among those that the view has; what it does not have yet stands before all of them. */
function rankIn({ turns }: View): (place: SoughtPlace) => number {
  const ranks = new Map<string, number>();
  for (const { runId, messageId, items } of turns)
    for (const item of [messageId, ...items.map(({ id }) => id)]) ranks.set(`${runId} ${item}`, ranks.size);
  return ({ runId, item }) => ranks.get(`${runId} ${item}`) ?? -1;
}

function indexOf({ places }: Pick<Desk, "places">, wanted: SoughtPlace | null): number {
  return places.findIndex(({ runId, item }) => runId === wanted?.runId && item === wanted.item);
}

function stateOf({ session, turns }: View): string {
  const last = turns.at(-1);
  return `${session.id} ${last?.runId} ${last?.end === null}`;
}
