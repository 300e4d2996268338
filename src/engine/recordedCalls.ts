// What a record tells of its tools: which there were, what they do, how their calls were named and kept in order. Pure.
import type { Label } from "../protocol/calls.ts";
import type { Params, PlanChanges, ToolCall } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { finalOutput } from "./output.ts";
import type { Effect, JsonSchema, ToolFields, Touches } from "./ports.ts";
import type { RecordedCall, RecordedReply, RecordedRun } from "./recorded.ts";
import { expressionsIn } from "./references.ts";
import { isCancelled, toolsListed } from "./sentences.ts";

interface KnownTool {
  readonly name: string;
  readonly effect: Effect;
}

/** The tools of a run: all of them where a sentence lists them, else those that were called. */
export function knownTools(run: RecordedRun): readonly KnownTool[] {
  const calls = callsOf(run);
  const listed = calls.map(({ call, result }) => toolsListed(result?.content ?? "", call.name));
  const called = calls.flatMap(({ call, result }) => {
    const decision = result?.verdict?.decision;
    return decision?.kind === "replace" ? [call.name, decision.call.name] : [call.name];
  });
  const effects = new Map(calls.map(({ call, result }) => [call.name, result?.effect]));
  // With its plan a person decides about a call that nobody would have asked about.
  const planned = new Set([...run.replies.values()].flatMap(({ plan }) => decidedIn(plan)));
  const alone = calls.filter(({ call }) => !planned.has(call.id));
  const asked = new Set(alone.flatMap((recorded) => (wasAsked(recorded) ? recorded.call.name : [])));
  // The loop brings the tool for the final output itself, where there is one.
  const own = run.message?.setup?.output ? finalOutput : null;
  const callsTo = (name: string): readonly RecordedCall[] => calls.filter(({ call }) => call.name === name);
  const names = listed.find((list) => list !== null) ?? called.filter((name) => !isUnknown(callsTo(name), run));
  return [...new Set(names)]
    .filter((name) => name !== own)
    .map((name) => ({ name, effect: effects.get(name) ?? (asked.has(name) ? "write" : "read") }));
}

/**
 * There was no such tool: what only reads does not hold up everything while it waits for what it refers to, and would have
 * started at once where only reads do.
 */
function isUnknown(calls: readonly RecordedCall[], { message }: RecordedRun): boolean {
  const results = calls.flatMap(({ result }) => result ?? []);
  // Who has no tool has no words for it either.
  const named = results.some(({ label, name }) => label !== undefined && label.verb !== name);
  const isKnown = results.some(({ effect, verdict, touches }) => effect ?? verdict ?? (touches && !touches.runs));
  if (named || isKnown) return false;
  const readsStart = message?.setup?.earlyStart === "read";
  return results.some(({ touches }) => touches?.runs ?? readsStart);
}

/** Put before a person, or before a policy that answers for one: so much older records tell of what it may do. */
export function wasAsked({ result }: RecordedCall): boolean {
  if (result && isCancelled(result, "whileAsked")) return true;
  if (!result?.verdict) return false;
  const { decision, by } = result.verdict;
  return by === "person" || decision.kind !== "approve";
}

/** The words for a call before it is checked, by its parameters as the model wrote them. */
export function labelsOf(run: RecordedRun): (name: string, params: Params) => Label | null {
  const labels = new Map<string, Label>();
  const keep = (call: ToolCall | undefined, label: Label | undefined): void => {
    const key = call && keyOf(call);
    if (key !== undefined && label && !labels.has(key)) labels.set(key, label);
  };
  const replies = [...run.replies.values()];
  for (const { plan, calls } of replies)
    for (const { toolCallId, label } of plan?.entry.steps ?? [])
      keep(calls.find(({ call }) => call.id === toolCallId)?.call, label);
  for (const { plan, calls } of replies) for (const [call, label] of changedCalls(plan, calls)) keep(call, label);
  const calls = callsOf(run).filter(({ result }) => result !== null);
  // A call that ran has the words that were found for it when it was checked.
  const ran = ({ result }: RecordedCall): boolean => result?.verdict !== undefined && result.status !== "rejected";
  for (const { call, result } of [...calls.filter((one) => !ran(one)), ...calls.filter(ran)]) keep(call, result?.label);
  return (name, params) => labels.get(JSON.stringify([name, params])) ?? null;
}

