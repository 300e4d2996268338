// The list of sessions as it is drawn: what the host has told of it, in groups by when they were used, and where each row stands.
import type { SessionRow, SessionsFound, SessionState } from "../src/protocol/sessions.ts";
import { dollars } from "./endWords.ts";
import { count, region } from "./words.ts";
import { t } from "./l10n.ts";

export interface Listed {
  /** Of the question that these rows answer. */
  readonly number: number;
  readonly rows: ReadonlyMap<string, SessionRow>;
  /** Ids of those that were listed and are no more, whatever was asked by then. */
  readonly gone: ReadonlySet<string>;
  readonly done: boolean;
}

/** A row of the list: the name of a group, or a session. */
export type ListItem =
  | { readonly kind: "group"; readonly key: string; readonly words: string }
  | { readonly kind: "session"; readonly key: string; readonly row: SessionRow };

export const nothingListed: Listed = { number: 0, rows: new Map(), gone: new Set(), done: false };

/** What is listed after one more part of an answer; the rows of an earlier question stay until the first of the next. */
export function merged(before: Listed, { number, rows, gone, done }: SessionsFound): Listed {
  if (number < before.number) return before;
  const same = number === before.number;
  const next = new Map(same ? before.rows : []);
  const left = new Set([...before.gone, ...gone]);
  for (const id of gone) next.delete(id);
  for (const row of rows) {
    next.set(row.id, row);
    left.delete(row.id);
  }
  return { number, rows: next, gone: left, done: done || (same && before.done) };
}

/** The rows in order, each group under its name. */
export function itemsOf(rows: Iterable<SessionRow>, now: Date): readonly ListItem[] {
  const sorted = [...rows].toSorted(
    (a, b) => Number(b.pinned) - Number(a.pinned) || (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? 1 : -1),
  );
  const days = daysBefore(now);
  let group = "";
  return sorted.flatMap((row): readonly ListItem[] => {
    const words = row.pinned ? t("Pinned") : groupOf(row.at, days);
    const item: ListItem = { kind: "session", key: row.id, row };
    if (words === group) return [item];
    group = words;
    return [{ kind: "group", key: `group ${words}`, words }, item];
  });
}

interface Days {
  readonly today: string;
  readonly yesterday: string;
  readonly week: string;
}

/** When they begin, where the reader is. */
function daysBefore(now: Date): Days {
  const begin = (days: number): string =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString();
  return { today: begin(0), yesterday: begin(1), week: begin(6) };
}

function groupOf(at: string, { today, yesterday, week }: Days): string {
  if (at >= today) return t("Today");
  if (at >= yesterday) return t("Yesterday");
  return at >= week ? t("This week") : t("Older");
}

/** When a session was used, as short as its group allows; `""` when that is not known. */
export function shortTime(at: string, now: Date): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const { yesterday, week } = daysBefore(now);
  const hour = time.toLocaleTimeString(region(), { hour: "numeric", minute: "2-digit" });
  if (at >= yesterday) return hour;
  if (at >= week) return `${time.toLocaleDateString(region(), { weekday: "short" })} ${hour}`;
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  return time.toLocaleDateString(region(), { day: "numeric", month: "short", ...year });
}

/** The whole of it, for a tooltip and a screen reader. */
export function wholeTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleString(region(), { dateStyle: "full", timeStyle: "short" });
}

export const stateWords: Readonly<Record<SessionState, string>> = {
  running: t("Running"),
  waiting: t("Waits for you"),
  elsewhere: t("In another window"),
  unfinished: t("Not finished"),
};

export const speakers = { user: t("You"), assistant: "Brain", tool: t("Result"), call: t("Call") } as const;

export function titleOf({ title }: SessionRow): string {
  return title === "" ? t("Untitled") : title;
}

/** What stands under a title: state, agent, model, messages, cost. */
export function factsOf({ state, open, agent, model, messages, cost }: SessionRow): readonly string[] {
  const paid = cost === undefined || cost === 0 ? "" : dollars(cost);
  const doing = state ? stateWords[state] : open ? t("Open now") : "";
  return [doing, count("{0} message", "{0} messages", messages), agent ?? "", model ?? "", paid].filter(
    (fact) => fact !== "",
  );
}

/** A row in one sentence each, for a screen reader. */
export function sentencesOf(row: SessionRow): string {
  const { found, pinned, at } = row;
  const place = found ? `${speakers[found.by]}: ${found.excerpt}` : "";
  return [titleOf(row), pinned ? t("Pinned") : "", wholeTime(at), ...factsOf(row), place]
    .filter((part) => part !== "")
    .join(". ");
}

/** Pixels. */
const heights = { group: 28, session: 44, found: 64 } as const;

/** Where each item begins, in pixels from the first; after the last of them where the list ends. */
export function startsOf(items: readonly ListItem[]): readonly number[] {
  const starts = [0];
  let at = 0;
  for (const item of items) starts.push((at += heightOf(item)));
  return starts;
}

function heightOf(item: ListItem): number {
  return item.kind === "group" ? heights.group : item.row.found ? heights.found : heights.session;
}
