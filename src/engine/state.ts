// What calls have written and references read: data messages, oldest first, folded when read, never merged when written (LOOP-OUT-1).
import { follow, type Found, type Lookup, type Reference } from "./references.ts";

export const outputMethods = ["set", "merge", "assign", "push", "concat"] as const;
export type OutputMethod = (typeof outputMethods)[number];

/** One message of structured context. */
export interface DataMessage {
  readonly kind: string;
  readonly data: unknown;
  readonly instance?: string | undefined;
  /** What the data looks like and what it is, for the model. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  readonly description?: string | undefined;
  /** Set when a call wrote it: where, and how it combines with what was there. */
  readonly written?: { readonly path: readonly string[]; readonly method: OutputMethod } | undefined;
}

/** What a call with this instance sees: the global messages, overlaid with those of its instance (LOOP-INST-1). */
export function lookupIn(messages: readonly DataMessage[], instance: string | undefined): Lookup {
  return (reference) => {
    const data = foldKind(messages, reference.kind, instance);
    return data.found ? follow(data.value, reference.path) : data;
  };
}

/**
 * The messages that a call with this instance may see (LOOP-SCOPE-1, -3).
 * @param scopes keys such as `state`, or paths such as `state.user`; null: all
 */
export function visibleIn(
  messages: readonly DataMessage[],
  instance: string | undefined,
  scopes: readonly string[] | null,
): readonly DataMessage[] {
  const visible = messages.filter((message) => message.instance === undefined || message.instance === instance);
  if (scopes === null) return visible;
  return scopes.flatMap((scope) => {
    const [kind = "", ...path] = scope.replace(/^†/, "").split(".");
    if (path.length === 0) return visible.filter((message) => message.kind === kind);
    const found = lookupIn(visible, instance)({ kind, path });
    return found.found ? [writing({ kind, path }, found.value, { method: "set", instance })] : [];
  });
}

/** Everything of one kind, folded. */
export function foldKind(messages: readonly DataMessage[], kind: string, instance: string | undefined): Found {
  const ofKind = messages.filter((message) => message.kind === kind);
  const global = ofKind.filter((message) => message.instance === undefined);
  const own = instance === undefined ? [] : ofKind.filter((message) => message.instance === instance);
  const visible = [...global, ...own];
  if (visible.length === 0) return { found: false };
  return { found: true, value: visible.reduce<unknown>(apply, {}) };
}

/** The message that records a value at a place. */
export function writing(
  place: Reference,
  value: unknown,
  how: { method: OutputMethod; instance: string | undefined },
): DataMessage {
  const data = place.path.toReversed().reduce<unknown>((inner, segment) => ({ [segment]: inner }), value);
  return { kind: place.kind, data, instance: how.instance, written: { path: place.path, method: how.method } };
}

function apply(state: unknown, { data, written }: DataMessage): unknown {
  if (!written) return deepMerge(state, data);
  const value = follow(data, written.path);
  return value.found ? writeAt(state, written.path, (old) => combine(written.method, old, value.value)) : state;
}

function writeAt(state: unknown, path: readonly string[], change: (old: unknown) => unknown): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return change(state);
  if (Array.isArray(state) && /^\d+$/.test(segment))
    return Object.assign([...state], { [segment]: writeAt(state[Number(segment)], rest, change) });
  const object = isObject(state) ? state : {};
  return { ...object, [segment]: writeAt(object[segment], rest, change) };
}

function combine(method: OutputMethod, old: unknown, value: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(old) ? old : old === undefined ? [] : [old];
  switch (method) {
    case "set":
      return value;
    case "merge":
      return deepMerge(old, value);
    case "assign":
      return isObject(old) && isObject(value) ? { ...old, ...value } : value;
    case "push":
      return [...list, value];
    case "concat":
      return [...list, ...(Array.isArray(value) ? value : [value])];
  }
}

/** Objects merge, everything else is replaced (DIGEST 1.5). */
function deepMerge(old: unknown, value: unknown): unknown {
  if (!isObject(old) || !isObject(value)) return value;
  const merged = Object.entries(value).map(([key, inner]) => [key, deepMerge(old[key], inner)] as const);
  return { ...old, ...Object.fromEntries(merged) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
