// What outlives a compaction word for word: taken from what the transcript says happened, never from a summary. Pure.
import type { CarriedPart, Entry, PlanEntry, ToolEntry } from "../protocol/messages.ts";
import { isMessage } from "../protocol/messages.ts";
import type { Todo } from "../protocol/todos.ts";
import { openTodos } from "../protocol/viewTodos.ts";
import { shorten } from "./prune.ts";

/** A call that has written a file. */
interface FileWritten {
  readonly kind: "written";
  readonly id: string;
  readonly created: boolean;
  readonly added: number;
  readonly removed: number;
}

/** The list of to-dos was replaced. */
interface TodosKept {
  readonly kind: "todos";
  readonly id: string;
  readonly todos: readonly Todo[];
}

/** All that matters of an entry when it gives way. */
export type Trace = CarriedPart | FileWritten | TodosKept;

export interface Carried {
  /** Of each kind in the order in which it happened. */
  readonly parts: readonly CarriedPart[];
  /** Parts that had no room. */
  readonly leftOut: number;
}

interface Room {
  /** Characters. */
  readonly room: number;
  /** Id of a message that is never cut nor left out: the newest of the person. */
  readonly whole: string | undefined;
  /** A newer list of to-dos stays as it is. */
  readonly newerTodos: boolean;
}

/** Shares of the room: the lists of files and of corrections are short, and must not be crowded out by pasted text. */
const shares = { file: 0.15, correction: 0.25, onePart: 0.25 } as const;
/** Characters of a refusal or a change: its parameters can be a whole file. */
const longestCorrection = 1_000;
/** Less than this of a message says nothing any more. */
const least = 200;

/**
 * Collects what must survive (BRAIN-COMP-9): all of the conversation that gives way is looked at, however often it was
 * compacted before.
 * @param gone traces of the entries before the first that is kept
 * @param earlier what the last compaction carried, for lines that are lost since
 */
export function collectCarried(
  gone: readonly Trace[],
  earlier: readonly CarriedPart[],
  { room, whole, newerTodos }: Room,
): Carried {
  const found = [
    ...gone.filter((trace) => trace.kind !== "written" && trace.kind !== "todos"),
    ...filesIn(gone),
    ...(newerTodos ? [] : todosIn(gone, earlier)),
  ];
  const known = new Set(found.map(({ kind, id }) => `${kind} ${id}`));
  const before = earlier.filter(({ kind, id }) => kind !== "todo" && !known.has(`${kind} ${id}`));
  const all = [...before, ...found];
  const of = (...kinds: CarriedPart["kind"][]): CarriedPart[] => all.filter(({ kind }) => kinds.includes(kind));
  const messages = of("message");
  const must = [...messages.filter(({ id }) => id === whole), ...of("todo")];
  const files = pick(of("file").toReversed(), room * shares.file, room);
  const corrections = pick(of("refusal", "change").toReversed(), room * shares.correction, longestCorrection);
  const left = room - length([...must, ...files, ...corrections]);
  const rest = pick(outsideIn(messages.filter(({ id }) => id !== whole)), left, room * shares.onePart);
  const picked = new Map([...must, ...files, ...corrections, ...rest].map((part) => [`${part.kind} ${part.id}`, part]));
  const parts = all.flatMap(({ kind, id }) => picked.get(`${kind} ${id}`) ?? []);
  return { parts, leftOut: all.length - parts.length };
}

/** The first, the newest, the second, the newest but one: what is in the middle matters least. */
function outsideIn<T>(items: readonly T[]): readonly T[] {
  const half = Math.ceil(items.length / 2);
  const late = items.slice(half).toReversed();
  return items.slice(0, half).flatMap((item, index) => [item, ...late.slice(index, index + 1)]);
}

/** The first of the parts that have room, each cut to so many characters at most. */
function pick(parts: readonly CarriedPart[], room: number, longest: number): readonly CarriedPart[] {
  let left = room;
  const picked: CarriedPart[] = [];
  for (const part of parts) {
    const most = Math.floor(Math.min(longest, left));
    if (most < Math.min(least, part.text.length)) continue;
    const text = shorten(part.text, most);
    left -= text.length;
    picked.push(text === part.text ? part : { ...part, text, cut: (part.cut ?? 0) + part.text.length - most });
  }
  return picked;
}