type Plan = RecordedReply["plan"];

/** What a person made of a plan. */
function changesOf(plan: Plan): Partial<PlanChanges> {
  const decision = plan?.entry.decision;
  return (decision && decision.kind !== "reject" && decision.changes) || {};
}

function decidedIn(plan: Plan): readonly string[] {
  const { removed = [], changed = [] } = changesOf(plan);
  return [...removed, ...changed.map(({ toolCallId }) => toolCallId)];
}

/** The calls of a plan as a person has changed them, and the words for them then. */
function changedCalls(plan: Plan, calls: readonly RecordedCall[]): [ToolCall, Label][] {
  const steps = plan?.entry.revised ?? [];
  return (changesOf(plan).changed ?? []).flatMap(({ toolCallId, params }) => {
    const call = calls.find((one) => one.call.id === toolCallId)?.call;
    const label = steps.find((step) => step.toolCallId === toolCallId)?.label;
    return call && label ? [[{ ...call, arguments: JSON.stringify(params) }, label]] : [];
  });
}

/** What a person made of a call with its plan; undefined: nothing. */
export function changedWithPlan(plan: Plan, id: string): Params | undefined {
  return changesOf(plan).changed?.find(({ toolCallId }) => toolCallId === id)?.params;
}

/** Where a tool's results go without that its calls say so, and whether the model itself writes them. */
export function keptByTool(run: RecordedRun, name: string): ToolFields | null {
  const calls = callsOf(run).filter(({ call }) => call.name === name);
  const latent = calls.some(({ result }) => result?.status === "succeeded" && result.verdict === undefined);
  const silent = calls.filter(({ call }) => fieldsOf(call)["_outputPath"] === undefined);
  const placeOf = (succeeded: boolean): string | undefined =>
    silent
      .filter(({ result }) => (result?.status === "succeeded") === succeeded)
      .map(({ result }) => /\n\nKept as (†[^\n]*)\.$/.exec(result?.content ?? "")?.[1]?.replaceAll(" and ", " && "))
      .find((place) => place !== undefined);
  const places = [placeOf(true), placeOf(false)].filter((place) => place !== undefined);
  const outputPath = places.length === 0 || !usesReferences(run) ? undefined : places.join(" || ");
  if (!latent && outputPath === undefined) return null;
  return { ...(outputPath !== undefined && { outputPath }), ...(latent && { latent: { output: latentOutput } }) };
}

/** Stands for the schema of what the model writes as the result of a latent call: the record has none. */
export const latentOutput: JsonSchema = {};

/** What is recorded to be wrong with such a result. */
export function latentProblems(run: RecordedRun, output: unknown): readonly string[] {
  const failed = callsOf(run).find(
    ({ call, result }) =>
      result?.content.startsWith(`The _output of ${call.name} is wrong.\n`) === true &&
      JSON.stringify(fieldsOf(call)["_output"]) === JSON.stringify(output),
  );
  return failed?.result?.content.split("\n\nKept as ")[0]?.split("\n").slice(1) ?? [];
}

/**
 * What a call touched when it was put into its place among the others. As long as a reference stands where the name of
 * a file will be, that name is not known.
 */
export function touchesOf(recorded: RecordedCall | null, params: Params): Touches {
  const { reads = [], writes = [], runs = false } = recorded?.result?.touches ?? {};
  const named = [...reads, ...writes].every((name) => Object.values(params).includes(name));
  const later = !named && expressionsIn(params).length > 0;
  return later ? { reads: [], writes: ["†later"], runs } : { reads, writes, runs };
}

/** Whether calls could refer to each other's results. */
export function usesReferences({ message }: RecordedRun): boolean {
  return message?.setup?.dataFlow !== false;
}

function callsOf({ replies }: RecordedRun): readonly RecordedCall[] {
  return [...replies.values()].flatMap(({ calls }) => calls);
}

function keyOf(call: ToolCall): string | undefined {
  const parsed = parseArguments(call);
  return parsed.kind === "parsed" ? JSON.stringify([call.name, parsed.params]) : undefined;
}

function fieldsOf(call: ToolCall): Params {
  const parsed = parseArguments(call);
  return parsed.kind === "parsed" ? parsed.fields : {};
}
