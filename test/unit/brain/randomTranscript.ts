// Transcripts of all that can happen in a session, in any order: for properties that must hold whatever is in the file.
import fc from "fast-check";
import type { CompactionEntry, Entry, ToolEntry } from "../../../src/protocol/messages.ts";

const small = fc.nat(7);
const step = {
  say: fc.record({ kind: fc.constant("say" as const), agent: fc.boolean() }),
  reply: fc.record({
    kind: fc.constant("reply" as const),
    calls: fc.nat(2),
    answered: fc.nat(2),
    outcome: fc.constantFrom("read", "written", "refused", "changed"),
    begun: fc.constantFrom("no", "and written", "only"),
  }),
  delegate: fc.record({ kind: fc.constant("delegate" as const), isWhole: fc.boolean() }),
  compact: fc.record({ kind: fc.constant("compact" as const), kept: fc.nat(12) }),
  edit: fc.record({ kind: fc.constant("edit" as const), which: small }),
  undo: fc.record({ kind: fc.constant("undo" as const), which: small }),
  other: fc.record({ kind: fc.constantFrom("title" as const, "flush" as const, "plan" as const, "again" as const) }),
  end: fc.record({ kind: fc.constant("end" as const) }),
  /** A run that never ended, or a line of a run that has. */
  odd: fc.record({ kind: fc.constantFrom("leave" as const, "stray" as const) }),
};

/** What happens next in a session. */
export const steps = fc.oneof(
  { weight: 4, arbitrary: step.say },
  { weight: 8, arbitrary: step.reply },
  { weight: 2, arbitrary: step.delegate },
  { weight: 4, arbitrary: step.compact },
  { weight: 1, arbitrary: step.edit },
  { weight: 1, arbitrary: step.undo },
  { weight: 3, arbitrary: step.other },
  { weight: 6, arbitrary: step.end },
  { weight: 1, arbitrary: step.odd },
);
/** What happens in a session that no process died in, and nobody wrote into. */
export const ordinarySteps = steps.filter(({ kind }) => kind !== "leave" && kind !== "stray" && kind !== "again");
export type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

interface Making {
  readonly entries: Entry[];
  readonly compactions: CompactionEntry[];
  run: number;
}

/** The lines that so many steps leave, one after the other. */
export function randomTranscript(made: readonly Step[]): Entry[] {
  const making: Making = { entries: [], compactions: [], run: 0 };
  for (const one of made) making.entries.push(...linesOf(one, making));
  return making.entries;
}

function linesOf(one: Step, making: Making): readonly Entry[] {
  const line = lineIn(making);
  switch (one.kind) {
    case "say":
      return [{ role: "user", content: `Said ${line.id}.`, ...line, ...(one.agent && { agent: "Coder" }) }];
    case "reply":
      return reply(one, line);
    case "delegate":
      return delegate(one.isWhole, line);
    case "compact":
      return compact(one.kept, making);
    case "edit":
    case "undo":
      return revise(one, making);
    case "end":
    case "leave":
      making.run++;
      return one.kind === "leave" ? [] : [endOf(line)];
    case "stray":
      return [{ role: "user", content: "Late.", ...line, runId: "run-0" }];
    case "again":
      return making.entries.slice(-1);
    default:
      return [other(one.kind, line)];
  }
}

type Line = Pick<Entry, "id" | "runId" | "timestamp">;

function lineIn({ entries, run }: Making): Line {
  const timestamp = new Date(Date.UTC(2026, 0, 2, 10, 0, entries.length)).toISOString();
  return { id: `e${entries.length}`, runId: `run-${run}`, timestamp };
}

function endOf(line: Line): Entry {
  const usage = { input: 10, output: 2 };
  const took = { model: "m", tokens: Number(line.id.slice(1)), own: 1, measure: 1 };
  return { type: "run_end", ...line, status: "completed", duration: 1, usage, took };
}