function length(parts: readonly CarriedPart[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

/** Of an entry of the conversation itself: what a delegate did is told by its call. */
export function tracesOf(entry: Entry): readonly Trace[] {
  if (entry.within !== undefined) return [];
  const part = partOf(entry);
  return [...(part ? [part] : []), ...writtenBy(entry), ...todosBy(entry)];
}

function todosBy(entry: Entry): readonly TodosKept[] {
  if (!isMessage(entry)) return entry.type === "todos" ? [{ kind: "todos", id: entry.id, todos: entry.todos }] : [];
  if (entry.role !== "tool" || entry.status !== "succeeded") return [];
  const { id, preview } = entry;
  return preview?.kind === "todos" ? [{ kind: "todos", id, todos: preview.todos }] : [];
}

/** What is open in the newest list. */
function todosIn(gone: readonly Trace[], earlier: readonly CarriedPart[]): readonly CarriedPart[] {
  const newest = gone.findLast((trace) => trace.kind === "todos");
  if (!newest) return earlier.filter(({ kind }) => kind === "todo");
  return openTodos(newest.todos).map(({ text, state }) => ({
    kind: "todo",
    id: text,
    text: state === "doing" ? `${text} (doing)` : text,
  }));
}

function writtenBy(entry: Entry): readonly FileWritten[] {
  if (!isMessage(entry) || entry.role !== "tool" || entry.status !== "succeeded") return [];
  const { preview } = entry;
  const files = preview?.kind === "diffs" ? preview.files : preview?.kind === "diff" ? [preview] : [];
  return files.map(({ path, to, created, added, removed }) => ({
    kind: "written",
    id: to ?? path,
    created,
    added,
    removed,
  }));
}

function partOf(entry: Entry): CarriedPart | null {
  if (!isMessage(entry)) return entry.type === "plan" ? planRefusal(entry) : null;
  if (entry.role === "user") return { kind: "message", id: entry.id, text: entry.content };
  return entry.role === "tool" ? correction(entry) : null;
}

function planRefusal({ id, decision }: PlanEntry): CarriedPart | null {
  if (decision.kind !== "reject" || !decision.reason?.trim()) return null;
  return { kind: "refusal", id, text: `A plan: ${decision.reason.trim()}` };
}

/** What a person decided about a call, other than to let it go ahead. */
function correction(entry: ToolEntry): CarriedPart | null {
  const { id, verdict } = entry;
  if (verdict?.by !== "person") return null;
  const { decision } = verdict;
  const what = nameOf(entry);
  switch (decision.kind) {
    case "approve": {
      const left = decision.revised ? "before it was written the person left parts of it out or rewrote them" : "";
      const text = [left, decision.note?.trim() ?? ""].filter((part) => part !== "").join("; ");
      return text === "" ? null : { kind: "change", id, text: `${what}: ${text}` };
    }
    case "reject":
      return { kind: "refusal", id, text: `${what}: ${decision.reason?.trim() || "no reason given"}` };
    case "modify":
      return { kind: "change", id, text: `${what} ran with: ${JSON.stringify(decision.params)}` };
    case "replace": {
      const { name, params } = decision.call;
      return { kind: "change", id, text: `${what} was replaced by: ${name} ${JSON.stringify(params)}` };
    }
  }
}

function nameOf({ name, label }: ToolEntry): string {
  return label ? `${label.verb} ${label.subject}`.trim() : name;
}

interface Written {
  readonly created: boolean;
  readonly times: number;
  readonly added: number;
  readonly removed: number;
}

/** One part for each file that a call has written, in the order of the last writing. */
function filesIn(traces: readonly Trace[]): CarriedPart[] {
  const files = new Map<string, Written>();
  for (const trace of traces) {
    if (trace.kind !== "written") continue;
    const before = files.get(trace.id) ?? { created: trace.created, times: 0, added: 0, removed: 0 };
    files.delete(trace.id);
    files.set(trace.id, {
      created: before.created,
      times: before.times + 1,
      added: before.added + trace.added,
      removed: before.removed + trace.removed,
    });
  }
  return [...files].map(([path, written]) => ({ kind: "file", id: path, text: `${path}: ${wordsFor(written)}` }));
}

function wordsFor({ created, times, added, removed }: Written): string {
  const edits = created ? times - 1 : times;
  const edited = edits === 0 ? [] : [edits === 1 ? "edited once" : `edited ${edits} times`];
  const did = [...(created ? ["created"] : []), ...edited].join(", then ");
  return `${did}, ${added} lines added and ${removed} removed in all`;
}
