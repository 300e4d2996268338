// One call of a reply on its way: what it asks for, what it reads and writes, and how far it has come.
import type { Params, ToolCall } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { flowOf, type Flow } from "./dataflow.ts";
import type { Asked } from "./gate.ts";
import type { CallRecord } from "./perform.ts";
import type { Tool, ToolFields, Touches } from "./ports.ts";
import { parseReference, type Reference } from "./references.ts";
import type { Running } from "./running.ts";

export interface Slot {
  readonly id: string;
  asked: Asked;
  readonly tool: Tool | undefined;
  readonly flow: Flow;
  /** Keys of the run's data that it sees; null: it names none. */
  readonly scopes: readonly string[] | null;
  /** What is wrong with the call before anything else is looked at. */
  readonly problem: string | null;
  touches: Touches;
  state: "blocked" | "started" | "ended";
  waitsFor: readonly string[] | null;
  /** Null while it may still write. */
  wrote: readonly Reference[] | null;
  record?: CallRecord;
}

export const noTouches: Touches = { reads: [], writes: [], runs: false };
const anything: Touches = { reads: [], writes: [], runs: true };
const noFlow: Flow = { reads: [], writes: [], method: "set", instance: undefined };

/** Reads a call that has arrived. Never throws: what is wrong with it is its `problem`. */
export function createSlot(call: ToolCall, run: Running): Slot {
  const tool = run.tools.find((candidate) => candidate.name === call.name);
  const parsed = parseArguments(call);
  const base = { id: call.id, tool, flow: noFlow, scopes: null, problem: null, touches: noTouches } as const;
  const start = { ...base, state: "blocked", waitsFor: null, wrote: null } as const;
  const asked: Asked = { call, params: {}, fields: {}, reason: undefined, repaired: false, approved: false };
  if (parsed.kind === "malformed") return { ...start, asked, problem: parsed.problem };
  const { kind: _kind, ...said } = parsed;
  const read = fieldsOf(tool, said, run.config.dataFlow);
  const known = { ...start, asked: { ...asked, ...said } };
  if (typeof read === "string") return { ...known, problem: read };
  return { ...known, ...read, touches: touchesOf(tool, call.id, said.params) };
}

/** What a reference will name is not known yet: until then a call that changes something may touch anything. */
function touchesOf(tool: Tool | undefined, id: string, params: Params): Touches {
  const touches = tool?.touches(params, id) ?? noTouches;
  const named = [...touches.reads, ...touches.writes].every((name) => parseReference(name).kind === "literal");
  if (named) return touches;
  return tool?.effect === "read" ? noTouches : anything;
}

interface Said {
  readonly params: Params;
  readonly fields: Params;
}

/** @returns a sentence instead when one of the call's own fields is wrong */
function fieldsOf(tool: Tool | undefined, said: Said, dataFlow: boolean): Pick<Slot, "flow" | "scopes"> | string {
  const scopes = scopesOf(tool?.fields, said.fields["_scopes"]);
  if (typeof scopes === "string") return scopes;
  const flow = dataFlow ? readFlow(tool, said) : noFlow;
  return typeof flow === "string" ? flow : { flow, ...scopes };
}

function readFlow(tool: Tool | undefined, { params, fields }: Said): Flow | string {
  const fixed = tool?.fields?.outputPath;
  if (tool === undefined || fixed === undefined) return flowOf(params, fields);
  const asked = fields["_outputPath"];
  if (asked !== undefined && asked !== fixed)
    return `The result of ${tool.name} always goes to ${fixed}: leave _outputPath out.`;
  return flowOf(params, { ...fields, _outputPath: fixed });
}

/** The keys of data that the call sees (LOOP-SCOPE-1); a sentence when it asks for more than it may (LOOP-SCOPE-2). */
function scopesOf(rights: ToolFields | undefined, given: unknown): Pick<Slot, "scopes"> | string {
  const allowed = rights?.scopes;
  const fixed = allowed?.kind === "fixed" ? allowed.keys : null;
  if (given === undefined) return { scopes: allowed ? (fixed ?? []) : null };
  const asked: unknown[] = Array.isArray(given) ? given : [null];
  if (!asked.every((key) => typeof key === "string")) return "_scopes must be a list of names.";
  if (!allowed) return { scopes: asked };
  const more = asked.filter((key) => !allowed.keys.includes(key));
  if (more.length === 0) return { scopes: fixed ?? asked };
  return `_scopes may hold no more than ${allowed.keys.join(", ")}; ${more.join(", ")} is not among them.`;
}