function reply(one: Extract<Step, { kind: "reply" }>, line: Line): Entry[] {
  const tool_calls = Array.from({ length: one.calls }, (_, n) => ({
    id: `${line.id}-${n}`,
    name: "edit",
    arguments: "{}",
  }));
  const about = { ...line, iteration: 1, content: `Reply ${line.id}.`, model: "m" };
  const begun: Entry = { type: "begun", ...about, id: `${line.id}-begun`, messageId: line.id, tool_calls };
  const written: Entry = { role: "assistant", ...about, ...(one.calls > 0 && { tool_calls }) };
  const results = tool_calls.slice(0, one.answered).map(({ id }) => result(id, one.outcome, line));
  if (one.begun === "only") return [begun];
  return [...(one.begun === "and written" ? [begun] : []), written, ...results];
}

function result(id: string, outcome: string, line: Line): ToolEntry {
  const made = { role: "tool", tool_call_id: id, content: `Result of ${id}.`, ...line, id: `${id}-result` } as const;
  const ended = { name: "edit", status: "succeeded", duration: 1 } as const;
  const preview = { kind: "diff", path: "a.js", created: false, added: 2, removed: 1, patch: "" } as const;
  if (outcome === "written") return { ...made, ...ended, preview };
  if (outcome === "read") return { ...made, ...ended };
  const decision =
    outcome === "refused" ? ({ kind: "reject", reason: "no" } as const) : ({ kind: "modify", params: {} } as const);
  return { ...made, ...ended, status: "rejected", verdict: { by: "person", at: line.timestamp, decision } };
}

/** A call whose work is a conversation of its own. */
function delegate(isWhole: boolean, line: Line): Entry[] {
  const call = `${line.id}-0`;
  const tool_calls = [{ id: call, name: "delegate", arguments: "{}" }];
  const inner = (id: string) => ({ ...line, id: `${line.id}-${id}`, within: call });
  const calls = [{ id: `${call}-0`, name: "look", arguments: "{}" }];
  return [
    { role: "assistant", content: "", tool_calls, ...line, iteration: 1 },
    { role: "user", content: "A task.", ...inner("task") },
    { role: "assistant", content: "", tool_calls: calls, ...inner("reply"), iteration: 1 },
    ...(isWhole ? [{ ...result(`${call}-0`, "written", line), within: call }, result(call, "read", line)] : []),
  ];
}

/** Keeps from a message on, or nothing, or a line that is lost. */
function compact(kept: number, making: Making): Entry[] {
  const messages = making.entries.filter((entry) => "role" in entry && entry.role !== "tool" && !entry.within);
  const firstKeptId = kept === 0 ? "" : kept === 12 ? "lost" : (messages.at(-kept)?.id ?? "");
  const entry: CompactionEntry = {
    type: "compaction",
    ...lineIn(making),
    id: `c${making.compactions.length}`,
    summary: `Summary ${making.compactions.length}.`,
    carried: [],
    firstKeptId,
    messages: 1,
    tokensBefore: 10,
    tokensAfter: 5,
  };
  making.compactions.push(entry);
  return [entry];
}

function revise(one: Extract<Step, { kind: "edit" | "undo" }>, making: Making): Entry[] {
  const of = making.compactions.at(-1 - one.which);
  if (!of) return [];
  const line = { ...lineIn(making), runId: of.runId };
  return one.kind === "edit"
    ? [{ ...of, ...line, summary: "Other words.", edits: of.id }]
    : [{ type: "compaction_undone", ...line, compactionId: of.id }];
}

function other(kind: "title" | "flush" | "plan", line: Line): Entry {
  if (kind === "title") return { type: "title", ...line, runId: "", title: `Title ${line.id}` };
  if (kind === "flush") return { type: "memory_flush", ...line, wrote: false, calls: [] };
  return { type: "plan", ...line, steps: [], decision: { kind: "reject", reason: "no" }, by: "person" };
}
