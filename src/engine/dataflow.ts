// What a call reads of others' results and writes for others, and whether it can run, must wait, or never will (DIGEST 1.10). Pure.
import type { Params } from "../protocol/messages.ts";
import { expressionsIn, parseReference, type Expression, type Lookup, type Reference } from "./references.ts";
import { outputMethods, type OutputMethod } from "./state.ts";

export interface Flow {
  readonly reads: readonly Expression[];
  /** Where the result goes: alternatives, each a list of places that all get it. */
  readonly writes: Expression;
  readonly method: OutputMethod;
  readonly instance: string | undefined;
}

/** Reads a call's engine fields. @returns a sentence instead when one of them is malformed */
export function flowOf(params: Params, fields: Params): Flow | string {
  const place = parseReference(fields["_outputPath"] ?? "");
  if (place.kind === "error" || (place.kind === "literal" && place.value !== ""))
    return "_outputPath must be a reference such as †state.result.";
  const method = outputMethods.find((name) => name === (fields["_outputMethod"] ?? "set"));
  if (!method) return `_outputMethod must be one of ${outputMethods.join(", ")}.`;
  const instance = fields["_instance"];
  return {
    reads: expressionsIn(params),
    writes: place.kind === "expression" ? place.expression : [],
    method,
    instance: typeof instance === "string" && instance !== "" ? instance : undefined,
  };
}

/** A call of the same reply, as far as others depend on it. */
export interface Producer {
  readonly id: string;
  readonly flow: Flow;
  /** Null while it may still write. */
  readonly wrote: readonly Reference[] | null;
}

export type Readiness =
  | { readonly kind: "ready" }
  | { readonly kind: "waits"; readonly for: readonly string[] }
  /** A producer failed, or nothing will ever write it, or the branch it is on was not taken. */
  | { readonly kind: "never"; readonly why: "failed" | "missing" | "notTaken" };

export interface Situation {
  readonly earlier: readonly Producer[];
  readonly later: readonly Producer[];
  readonly lookup: Lookup;
  /** More calls may still come. */
  readonly open: boolean;
}

const ready: Readiness = { kind: "ready" };

/** Whether all that a call reads is there. */
export function readiness(flow: Flow, situation: Situation): Readiness {
  const each = flow.reads.map((expression) => ofExpression(expression, flow, situation));
  const never = each.find((one) => one.kind === "never");
  if (never) return never;
  const waits = each.filter((one) => one.kind === "waits");
  return waits.length === 0 ? ready : { kind: "waits", for: [...new Set(waits.flatMap((one) => one.for))] };
}

/** Alternatives are settled in order: the first must be known to be absent before the second counts. */
function ofExpression(expression: Expression, flow: Flow, situation: Situation): Readiness {
  let worst: Readiness = { kind: "never", why: "missing" };
  for (const all of expression) {
    const each = all.map((reference) => ofReference(reference, flow, situation));
    const waits = each.filter((one) => one.kind === "waits");
    if (waits.length > 0) return { kind: "waits", for: waits.flatMap((one) => one.for) };
    const never = each.find((one) => one.kind === "never");
    if (!never) return ready;
    if (never.why !== "missing") worst = never;
  }
  return worst;
}

function ofReference(reference: Reference, flow: Flow, { earlier, later, lookup, open }: Situation): Readiness {
  const concerns = (producer: Producer): boolean =>
    seenBy(flow, producer) && producer.flow.writes.flat().some((place) => overlap(place, reference));
  const hard = earlier.filter(concerns);
  const pending = hard.filter((producer) => producer.wrote === null);
  if (pending.length > 0) return { kind: "waits", for: pending.map(({ id }) => id) };
  const came = (producer: Producer): boolean => producer.wrote?.some((place) => overlap(place, reference)) ?? false;
  // After a failure no older value is used, be it of this reply (LOOP-DEP-10).
  const last = hard.findLast((producer) => came(producer) || producer.wrote?.length === 0);
  if (last && !came(last)) return { kind: "never", why: "failed" };
  if (lookup(reference).found) return ready;
  const expected = later.filter((producer) => producer.wrote === null && concerns(producer)).map(({ id }) => id);
  if (expected.length > 0 || open) return { kind: "waits", for: expected };
  return { kind: "never", why: hard.length > 0 ? "notTaken" : "missing" };
}

/** What an instance writes only that instance sees; what is global all see (LOOP-DEP-9). */
function seenBy(reader: Flow, { flow }: Producer): boolean {
  return flow.instance === undefined || flow.instance === reader.instance;
}

/** Equal, ancestor or descendant (LOOP-DEP-4). */
export function overlap(a: Reference, b: Reference): boolean {
  const length = Math.min(a.path.length, b.path.length);
  return a.kind === b.kind && a.path.slice(0, length).every((segment, index) => segment === b.path[index]);
}

/** A reference as it is written. */
export function nameOf({ kind, path }: Reference): string {
  return `†${[kind, ...path].join(".")}`;
}
