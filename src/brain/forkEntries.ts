// Which entries a fork begins with, and what it is called. Pure.
import { LoopError } from "../protocol/errors.ts";
import { type Entry, isAboutSession, isMessage, type UserEntry } from "../protocol/messages.ts";
import { closeRuns } from "./interrupted.ts";

/** `with`: up to the end of the entry's turn; `before`: up to the user's message that it is, without it. */
export interface ForkPoint {
  readonly entryId: string;
  readonly side: "with" | "before";
}

/**
 * The entries up to a point, made whole: calls that are cut off get a result, and their run an end.
 * @throws LoopError `entry_not_found`
 */
export function entriesUpTo(entries: readonly Entry[], { entryId, side }: ForkPoint): readonly Entry[] {
  const index = entries.findIndex(({ id }) => id === entryId);
  const entry = entries[index];
  if (!entry || isAboutSession(entry))
    throw new LoopError("entry_not_found", `There is no message ${entryId} in this session.`);
  if (side === "before") {
    if (!saidIn(entry)) throw new LoopError("entry_not_found", `The entry ${entryId} is no message of yours.`);
    return closeRuns(entries.slice(0, index));
  }
  const next = entries.findIndex((other, at) => at > index && other.runId !== entry.runId);
  return closeRuns(next === -1 ? entries : entries.slice(0, next));
}

/** What a person said with an entry; null when it is nothing that a person said. */
export function saidIn(entry: Entry | undefined): UserEntry | null {
  return entry && isMessage(entry) && entry.role === "user" && entry.within === undefined ? entry : null;
}

/** What a copy is called, so that it can be told from its original: “Prices (fork)”, then “Prices (fork 2)”. */
export function forkTitle(title: string): string {
  const { name = title, count } = /^(?<name>.*) \(fork(?: (?<count>\d{1,6}))?\)$/s.exec(title)?.groups ?? {};
  if (name === title) return `${title} (fork)`;
  return `${name} (fork ${Number(count ?? "1") + 1})`;
}
