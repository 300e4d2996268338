// Where what the loop writes now differs from what is recorded, each difference with its line and in a sentence. Pure.
import type { Entry } from "../protocol/messages.ts";
import { isAside, isAssistant, isPause, isPlan, isTool, isUser, type Line, type RecordedRun } from "./recorded.ts";

export interface Difference {
  /** `missing`: recorded, and not written now. `extra`: written now, and not recorded. `moved`: comes earlier now. */
  readonly kind: "changed" | "missing" | "extra" | "moved";
  /** Number of the recorded line; of an extra one, the line where it would stand. */
  readonly line: number;
  /** The call that it is about. */
  readonly toolCallId?: string;
  /** The field, such as `verdict.by`. */
  readonly field?: string;
  /** Undefined: the field is not there. */
  readonly recorded?: unknown;
  readonly now?: unknown;
  /** All of it for a person. */
  readonly message: string;
}

/** What is another each time, or only says when. */
const unimportant: ReadonlySet<string> = new Set(["id", "runId", "timestamp", "at", "asked", "duration", "verdict.at"]);

/** A call that is done again may come when what it waited for is over, and changes nothing; what a request took or cost is the model's to say. */
function isUnimportant(field: string): boolean {
  return unimportant.has(field) || /^(?:after|took|cost|changes|requests?|waited)(?:\.|$)/.test(field);
}

/** Compares a run's record with what the loop wrote when it was done again, in the order of the record. */
export function differences({ lines, message, end }: RecordedRun, written: readonly Entry[]): readonly Difference[] {
  const entries = written.filter((entry) => !isAside(entry));
  if (!message) return [lost(lines[0]?.number ?? 1)];
  // What follows where the record breaks off is nothing to compare.
  const now = named(end === null ? entries.slice(0, lines.length) : entries);
  const before = named(lines.map(({ entry }) => entry));
  const found = [...extras(lines, before, now), ...recordedOnes(lines, before, now)];
  return found.toSorted((a, b) => a.line - b.line);
}

function lost(line: number): Difference {
  const what = "The message that began this run is not in the record, so it cannot be done again";
  return { kind: "extra", line, message: `Line ${line}: ${what}.` };
}

interface Named {
  readonly entry: Entry;
  /** The same for lines that stand for the same. */
  readonly name: string;
}

function named(entries: readonly Entry[]): readonly Named[] {
  const counts = new Map<string, number>();
  let request = 0;
  return entries.map((entry) => {
    if (isAssistant(entry)) request = entry.iteration;
    const kind = "role" in entry ? entry.role : entry.type;
    const name = [request, kind, isTool(entry) ? entry.tool_call_id : ""].join(" ");
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { entry, name: `${name} ${count}` };
  });
}

/** What became of each recorded line. */
function recordedOnes(lines: readonly Line[], before: readonly Named[], now: readonly Named[]): readonly Difference[] {
  const places = new Map(now.map(({ name }, place) => [name, place]));
  let furthest = { place: -1, number: 0 };
  return lines.flatMap((line, index) => {
    const place = places.get(before[index]?.name ?? "") ?? -1;
    const entry = now[place]?.entry;
    if (!entry) return [about(line, "missing", "is recorded, but is not written now")];
    const changed = changes(line, entry);
    if (place < furthest.place) return [about(line, "moved", `comes before line ${furthest.number} now`), ...changed];
    furthest = { place, number: line.number };
    return changed;
  });
}

function extras(lines: readonly Line[], before: readonly Named[], now: readonly Named[]): readonly Difference[] {
  const known = new Map(before.map(({ name }, index) => [name, lines[index]?.number ?? 0]));
  let line = (lines[0]?.number ?? 1) - 1;
  return now.flatMap(({ name, entry }) => {
    const number = known.get(name);
    line = Math.max(line, number ?? 0);
    if (number !== undefined) return [];
    const says = "content" in entry && typeof entry.content === "string" ? `: “${excerpt(entry.content, 0)}”` : "";
    return [about({ number: line + 1, entry }, "extra", `is written here now, but is not recorded${says}`)];
  });
}

function about({ number, entry }: Line, kind: Difference["kind"], what: string): Difference {
  const call = isTool(entry) ? { toolCallId: entry.tool_call_id } : {};
  return { kind, line: number, ...call, message: `Line ${number}: ${describe(entry)} ${what}.` };
}

function changes(line: Line, entry: Entry): readonly Difference[] {
  const before = leavesOf(line.entry);
  const now = leavesOf(entry);
  return (
    [...new Set([...before.keys(), ...now.keys()])]
      .filter((field) => !isUnimportant(field) && before.get(field) !== now.get(field))
      // What became empty is told by what is not in it any more.
      .filter((field) => ![...before.keys(), ...now.keys()].some((other) => other.startsWith(`${field}.`)))
      .map((field) => {
        const [recorded, written] = [before.get(field), now.get(field)];
        const values = inWords(recorded, written);
        const { message, ...rest } = about(line, "changed", `has another ${field} now: ${values}`);
        return { ...rest, field, recorded: parsed(recorded), now: parsed(written), message };
      })
  );
}

/** Every value inside, as JSON, by the way to it. */
function leavesOf(value: unknown, way = ""): Map<string, string> {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) return new Map(value === undefined ? [] : [[way, JSON.stringify(value)]]);
  return new Map(inner.flatMap(([key, one]) => [...leavesOf(one, way === "" ? key : `${way}.${key}`)]));
}

function inWords(recorded: string | undefined, now: string | undefined): string {
  const [a, b] = [shown(recorded), shown(now)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const quoted = (json: string | undefined, text: string): string =>
    json === undefined ? "not there" : `“${excerpt(text, at)}”`;
  return `it was ${quoted(recorded, a)}, and is ${quoted(now, b)}`;
}

function shown(json: string | undefined): string {
  const value = parsed(json);
  return typeof value === "string" ? value : (json ?? "");
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}

/** The part of a text around a place, on one line. */
function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 30);
  const part = text.slice(from, at + 50).replaceAll("\n", "⏎");
  return `${from > 0 ? "…" : ""}${part}${at + 50 < text.length ? "…" : ""}`;
}

function describe(entry: Entry): string {
  if (isTool(entry)) return `the result of call ${entry.tool_call_id} (${entry.name})`;
  if (isAssistant(entry)) return `reply ${entry.iteration}`;
  if (isUser(entry)) return entry.steering === true ? "the message sent into the run" : "the message";
  if (isPlan(entry)) return "the decision about the plan";
  return isPause(entry) ? "the pause" : "the end of the run";
}
